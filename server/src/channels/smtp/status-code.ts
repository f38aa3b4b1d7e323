/** Enhanced mail status codes (RFC 3463). */

// 5.1.7 and 5.1.8 are about the sender's address and say nothing about the recipient's.
const NO_SUCH_MAILBOX = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10'])
/** "Other or undefined": many servers report every failure as 5.0.0, and tell the reason in their words alone. */
const UNSPECIFIC = /^5\.[0-6]\.0$/
const UNKNOWN_USER = /user unknown|unknown user|no such (?:user|mailbox|recipient)|does not exist/i
const ABOUT_THE_SENDER = /\b(?:sender|mail from|spf|dkim|dmarc)\b/i

export function findStatusCode(text: string): string | null {
  return /(?:^|[\s-])([245]\.\d{1,3}\.\d{1,3})(?=\s|$)/.exec(text)?.[1] ?? null
}

/** The code in the server's words, if the one that was reported says nothing. */
export function specificStatusCode(reported: string, words: string): string {
  return UNSPECIFIC.test(reported) ? (findStatusCode(words) ?? reported) : reported
}

/** `words` are those of the server that refused the recipient, and count if it gave no code that says more. */
export function isNoSuchMailbox(statusCode: string | null, words: string): boolean {
  if (statusCode !== null && !UNSPECIFIC.test(statusCode)) return NO_SUCH_MAILBOX.has(statusCode)
  return UNKNOWN_USER.test(words) && !ABOUT_THE_SENDER.test(words)
}
