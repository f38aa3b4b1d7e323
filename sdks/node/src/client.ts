import { addressOf, type CountersignOptions, settingsOf } from './client-settings.ts'
import { createOtp, type Otp } from './otp.ts'
import { createRouting, type Routing } from './routing.ts'
import { createTransport } from './transport.ts'
import { createVerifications, type Verifications } from './verifications.ts'

/** Hundreds of times the size of the largest answer. */
const largestAnswerBytes = 1_048_576

/** A client of the service, for your backend. Make one and keep it. */
export class Countersign {
  readonly otp: Otp
  readonly verifications: Verifications
  readonly routing: Routing

  /** @param key a server key, `otp_sk_…` */
  constructor(key: string, options: CountersignOptions = {}) {
    assertServerKey(key)
    const call = createTransport({
      ...settingsOf(options),
      key,
      baseUrl: addressOf(options),
      root: '/api/v1',
      isRenamed: true,
      largestAnswerBytes,
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
  throw new TypeError(
    'Pass a server key (otp_sk_…) to new Countersign(key), alone: without quotes, blanks or a line break.',
  )
}
