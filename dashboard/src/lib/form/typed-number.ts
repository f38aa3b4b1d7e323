/** Numbers as people type and paste them. */

const dashes = /[\u2010-\u2015\u2212]/g
const arabicDigits = /[\u0660-\u0669\u06f0-\u06f9]/g

/** Digits and dashes of any script in ASCII, without the marks that a copied number may have around it. */
export const inAscii = (text: string): string =>
  text
    .normalize('NFKC')
    // The digits of both Arabic blocks are numbered by the last four bits of their code.
    .replace(arabicDigits, (digit) => String(digit.charCodeAt(0) & 15))
    .replaceAll('\u066b', '.')
    .replaceAll('\u066c', ',')
    .replace(dashes, '-')
    .replace(/\p{Cf}/gu, '')

/** The digits of a code, which may be written in groups. */
export const digitsOf = (text: string): string => inAscii(text).replace(/\D/g, '')

/**
 * Blanks, and units and currencies around the number, are left out. A sign stays, and so do letters within: without them
 * it would be another number.
 */
const tidy = (text: string): string =>
  /[\d.,-](?:.*[\d.,-])?/.exec(inAscii(text).replace(/[\s'’]/g, ''))?.[0] ?? ''

/** More than any bound has, and few enough for the number to be exact. */
const mostCharacters = 15

export const tidyWhole = (text: string): string => tidy(text).slice(0, mostCharacters)

/** No number that the contract takes: the form then says what the field needs. */
export const notWhole = Number.POSITIVE_INFINITY

/** Null if nothing was typed. In a whole number, a point or comma can only stand between thousands. */
export function wholeOf(tidied: string): number | null {
  const text = tidied.replace(/[.,]$/, '')
  if (text === '' || text === '-') return null
  if (/^-?\d+$/.test(text)) return Number(text)
  return /^-?[1-9]\d{0,2}(?:(?:\.\d{3})+|(?:,\d{3})+)$/.test(text)
    ? Number(text.replace(/[.,]/g, ''))
    : notWhole
}

/** Either a thousand or one with three decimals. After a nought, or after four digits, it can only be decimals. */
const twofold = /^-?[1-9]\d{0,2},\d{3}$/

/** What to write instead of an amount that can be read in two ways; null for any other text. */
export const waysToRead = (amount: string): readonly [thousands: string, decimals: string] | null =>
  twofold.test(amount) ? [amount.replace(',', ''), amount.replace(',', '.')] : null

export const tidyAmount = tidy

/**
 * The amount that is meant, as the API writes it. A comma is its decimal point. Points or commas that stand between
 * thousands are left out: that is sure if there are several, or if the other of the two comes after them. An amount that
 * can be read in two ways keeps its comma, which the contract refuses.
 */
export function amountOf(tidied: string): string {
  const amount = tidied.replace(/[.,]$/, '')
  if (/^-?\d{1,3}(?:,\d{3})+\.\d*$/.test(amount) || /^-?\d{1,3}(?:,\d{3}){2,}$/.test(amount))
    return amount.replaceAll(',', '')
  if (/^-?\d{1,3}(?:\.\d{3})+,\d*$/.test(amount) || /^-?\d{1,3}(?:\.\d{3}){2,}$/.test(amount))
    return amount.replaceAll('.', '').replace(',', '.')
  return waysToRead(amount) ? amount : amount.replaceAll(',', '.')
}
