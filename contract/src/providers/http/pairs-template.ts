/** `name=value` pairs of a query or a form, whose values are templates. */
import { namesValue, type Parsed, parseTemplate, type Template } from './template.ts'

export type PairsTemplate = readonly (readonly [name: string, value: Template])[]

const maxPairs = 100

/** Takes a query, or one pair on each line. Text is decoded as in a query: `+` and `%20` are spaces. */
export function parsePairs(text: string): Parsed<PairsTemplate> {
  const pairs: [string, Template][] = []
  for (const part of text.split(/[&\r\n]+/)) {
    const pair = part.trim()
    if (pair === '') continue
    const [name = '', value] = halves(pair)
    if (name === '') return { problem: 'has a field without a name' }
    if (namesValue(name)) return { problem: 'has a value in the name of a field' }
    const template = parseTemplate(value)
    if ('problem' in template) return template
    pairs.push([name, template.result])
  }
  return pairs.length > maxPairs ? { problem: `has more than ${maxPairs} fields` } : { result: pairs }
}

function halves(pair: string): [string, string] {
  const at = pair.indexOf('=')
  return at === -1 ? [decode(pair), ''] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))]
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}
