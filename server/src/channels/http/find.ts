/** Finds the value at a given point of an answer or a callback. */
import type { FoundAt } from '@countersign/contract'
import { parseJsonWithIds } from '../http-outcome.ts'

export interface ParsedAnswer {
  /** The parsed body: JSON, or the fields of a form. */
  readonly value: unknown
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
}

/** How much of a text is searched. */
const MAX_SEARCHED_LENGTH = 8_192
const MAX_FORM_BYTES = 65_536

export function parseAnswer(
  body: Buffer,
  headers: Readonly<Record<string, string>>,
  query: Readonly<Record<string, string>> = {},
): ParsedAnswer {
  return { value: bodyOf(body, headers), text: textOf(body), headers, query }
}

const textOf = (body: Buffer) => body.subarray(0, MAX_SEARCHED_LENGTH).toString('utf8')

function bodyOf(body: Buffer, headers: Readonly<Record<string, string>>): unknown {
  if (!(headers['content-type'] ?? '').toLowerCase().startsWith('application/x-www-form-urlencoded'))
    return parseJsonWithIds(body)
  if (body.length > MAX_FORM_BYTES) return undefined
  return Object.fromEntries(new URLSearchParams(body.toString('utf8')))
}

/** The first of `several` that has a value decides. */
export function findFirst(several: readonly FoundAt[], parsed: ParsedAnswer): string | null {
  for (const foundAt of several) {
    const found = findAt(foundAt, parsed)
    if (found !== null && found !== '') return found
  }
  return null
}

function findAt(foundAt: FoundAt, parsed: ParsedAnswer): string | null {
  switch (foundAt.kind) {
    case 'pointer':
      return wordOf(valueAt(foundAt.steps, parsed.value))
    case 'query':
      return ownWord(parsed.query, foundAt.name)
    case 'header':
      return ownWord(parsed.headers, foundAt.name)
    case 'between':
      return between(foundAt, parsed.text)
  }
}

/** Only own properties count: every object has a `constructor` that nobody sent. */
const ownWord = (words: Readonly<Record<string, string>>, name: string) =>
  Object.hasOwn(words, name) ? wordOf(words[name]) : null

export function valueAt(steps: readonly string[], value: unknown): unknown {
  let at = value
  for (const step of steps) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = Reflect.get(at, step)
  }
  return at
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : null
}

function between({ before, after }: Extract<FoundAt, { kind: 'between' }>, text: string): string | null {
  const found = text.indexOf(before)
  if (found === -1) return null
  const rest = text.slice(found + before.length)
  if (after === '') return /^\S*/.exec(rest)?.[0] ?? null
  const end = rest.indexOf(after)
  return end === -1 ? null : rest.slice(0, end).trim()
}
