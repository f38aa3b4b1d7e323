export interface Autofill {
  /** The host whose pages may fill the code in, such as `example.com`. */
  readonly webDomain?: string
  /** The 11 characters by which Android knows the app that may read the message. */
  readonly androidHash?: string
}

/** Reads the app's settings, whose names have the API's spelling. */
export function autofillOf(settings: {
  readonly web_domain?: string | undefined
  readonly android_hash?: string | undefined
}): Autofill {
  const { web_domain: webDomain, android_hash: androidHash } = settings
  return { ...(webDomain ? { webDomain } : {}), ...(androidHash ? { androidHash } : {}) }
}

/**
 * Adds the last line by which phones fill a code in by themselves, where one is wanted.
 *
 * Browsers want the last line to start with `@host #code` and ignore what follows on it
 * (WICG sms-one-time-codes, "Parsing"); Android wants the message to end with the hash. One line serves both.
 */
export function withAutofillLine(text: string, code: string, autofill: Autofill | null): string {
  const parts: string[] = []
  if (autofill?.webDomain !== undefined) parts.push(`@${autofill.webDomain} #${code}`)
  if (autofill?.androidHash !== undefined) parts.push(autofill.androidHash)
  return parts.length === 0 ? text : `${text.trimEnd()}\n${parts.join(' ')}`
}
