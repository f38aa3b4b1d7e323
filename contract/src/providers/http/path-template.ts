/** What follows the address of a gateway: a path and a query, which may both contain values. */
import { type PairsTemplate, parsePairs } from './pairs-template.ts'
import { allOf, type Parsed, parseTemplate, type Template } from './template.ts'

export interface PathTemplate {
  /** The parts between slashes. */
  readonly segments: readonly Template[]
  readonly query: PairsTemplate
}

// RFC 3986 §3.3: what a path may hold without being escaped, and escapes.
const LITERAL = /^[A-Za-z0-9\-._~!$&'()*+,;=:@%]*$/

export function parsePath(text: string): Parsed<PathTemplate> {
  if (text.includes('#')) return { problem: 'must not contain #' }
  const at = text.indexOf('?')
  const [path, search] = at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
  if (path !== '' && !path.startsWith('/')) return { problem: 'must begin with / or ?' }
  const segments = allOf((path === '' ? [] : path.slice(1).split('/')).map(parseSegment))
  if ('problem' in segments) return segments
  const query = parsePairs(search)
  return 'problem' in query ? query : { result: { segments: segments.result, query: query.result } }
}

function parseSegment(text: string): Parsed<Template> {
  if (text === '.' || text === '..') return { problem: 'must not step up or stay: no . and ..' }
  const template = parseTemplate(text)
  if ('problem' in template) return template
  const isPlain = template.result.every((piece) => typeof piece !== 'string' || LITERAL.test(piece))
  return isPlain
    ? template
    : { problem: 'has a character that a path cannot hold; write it as %20 and the like' }
}
