/** Turns what people and devices write into what the service takes. The service judges what cannot be read. */

/** Blanks, and the marks that people put between digits. */
const separators = /[\s().\-\u2010-\u2015/]/g
/** Marks that nobody sees, such as those for the direction of a text, come along with what is copied. */
const unseen = /\p{Cf}/gu

/** `+44 (0) 7400` stays wrong: which digits to leave out is not for us to guess. */
export function recipientOf(written: string): string {
  const trimmed = withoutEnds(written)
  if (trimmed.includes('@')) return trimmed
  const digits = inAscii(trimmed).replace(separators, '')
  return /^\+\d+$/.test(digits) ? digits : trimmed
}

/** `en_US.UTF-8@posix` is `en-US`; for a text that names no language (`C`, `POSIX`) the app's default applies. */
export function localeOf(written: string | undefined): string | undefined {
  const [tag = ''] = (written ?? '').trim().split(/[.@]/)
  const language = tag.replaceAll('_', '-')
  return /^[a-z]{2,3}(?:-[a-z0-9]{1,8})*$/i.test(language) ? language : undefined
}

/** A code as people type it: with spaces or dashes, in the digits of their own script. */
export const digitsOf = (code: string): string => inAscii(code).replace(/[\s\-\u2010-\u2015]/g, '')

/**
 * The code of this length in what was typed, pasted or filled in, which may be a whole message. If there is none, all
 * digits in it, up to this length.
 */
export function codeIn(text: string, length: number): string {
  const plain = inAscii(text)
  const isWhole = (digits: string) => digits.length === length
  const runs = plain.match(/\d+/g) ?? []
  const groups = (plain.match(/\d+(?:[\s\-\u2010-\u2015]\d+)+/g) ?? []).map((group) =>
    group.replace(/\D/g, ''),
  )
  return runs.find(isWhole) ?? groups.find(isWhole) ?? runs.join('').slice(0, length)
}

/** Inside an address such marks may belong to it. */
const withoutEnds = (text: string) => /^[\s\p{Cf}]*(.*[^\s\p{Cf}])?/su.exec(text)?.[1] ?? ''

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
