/** What people and devices write, as the service takes it. What cannot be read is left as it is, for the service to judge. */

/** Blanks of every kind, and what is put between digits to read them better. */
const separators = /[\s\u200b-\u200f\u2060\ufeff().\-\u2010-\u2015/]/g

/** `+44 (0) 7400` stays wrong: which digits to leave out is not for us to guess. */
export function recipientOf(written: string): string {
  const trimmed = written.trim()
  if (trimmed.includes('@')) return trimmed
  const digits = trimmed.replace(separators, '')
  return /^\+\d+$/.test(digits) ? digits : trimmed
}

/** `en_US.UTF-8@posix` is `en-US`; what names no language (`C`, `POSIX`) is left to the app. */
export function localeOf(written: string | undefined): string | undefined {
  const [tag = ''] = (written ?? '').trim().split(/[.@]/)
  const language = tag.replaceAll('_', '-')
  return /^[a-z]{2,3}(?:-[a-z0-9]{1,8})*$/i.test(language) ? language : undefined
}
