/** The value of a header, which may contain template values. */
import { type Parsed, parseTemplate, type Template } from './template.ts'

// RFC 9110 §5.5, without what is obsolete there.
const LITERAL = /^[\x20-\x7e\t]*$/
/** Headers that control how the request itself is parsed. */
const framing: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** Headers that contain credentials, which would be stored in plain text. */
const credentials: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization'])

export const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/

export const isFraming = (name: string): boolean => framing.has(name.toLowerCase())
export const isHeaderTaken = (name: string): boolean => isFraming(name) || credentials.has(name.toLowerCase())

export function parseHeader(text: string): Parsed<Template> {
  if (!LITERAL.test(text)) return { problem: 'has characters that a header cannot hold' }
  return parseTemplate(text)
}
