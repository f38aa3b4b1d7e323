/** A header's value, in which values may stand. */
import { type Parsed, parseTemplate, type Template } from './template.ts'

// RFC 9110 §5.5, without what is obsolete there.
const LITERAL = /^[\x20-\x7e\t]*$/
/** These say how the request itself is read, and are made by the service. */
const madeHere: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/

export const isHeaderTaken = (name: string): boolean => madeHere.has(name.toLowerCase())

export function parseHeader(text: string): Parsed<Template> {
  if (!LITERAL.test(text)) return { problem: 'has characters that a header cannot hold' }
  return parseTemplate(text)
}
