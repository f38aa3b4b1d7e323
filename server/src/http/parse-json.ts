import { AppError, unknownField } from '@countersign/contract'
import { validationError } from '../domain/answers/index.ts'

export function parseJson(text: unknown): unknown {
  if (Buffer.isBuffer(text))
    throw new AppError('ValidationError', 'The body is not UTF-8.', {
      fields: [{ path: '', message: 'is not UTF-8' }],
    })
  if (typeof text !== 'string' || text === '') throw validationError([{ path: '', message: 'must be JSON' }])
  try {
    return assertPlain(JSON.parse(text, suspicious.test(text) ? refuseUnwritable : undefined), text)
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('ValidationError', 'The body is not JSON.', {
      fields: [{ path: '', message: 'is not JSON' }],
    })
  }
}

/** More than a price list for every country has. Bounded: reporting a wrong value takes far longer than reading it. */
const mostValues = 2_000

/** Refuses a field that is written twice: a proxy or a log in front of the service may have read the other value. */
function assertPlain(body: unknown, text: string): unknown {
  const open: unknown[] = [body]
  let fields = 0
  for (let count = 0; open.length > 0; count++) {
    if (count + open.length > mostValues)
      throw validationError([{ path: '', message: `has more than ${mostValues} values in it` }])
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    const values = Object.values(next)
    if (!Array.isArray(next)) fields += values.length
    for (const value of values) open.push(value)
  }
  if (fields < fieldsWritten(text))
    throw validationError([{ path: fieldWrittenTwice(text), message: 'is written twice' }])
  return body
}

const [quote, colon, backslash] = [34, 58, 92]

/** In JSON every field name is followed by a colon, and other colons are only inside strings. */
function fieldsWritten(text: string): number {
  let isInText = false
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === backslash) at++
    else if (character === quote) isInText = !isInText
    else if (character === colon && !isInText) count++
  }
  return count
}

/** Finds the name, which takes longer than counting. The path leaves out positions in lists. */
function fieldWrittenTwice(text: string): string {
  const open: { readonly names: Set<string>; name: string }[] = []
  let [isInText, string, start] = [false, '', 0]
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    const object = open.at(-1)
    if (character === '\\') at++
    else if (character === '"') {
      if (isInText) string = text.slice(start, at + 1)
      else start = at
      isInText = !isInText
    } else if (isInText) continue
    else if (character === '{') open.push({ names: new Set(), name: '' })
    else if (character === '}') open.pop()
    else if (character === ':' && object) {
      object.name = JSON.parse(string)
      if (object.names.has(object.name)) break
      object.names.add(object.name)
    }
  }
  return open.map(({ name }) => name).join('.')
}

/**
 * Only text with one of these needs a closer look: half a character can only be written as an escape. Checking each
 * value of every body would cost far more.
 */
const suspicious = /\\u|__proto__/
/** Half a character (a lone surrogate), which no database and no message can hold. */
const half = /\p{Cs}/u

/** `__proto__` is refused because schemas of records ignore it, and no field has that name. */
function refuseUnwritable(key: string, value: unknown): unknown {
  if (key === '__proto__' || half.test(key)) {
    throw validationError([{ path: key.replaceAll(/\p{Cs}/gu, '�'), message: unknownField }])
  }
  // A recipient with half a character is refused later, like any other wrong recipient.
  if (typeof value === 'string' && key !== 'recipient' && half.test(value)) {
    throw validationError([{ path: key, message: 'has half a character in it' }])
  }
  return value
}
