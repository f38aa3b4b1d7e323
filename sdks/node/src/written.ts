/** Turns what people write into what the service takes. A text that cannot be read is left for the service to judge. */

/** Blanks, and the marks that people put between digits. */
const separators = /[\s().\-\u2010-\u2015/]/g
/** Marks that nobody sees, such as those for the direction of a text, come along with what is copied. */
const unseen = /\p{Cf}/gu

/** `+44 (0) 7400` stays wrong: which digits to leave out is not for us to guess. */
export function recipientOf(written: string): string {
  // A caller without types may pass anything; the service says what is wrong with it.
  if (typeof written !== 'string') return written
  const trimmed = withoutEnds(written)
  if (trimmed.includes('@')) return trimmed
  const digits = inAscii(trimmed).replace(separators, '')
  return /^\+\d+$/.test(digits) ? digits : trimmed
}

export const codeOf = (written: string): string =>
  typeof written === 'string' ? inAscii(written).replace(/[\s\-\u2010-\u2015]/g, '') : written

/** Inside an address such marks may belong to it. */
const withoutEnds = (text: string) => /^[\s\p{Cf}]*(.*[^\s\p{Cf}])?/su.exec(text)?.[1] ?? ''

/** Converts digits of other scripts, and full-width characters of input methods. */
const inAscii = (text: string) =>
  text
    .normalize('NFKC')
    .replace(unseen, '')
    .replace(/\p{Nd}/gu, (digit) => String(worthOf(digit)))

/** In every script the digits are consecutive, beginning with its zero. */
function worthOf(digit: string): number {
  const point = digit.codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(point - value - 1))) value++
  return value
}
