/** What can be wrong with a template, one rule each. Every message says what to do next. */
export interface Problem {
  readonly level: 'error' | 'warning'
  /** The field that the problem is about: `text`, `subject`, `html` or `locale`. */
  readonly path: string
  readonly message: string
}

type Rule = (path: string, template: string) => Problem[]

const doubledPlaceholder = /\{\{\s*\w+\s*\}\}/g
const knownPlaceholders = /\{(?:code|app|minutes)\}/g
// Before a dot only the last character is matched, so that names with many dashes do not slow the match down.
const urlLike = [
  /\bhttps?:\/\//i,
  /\bwww\./i,
  /[a-z0-9-]\.[a-z]{2,}\/\S/i,
  /[a-z0-9-]\.(?:app|co|com|io|link|ly|me|net|org)\b/i,
]

/** The most mistakes that are listed. */
const mostNamed = 20
const longestNamed = 60

export const notEmpty: Rule = (path, template) =>
  template.trim() === '' ? [error(path, 'This is empty: write a text that contains {code}.')] : []

export const containsCode: Rule = (path, template) =>
  template.includes('{code}')
    ? []
    : [error(path, 'The code is missing: put {code} where the digits should stand.')]

/** In text any brace that is left is a mistake; in HTML braces are also CSS, so only those around a name are. */
export const onlyKnownPlaceholders: Rule = (path, template) => {
  const doubled = template.match(doubledPlaceholder) ?? []
  const rest = template.replace(doubledPlaceholder, ' ').replace(knownPlaceholders, ' ')
  const unknown = rest.match(path === 'html' ? /\{\s*\w+\s*\}/g : /\{[^{}]*\}|[{}]/g) ?? []
  const names = new Set([...doubled, ...unknown].map((name) => name.slice(0, longestNamed)))
  return [...names]
    .slice(0, mostNamed)
    .map((name) =>
      error(path, `${name} is no placeholder: use {code}, {app} or {minutes}, or remove the braces.`),
    )
}

/** Line breaks are allowed except in a subject, where they would start another header. */
export const noControlCharacters: Rule = (path, template) => {
  const allowed = { subject: '', html: '\n\r\t' }[path] ?? '\n'
  const found = [...template.matchAll(/\p{Cc}/gu)].map(([character]) => character)
  return [...new Set(found)]
    .filter((character) => !allowed.includes(character))
    .map((character) => error(path, `Remove the control character ${codePoint(character)}.`))
}

export const atMost =
  (maxCharacters: number): Rule =>
  (path, template) =>
    template.length > maxCharacters
      ? [error(path, `Shorten this to ${maxCharacters} characters: it has ${template.length}.`)]
      : []

export const noUrl: Rule = (path, template) =>
  urlLike.some((pattern) => pattern.test(template))
    ? [
        warning(
          path,
          'Remove the web address: carriers filter messages with a code and a link, because fraudsters send them.',
        ),
      ]
    : []

export const noCodeInSubject: Rule = (path, template) =>
  template.includes('{code}')
    ? [warning(path, 'Move {code} to the text: subjects are logged by every mail server on the way.')]
    : []

export function error(path: string, message: string): Problem {
  return { level: 'error', path, message }
}

export function warning(path: string, message: string): Problem {
  return { level: 'warning', path, message }
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
