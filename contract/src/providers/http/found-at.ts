/**
 * Where something is in an answer or a callback:
 * `/messages/0/id` is a JSON pointer (RFC 6901) into the body, where a form counts as an object;
 * `?name` is a parameter of the address, `header:name` a header;
 * `<id>{}</id>` is the text between two texts, and `OK {}` the word after one.
 */
import type { Parsed } from './template.ts'

export type FoundAt =
  | { readonly kind: 'pointer'; readonly steps: readonly string[] }
  | { readonly kind: 'query'; readonly name: string }
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'between'; readonly before: string; readonly after: string }

const HEADER = 'header:'

export function parseFoundAt(text: string): Parsed<FoundAt> {
  if (text.startsWith('/')) return parsePointer(text)
  if (text.startsWith('?') && text.length > 1) return { result: { kind: 'query', name: text.slice(1) } }
  if (text.startsWith(HEADER) && text.length > HEADER.length)
    return { result: { kind: 'header', name: text.slice(HEADER.length).toLowerCase() } }
  const [before, after, ...more] = text.split('{}')
  if (!before || after === undefined || more.length > 0)
    return { problem: 'is /a/pointer, ?parameter, header:name, or a text with {} in it, such as <id>{}</id>' }
  return { result: { kind: 'between', before, after } }
}

/** An empty text is the whole document; any other pointer is `/` and names. */
export function parsePointer(text: string): Parsed<Extract<FoundAt, { kind: 'pointer' }>> {
  if (text !== '' && !text.startsWith('/')) return { problem: 'is a JSON pointer, such as /results' }
  const steps = text.split('/').slice(1)
  if (steps.some((step) => /~(?![01])/.test(step))) return { problem: 'has a ~ that is neither ~0 nor ~1' }
  return {
    result: {
      kind: 'pointer',
      steps: steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
    },
  }
}
