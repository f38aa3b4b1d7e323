import { findConnectionProblem } from '../platform/connection-problem.ts'
import type { ProviderError, SendOutcome } from './channel.ts'

/** How many characters of a provider's message are read, and how many are kept. */
const MAX_READ_LENGTH = 2_000
const MAX_MESSAGE_LENGTH = 200

// Words are split at characters that no recipient's address contains.
const WORD = /[^\s<>"(),;:]+/g
const TOKEN = /[A-Za-z0-9_\-+/=]+/g
const MIN_TOKEN_LENGTH = 24
// A number as people write it, "+1 (415) 555-0123"; replies such as "550 5.1.1" have fewer digits.
const SPACED_DIGITS = /\+?\d(?:[ ().-]{0,2}\d)*/g
const MIN_NUMBER_DIGITS = 9
// Verification codes have at least four digits; a provider's own short codes (SMTP replies) have three.
const DIGIT_RUN = /\+?\d{4,}/g
const CONTROL_CHARACTERS = /\p{Cc}+/gu
// An error code is a word such as 30006, 5.1.1 or FLOOD_WAIT; nine or more digits in a row are somebody's number.
const CODE = /^[\w.-]{1,64}$/
const NUMBER = /\d{9}/

/**
 * Removes numbers, addresses and tokens: providers quote the recipient, the message or the credential in their errors,
 * and none of it may be kept.
 */
export function providerError(code: string | number, message: string): ProviderError {
  const safe = beginningOf(message)
    .replace(CONTROL_CHARACTERS, ' ')
    .replace(WORD, (word) => (isAddress(word) ? '[address]' : word))
    .replace(TOKEN, (token) => (token.length >= MIN_TOKEN_LENGTH ? '[token]' : token))
    .replace(SPACED_DIGITS, (spaced) => (digitsIn(spaced) >= MIN_NUMBER_DIGITS ? '[number]' : spaced))
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

const codeOf = (text: string) => (CODE.test(text) && !NUMBER.test(text) ? text : 'unknown_error')

const digitsIn = (text: string) => text.replace(/\D/g, '').length
const isAddress = (word: string) => word.includes('@') || word.toLowerCase().includes('%40')

/** Cutting may split an address or a number, whose half would not be recognised, so the last word is dropped too. */
function beginningOf(message: string): string {
  if (message.length <= MAX_READ_LENGTH) return message
  let end = MAX_READ_LENGTH
  while (end > 0 && !isSpace(message, end - 1)) end--
  while (end > 0 && isOfNumber(message, end - 1)) end--
  return message.slice(0, end)
}

const isSpace = (text: string, at: number) => (text[at] ?? '').trim() === ''
const isOfNumber = (text: string, at: number) =>
  isSpace(text, at) || '0123456789+().-'.includes(text[at] ?? '')
