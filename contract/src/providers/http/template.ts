/** Texts with named values, such as `Code for {to}`: the text and the values are kept apart. */

/** The values that a template may name. */
const valueNames = [
  'to',
  'to_digits',
  'from',
  'text',
  'code',
  'ttl_s',
  'ttl_ms',
  'ttl_min',
  'expires_at',
  'delivery_id',
  'callback_url',
  'unicode',
  'user',
  'account',
] as const
export type ValueName = (typeof valueNames)[number]

/** Plain text, or the name of a value. */
type Piece = string | { readonly value: ValueName }
export type Template = readonly Piece[]

export type Parsed<Result> = { readonly result: Result } | { readonly problem: string }

const NAMED = /\{\{|\{([a-z_]{1,20})\}/g
const isValueName = (name: string): name is ValueName => valueNames.some((known) => known === name)
const unknownValue = (name: string) =>
  `has {${name}}, which is no value; there are ${valueNames.map((known) => `{${known}}`).join(', ')}`

/** `{{` stands for a brace. */
export function parseTemplate(text: string): Parsed<Template> {
  const pieces: Piece[] = []
  let end = 0
  for (const match of text.matchAll(NAMED)) {
    const name = match[1]
    if (match.index > end) pieces.push(text.slice(end, match.index))
    end = match.index + match[0].length
    if (name === undefined) pieces.push('{')
    else if (isValueName(name)) pieces.push({ value: name })
    else return { problem: unknownValue(name) }
  }
  if (end < text.length) pieces.push(text.slice(end))
  return { result: pieces }
}

/** All results, or the first problem. */
export function allOf<Result>(parsed: readonly Parsed<Result>[]): Parsed<readonly Result[]> {
  const results: Result[] = []
  for (const one of parsed) {
    if ('problem' in one) return one
    results.push(one.result)
  }
  return { result: results }
}

export const namesValue = (text: string): boolean => text.search(NAMED) !== -1
