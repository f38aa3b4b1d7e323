import type { ProviderError } from './channel.ts'

const MAX_MESSAGE_LENGTH = 200
const EMAIL_ADDRESS = /[^\s<>"'(),;:@]+@[^\s<>"'(),;:@]+/g
const LONG_TOKEN = /[A-Za-z0-9_\-+/=]{24,}/g
// A number as people write it, "+1 (415) 555-0123"; replies such as "550 5.1.1" have fewer digits.
const SPACED_NUMBER = /\+?\d(?:[ ().-]{0,2}\d){8,}/g
// Codes are four digits at least; a provider's own short codes (SMTP replies) have three.
const DIGIT_RUN = /\+?\d{4,}/g
const CONTROL_CHARACTERS = /\p{Cc}+/gu

/** Providers quote the number, the message or the credential in their errors; none of it may be kept. */
export function providerError(code: string | number, message: string): ProviderError {
  const safe = message
    .replace(CONTROL_CHARACTERS, ' ')
    .replace(EMAIL_ADDRESS, '[address]')
    .replace(LONG_TOKEN, '[token]')
    .replace(SPACED_NUMBER, '[number]')
    .replace(DIGIT_RUN, '[number]')
    .trim()
  return { code: String(code).slice(0, 64), message: safe.slice(0, MAX_MESSAGE_LENGTH) }
}
