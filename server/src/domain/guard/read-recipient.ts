/**
 * Reads a number or an address as people write it: with blanks, dashes, brackets and invisible marks, with `00` or nothing
 * before the calling code, or as it is dialled in a country. Only for looking somebody up: where a message goes is never
 * guessed.
 */
import type { NumberCheck } from '@countersign/contract'
import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { parseRecipient, type Recipient } from './recipient.ts'

const unseen = /[\p{C}\p{Z}]/gu
const punctuation = /[\p{Pd}().[\]/·•]/gu
/** The zero in `+44 (0)7911 …`, which is dialled only inside the country. */
const homeDigit = /^((?:\+|00)\d{1,3})\(0\)/
/** Arabic and Persian digits; the last four bits of each are its value. */
const otherDigits = /[\u0660-\u0669\u06f0-\u06f9]/g

export function readRecipient(text: string, country: string | null = null): Recipient | null {
  const written = text.replace(unseen, '')
  if (written.includes('@')) return parseRecipient(written.replace(/^mailto:/i, ''))
  const number = written
    .normalize('NFKC')
    .replace(/^tel:/i, '')
    .replace(otherDigits, (digit) => String(digit.charCodeAt(0) & 15))
    .replace(homeDigit, '$1')
    .replace(punctuation, '')
  if (!/^\+?\d+$/.test(number)) return null
  const readings = readingsOf(number, country)
  // Of several readings, one that the numbering plan knows is taken first.
  return firstOf(readings, 'valid') ?? firstOf(readings, 'e164')
}

function firstOf(readings: readonly string[], check: NumberCheck): Recipient | null {
  for (const reading of readings) {
    const recipient = parseRecipient(reading, check)
    if (recipient) return recipient
  }
  return null
}

/** The likeliest reading comes first. */
function readingsOf(number: string, country: string | null): string[] {
  if (number.startsWith('+')) return [number]
  const abroad = number.startsWith('00') ? [`+${number.slice(2)}`] : []
  const atHome =
    country !== null && isSupportedCountry(country)
      ? parsePhoneNumberFromString(number, country)?.number
      : undefined
  return [...abroad, ...(atHome ? [atHome] : []), `+${number}`]
}
