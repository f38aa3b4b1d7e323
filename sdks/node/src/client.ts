import { createOtp, type Otp } from './otp.ts'
import type { Fetch } from './platform.ts'
import { createRouting, type Routing } from './routing.ts'
import { assertPace, createTransport, type Logger } from './transport.ts'
import { createVerifications, type Verifications } from './verifications.ts'

export interface CountersignOptions {
  /** Where the service is. Left out, it is on this machine; an undefined one is refused. */
  baseUrl?: string
  /** How long one attempt may take. */
  timeoutMs?: number | undefined
  /** How often a call that may be repeated is, after its first attempt. */
  maxRetries?: number | undefined
  fetch?: Fetch | undefined
  /** Hears of every attempt and every wait. It is told no key, no code and no recipient. */
  logger?: Logger | undefined
}

const defaultBaseUrl = 'http://localhost:3000'
const defaultTimeoutMs = 10_000
const defaultMaxRetries = 2

/** The service, as your backend sees it. Make one and keep it. */
export class Countersign {
  readonly otp: Otp
  readonly verifications: Verifications
  readonly routing: Routing

  /** @param key a server key, `otp_sk_…` */
  constructor(key: string, options: CountersignOptions = {}) {
    assertServerKey(key)
    const { timeoutMs = defaultTimeoutMs, maxRetries = defaultMaxRetries } = options
    assertPace({ timeoutMs, maxRetries })
    const call = createTransport({
      key,
      baseUrl: rootOf('baseUrl' in options ? options.baseUrl : defaultBaseUrl),
      logger: options.logger,
      timeoutMs,
      maxRetries,
      // Some platforms refuse a fetch that is called as a method of something else.
      fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    })
    this.otp = createOtp(call)
    this.verifications = createVerifications(call)
    this.routing = createRouting(call)
  }
}

function assertServerKey(key: unknown): asserts key is string {
  if (typeof key === 'string' && /^otp_sk_[\x21-\x7e]+$/.test(key)) return
  if (typeof key === 'string' && key.startsWith('otp_pk_'))
    throw new TypeError('This is a publishable key, for devices. A backend needs a server key (otp_sk_…).')
  // The value is not shown: what was passed by mistake may be another secret.
  throw new TypeError('Pass a server key (otp_sk_…) to new Countersign(key).')
}

/** Also of the address that the API's reference shows, which ends in `/api/v1`. */
function rootOf(baseUrl: unknown): string {
  // A variable that was not set must not send the key to whatever listens here.
  if (typeof baseUrl !== 'string' || !/^https?:\/\//.test(baseUrl))
    throw new TypeError('baseUrl must start with http:// or https://.')
  return baseUrl.replace(/\/*(\/api\/v1)?\/*$/, '')
}
