/**
 * Fills values into templates. Each kind of place has its own escaping, so that a value stays inside it whatever it
 * contains: text is never concatenated and parsed again.
 */
import type { JsonTemplate, PairsTemplate, PathTemplate, Template } from '@countersign/contract'
import type { Values } from './values.ts'

function fill(template: Template, values: Values, spell: (value: string) => string): string {
  return template.map((piece) => (typeof piece === 'string' ? piece : spell(values[piece.value]))).join('')
}

/** A field that consists of a single value is left out if that value is empty, such as a sender that nobody has set. */
function isLeftOut([piece, ...others]: Template, values: Values): boolean {
  return others.length === 0 && typeof piece === 'object' && values[piece.value] === ''
}

const asItIs = (value: string) => value

/** Null if a value would become a dot segment of the path (`.` or `..`), which no escaping prevents. */
export function renderPath({ segments, query }: PathTemplate, values: Values): string | null {
  const rendered = segments.map((segment) => fill(segment, values, encodeURIComponent))
  if (rendered.some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) return null
  const path = rendered.map((segment) => `/${segment}`).join('')
  const search = renderQuery(query, values)
  return search === '' ? path : `${path}?${search}`
}

const filled = (pairs: PairsTemplate, values: Values) =>
  pairs
    .filter(([, value]) => !isLeftOut(value, values))
    .map(([name, value]): [string, string] => [name, fill(value, values, asItIs)])

function renderQuery(pairs: PairsTemplate, values: Values): string {
  return filled(pairs, values)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
}

export const renderForm = (pairs: PairsTemplate, values: Values): string =>
  new URLSearchParams(filled(pairs, values)).toString()

export const renderJson = (template: JsonTemplate, values: Values): string =>
  JSON.stringify(jsonOf(template, values))

function jsonOf(template: JsonTemplate, values: Values): unknown {
  switch (template.kind) {
    case 'fixed':
      return template.value
    case 'text':
      return fill(template.template, values, asItIs)
    case 'bare':
      return numberOrFlag(values[template.value])
    case 'list':
      return template.items.map((item) => jsonOf(item, values))
    case 'object':
      return Object.fromEntries(
        template.fields
          .filter(([, field]) => field.kind !== 'text' || !isLeftOut(field.template, values))
          .map(([name, field]) => [name, jsonOf(field, values)]),
      )
  }
}

/** At most 15 digits, so that every number is exact. */
function numberOrFlag(value: string): string | number | boolean {
  if (value === 'true' || value === 'false') return value === 'true'
  return /^\d{1,15}$/.test(value) ? Number(value) : value
}

export const renderXml = (template: Template, values: Values): string => fill(template, values, escapeXml)

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}
/** XML 1.0 cannot express most control characters. */
const noCharacter = '\ufffd'

const escapeXml = (value: string) =>
  value.replace(/[&<>"'\p{Cc}\ufffe\uffff]/gu, (character) => entities[character] ?? noCharacter)

/** Headers are ASCII without line breaks; other characters are percent-encoded, such as `%0A`. */
export const renderHeader = (template: Template, values: Values): string =>
  fill(template, values, (value) => value.replace(/[^\x20-\x7e]+/g, encodeURIComponent))
