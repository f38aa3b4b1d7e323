import { findConnectionProblem } from '../platform/connection-problem.ts'
import type { ProviderError, SendOutcome } from './channel.ts'

/** How many characters of a provider's message are read, and how many are kept. */
const MAX_READ_LENGTH = 2_000
const MAX_MESSAGE_LENGTH = 200

// Words are split at characters that no recipient's address contains.
const WORD = /[^\s<>"(),;:]+/g
const TOKEN = /[A-Za-z0-9_\-+/=]+/g
const MIN_TOKEN_LENGTH = 24
// A number as people write it, "+1 (415) 555-0123", in any digits and with whatever stands between them; replies such as
// "550 5.1.1" have fewer digits.
const SPACED_DIGITS = /\+?\p{Nd}(?:[^\p{L}\p{N}]{0,3}\p{Nd})*/gu
const MIN_NUMBER_DIGITS = 9
// Verification codes have at least four digits; a provider's own short codes (SMTP replies) have three.
const DIGIT_RUN = /\+?\p{Nd}{4,}/gu
// Zero-width and other invisible characters, which come along when a number is copied.
const INVISIBLE_CHARACTERS = /\p{Cf}+/gu
const CONTROL_CHARACTERS = /\p{Cc}+/gu
// An error code is a word such as 30006, 5.1.1 or FLOOD_WAIT.
const CODE = /^[\w.-]{1,64}$/
// As a character, in an address of the web, in HTML and in JSON.
const AT_SIGN = /@|%40|&#64|&#x40|\\u0040/i
const LETTER = /\p{L}/u

/**
 * Removes numbers, addresses and tokens: providers quote the recipient, the message or the credential in their errors,
 * and none of it may be kept.
 */
export function providerError(code: string | number, message: string): ProviderError {
  const safe = beginningOf(message)
    // Makes of full-width and other forms the plain characters that are looked for.
    .normalize('NFKC')
    .replace(INVISIBLE_CHARACTERS, '')
    .replace(CONTROL_CHARACTERS, ' ')
    .replace(WORD, (word) => (AT_SIGN.test(word) ? '[address]' : word))
    .replace(TOKEN, (token) => (token.length >= MIN_TOKEN_LENGTH ? '[token]' : token))
    .replace(SPACED_DIGITS, (spaced) => (isNumber(spaced) ? '[number]' : spaced))
    .replace(DIGIT_RUN, '[number]')
    .trim()
  return { code: codeOf(String(code)), message: safe.slice(0, MAX_MESSAGE_LENGTH) }
}

/** The error of a connection that could not be made, with the reason if the code tells it. */
export function connectionError(code: string, message: string): ProviderError {
  const problem = findConnectionProblem(code)
  return providerError(code, problem === null ? `${message}.` : `${message}: ${problem}.`)
}

/** Null if the provider accepted the message. */
export const errorOf = (outcome: SendOutcome): ProviderError | null =>
  outcome.kind === 'accepted' ? null : outcome.error

const codeOf = (text: string) =>
  CODE.test(text) && !text.match(SPACED_DIGITS)?.some(isNumber) ? text : 'unknown_error'

const isNumber = (spaced: string) => (spaced.match(/\p{Nd}/gu)?.length ?? 0) >= MIN_NUMBER_DIGITS

/** Cutting may split an address or a number, whose half would not be recognised, so the last word is dropped too. */
function beginningOf(message: string): string {
  if (message.length <= MAX_READ_LENGTH) return message
  let end = MAX_READ_LENGTH
  while (end > 0 && !isSpace(message, end - 1)) end--
  while (end > 0 && isOfNumber(message, end - 1)) end--
  return message.slice(0, end)
}

const isSpace = (text: string, at: number) => (text[at] ?? '').trim() === ''
/** What a number may end in: anything but a letter. */
const isOfNumber = (text: string, at: number) => !LETTER.test(text[at] ?? '')
