/** The options of a client, and their defaults. */
import { assertFields } from './fields.ts'
import type { Fetch } from './platform.ts'
import { assertPace, type Logger, type Settings } from './transport.ts'

export interface CountersignOptions {
  /** The address of the service. If it is left out, this machine; `undefined` is refused. */
  baseUrl?: string
  /** How long one attempt may take. */
  timeoutMs?: number | undefined
  /** How often a call that may be repeated is tried again. */
  maxRetries?: number | undefined
  fetch?: Fetch | undefined
  /** Called for every attempt and every wait. It gets no key, no code and no recipient. */
  logger?: Logger | undefined
}

const defaultBaseUrl = 'http://localhost:3000'
const defaultTimeoutMs = 10_000
const defaultMaxRetries = 2

export function settingsOf(
  options: CountersignOptions,
): Pick<Settings, 'timeoutMs' | 'maxRetries' | 'fetch' | 'logger'> {
  assertFields('options', options, ['baseUrl', 'timeoutMs', 'maxRetries', 'fetch', 'logger'])
  const { timeoutMs = defaultTimeoutMs, maxRetries = defaultMaxRetries, fetch, logger } = options
  assertPace({ timeoutMs, maxRetries })
  return {
    timeoutMs,
    maxRetries,
    // Some platforms refuse a fetch that is called as a method of something else.
    fetch: fetch ?? ((...request) => globalThis.fetch(...request)),
    logger,
  }
}

/** A host is required, or `api` of the path would be taken for it; a password would appear in error messages. */
const address = /^https?:\/\/[^/:?#@\\\s][^?#@\\\s]*$/

/** Also accepts the address that the API's reference shows, which ends in `/api/v1`. */
export function addressOf(options: CountersignOptions): string {
  const baseUrl: unknown = 'baseUrl' in options ? options.baseUrl : defaultBaseUrl
  // If a variable was not set, the key must not go to whatever listens on this machine.
  if (typeof baseUrl !== 'string' || !address.test(baseUrl) || !URL.canParse(baseUrl))
    throw new TypeError(
      'baseUrl must be http:// or https:// and a host, without password, query, fragment, blanks or a line break.',
    )
  return baseUrl.replace(/\/*(\/(?:api|manage)\/v1)?\/*$/, '')
}
