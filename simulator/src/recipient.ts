import { domainToASCII } from 'node:url'

const PHONE = /^\+?([1-9]\d{5,14})$/
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/

/** A number in E.164 with `+`; it may be written without the `+`. */
export function findPhone(value: string): string | null {
  const digits = PHONE.exec(value.replace(/[\s().-]/g, ''))?.[1]
  return digits === undefined ? null : `+${digits}`
}

function findEmail(value: string): string | null {
  const trimmed = value.trim()
  return EMAIL.test(trimmed) ? trimmed : null
}

export function findRecipient(value: string): string | null {
  return value.includes('@') ? findEmail(value) : findPhone(value)
}

/**
 * Mail servers may treat the local part as case-sensitive, but people do not. A domain beyond ASCII has two spellings,
 * and a mail server may show either.
 */
export function recipientKey(recipient: string): string {
  const [local = '', domain] = recipient.toLowerCase().split('@')
  return domain === undefined ? local : `${local}@${domainToASCII(domain) || domain}`
}
