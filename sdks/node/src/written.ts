/** Turns what people write into what the service takes. A text that cannot be read is left for the service to judge. */

/** Blanks of every kind, and the marks that people put between digits. */
const separators = /[\s\u200b-\u200f\u2060\ufeff().\-\u2010-\u2015/]/g

/** `+44 (0) 7400` stays wrong: which digits to leave out is not for us to guess. */
export function recipientOf(written: string): string {
  // A caller without types may pass anything; the service says what is wrong with it.
  if (typeof written !== 'string') return written
  const trimmed = written.trim()
  if (trimmed.includes('@')) return trimmed
  const digits = inAscii(trimmed).replace(separators, '')
  return /^\+\d+$/.test(digits) ? digits : trimmed
}

export const codeOf = (written: string): string =>
  typeof written === 'string' ? inAscii(written).replace(/[\s-]/g, '') : written

/** Converts digits of other scripts, and full-width characters of input methods. */
const inAscii = (text: string) =>
  text.normalize('NFKC').replace(/\p{Nd}/gu, (digit) => String(worthOf(digit)))

/** In every script the digits are consecutive, beginning with its zero. */
function worthOf(digit: string): number {
  const point = digit.codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(point - value - 1))) value++
  return value
}
