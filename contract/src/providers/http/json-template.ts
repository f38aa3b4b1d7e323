/** A JSON document whose strings are templates. A number or a flag is a value without quotes: `{"ttl": {ttl_s}}`. */
import { allOf, namesValue, type Parsed, parseTemplate, type Template, type ValueName } from './template.ts'

export type JsonTemplate =
  | { readonly kind: 'fixed'; readonly value: number | boolean | null }
  | { readonly kind: 'text'; readonly template: Template }
  | { readonly kind: 'bare'; readonly value: BareName }
  | { readonly kind: 'list'; readonly items: readonly JsonTemplate[] }
  | { readonly kind: 'object'; readonly fields: readonly (readonly [name: string, JsonTemplate])[] }

/** Values that are, or may be, numbers or flags. */
const bareNames = [
  'to_digits',
  'ttl_s',
  'ttl_ms',
  'ttl_min',
  'unicode',
] as const satisfies readonly ValueName[]
type BareName = (typeof bareNames)[number]

const BARE = /\{([a-z_]{1,20})\}/y
/** JSON text can contain this character only escaped, so nothing that was written is mistaken for it. */
const MARK = '\0'
const maxDepth = 20

export function parseJsonTemplate(text: string): Parsed<JsonTemplate> {
  if (text.includes(MARK) || text.includes('\\u0000')) return { problem: 'must not contain a NUL' }
  const quoted = quoteBare(text)
  if ('problem' in quoted) return quoted
  try {
    return templateOf(JSON.parse(quoted.result), 0)
  } catch {
    return { problem: 'is no JSON once its values are filled in' }
  }
}

/** Turns values outside of strings into strings, since JSON cannot have a bare word in braces. */
function quoteBare(text: string): Parsed<string> {
  let made = ''
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (isInString && character === '\\') {
      made += text.slice(at, at + 2)
      at++
      continue
    }
    if (character === '"') isInString = !isInString
    BARE.lastIndex = at
    const name = !isInString && character === '{' ? BARE.exec(text)?.[1] : undefined
    if (name === undefined) {
      made += character
      continue
    }
    const bare = bareNames.find((known) => known === name)
    if (!bare)
      return { problem: `has {${name}} without quotes; without them there are ${bareNames.join(', ')}` }
    made += `"\\u0000${bare}"`
    at = BARE.lastIndex - 1
  }
  return { result: made }
}

function templateOf(value: unknown, depth: number): Parsed<JsonTemplate> {
  if (depth > maxDepth) return { problem: `is nested more than ${maxDepth} deep` }
  if (typeof value === 'string') return textOf(value)
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    return { problem: 'has a number that is too long to be exact; write it in quotes' }
  if (value === null || typeof value === 'number' || typeof value === 'boolean')
    return { result: { kind: 'fixed', value } }
  if (Array.isArray(value)) {
    const items = allOf(value.map((item) => templateOf(item, depth + 1)))
    return 'problem' in items ? items : { result: { kind: 'list', items: items.result } }
  }
  return objectOf(Object.entries(value ?? {}), depth)
}

function textOf(value: string): Parsed<JsonTemplate> {
  const bare = value.startsWith(MARK) ? bareNames.find((name) => name === value.slice(1)) : undefined
  if (bare) return { result: { kind: 'bare', value: bare } }
  if (value.includes(MARK)) return { problem: 'must not contain a NUL' }
  const template = parseTemplate(value)
  return 'problem' in template ? template : { result: { kind: 'text', template: template.result } }
}

function objectOf(entries: readonly [string, unknown][], depth: number): Parsed<JsonTemplate> {
  const fields: [string, JsonTemplate][] = []
  for (const [name, value] of entries) {
    if (namesValue(name)) return { problem: 'has a value in the name of a field' }
    const field = templateOf(value, depth + 1)
    if ('problem' in field) return field
    fields.push([name, field.result])
  }
  return { result: { kind: 'object', fields } }
}
