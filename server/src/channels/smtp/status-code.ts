/** Enhanced mail status codes (RFC 3463). */

// 5.1.7 and 5.1.8 are about the sender's address and say nothing about the recipient's.
const NO_SUCH_MAILBOX = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10'])

export function findStatusCode(text: string): string | null {
  return /(?:^|[\s-])([245]\.\d{1,3}\.\d{1,3})(?=\s|$)/.exec(text)?.[1] ?? null
}

export function isNoSuchMailbox(statusCode: string): boolean {
  return NO_SUCH_MAILBOX.has(statusCode)
}
