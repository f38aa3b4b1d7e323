/** What a client is made with, and what holds where nothing is said. */
import type { Fetch } from './platform.ts'
import { assertPace, type Logger, type Settings } from './transport.ts'

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

export function settingsOf({
  timeoutMs = defaultTimeoutMs,
  maxRetries = defaultMaxRetries,
  fetch,
  logger,
}: CountersignOptions): Pick<Settings, 'timeoutMs' | 'maxRetries' | 'fetch' | 'logger'> {
  assertPace({ timeoutMs, maxRetries })
  return {
    timeoutMs,
    maxRetries,
    // Some platforms refuse a fetch that is called as a method of something else.
    fetch: fetch ?? ((...request) => globalThis.fetch(...request)),
    logger,
  }
}

/** A host has to be there, or `api` of the path would be taken for it; a password would stand in messages. */
const address = /^https?:\/\/[^/:?#@\\\s][^?#@\\\s]*$/

/** Also of the address that the API's reference shows, which ends in `/api/v1`. */
export function addressOf(options: CountersignOptions): string {
  const baseUrl: unknown = 'baseUrl' in options ? options.baseUrl : defaultBaseUrl
  // A variable that was not set must not send the key to whatever listens here.
  if (typeof baseUrl !== 'string' || !address.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError(
      'baseUrl must be http:// or https:// and a host, without password, query or fragment.',
    )
  return baseUrl.replace(/\/*(\/(?:api|manage)\/v1)?\/*$/, '')
}
