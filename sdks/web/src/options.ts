import type { Connection, Fetch } from './call.ts'

export interface VerificationOptions {
  /** A publishable key, `otp_pk_…`. */
  readonly key: string
  /** The address of the service. */
  readonly baseUrl: string
  /** Opens a link; needed in React Native: `Linking.openURL`. */
  readonly openUrl?: ((url: string) => unknown) | undefined
  /** False to not read the code of an SMS, even if the browser could. */
  readonly autofill?: boolean | undefined
  readonly fetch?: Fetch | undefined
}

export function connectionOf({ key, baseUrl, fetch }: VerificationOptions): Connection {
  assertPublishableKey(key)
  assertAddress(baseUrl)
  return {
    key,
    // The API's reference shows the address with `/api/v1`.
    baseUrl: baseUrl.replace(/\/*(\/api\/v1)?\/*$/, ''),
    // Browsers refuse a fetch that is called as a method of something else.
    fetch: fetch ?? ((...request) => globalThis.fetch(...request)),
  }
}

/** A variable that was not set must not become an address such as `undefined`. */
function assertAddress(baseUrl: unknown): void {
  if (typeof baseUrl !== 'string' || !/^https?:\/\/[^/:?#@\\\s][^?#@\\\s]*$/.test(baseUrl))
    throw new TypeError(
      'baseUrl must be http:// or https:// and a host, without password, query, fragment, blanks or a line break.',
    )
}

function assertPublishableKey(key: unknown): void {
  const text = String(key)
  if (text.startsWith('otp_sk_'))
    throw new TypeError(
      'This is a server key. Everybody can read what a browser or an app holds: use a publishable key (otp_pk_…) here, and revoke this one if it has left your backend.',
    )
  if (!/^otp_pk_[\x21-\x7e]+$/.test(text))
    throw new TypeError(
      'createVerification needs a publishable key (otp_pk_…), alone: without quotes, blanks or a line break.',
    )
}
