/**
 * Any text as a template: either it is refused, or a hostile value gives the same structure as a harmless one when
 * another parser reads it. Templates are good ones with pieces inserted, removed and replaced.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import {
  type Parsed,
  parseHeader,
  parseJsonTemplate,
  parsePairs,
  parsePath,
  parseXml,
} from '@countersign/contract'
import {
  renderForm,
  renderHeader,
  renderJson,
  renderPath,
  renderXml,
} from '../../src/channels/http/render.ts'
import { gatewayOf } from '../../src/channels/http/settings.ts'
import { type Values, valuesOf } from '../../src/channels/http/values.ts'
import { drawFrom } from '../harness/random.ts'
import { open } from './http-support.ts'
import { generousDeadline, listen, outgoing } from './support.ts'

const rounds = 2_000
const pieces = [
  ...'"\'<>&;=?#%/\\:{}[],.! \n\r\0',
  ...['{to}', '{text}', '{from}', '{ttl_s}', '{to_digits}', '{unicode}', '{{', '{', '}', '{who}', '{text'],
  ...[
    '<a>',
    '</a>',
    '<b/>',
    '<b c="{text}"/>',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?x',
    '?>',
    '<!DOCTYPE a>',
  ],
  ...['&amp;', '&lt', '&#10;', '&x;', ' d="', " d='", '"{text}"', '\\"', '\\u0000', '\\\\', '":"', ',"k":'],
  ...['&x={text}', '=', '%0d%0a', '%2e%2e', '/../', '/{text}/', '\r\nX-A: b', '#{text}', '//', '@'],
]
const hostile = [
  '","x":"y',
  '\\',
  '</a><b>',
  '" onload="',
  "' x='",
  ']]><x/>',
  '&x=y#z?a/../b',
  '\r\nX-A: b\r\n\r\nGET / HTTP/1.1',
  '\0',
  '../',
  '%0a',
  '{to}',
]

const seeds = {
  json: [
    '{"a": "{text}", "b": [{ttl_s}, "x {to} y"], "c": {"d": null}}',
    '["{text}", {unicode}]',
    '"{text}"',
  ],
  xml: ['<m a="{text}" b=\'{to}\'><t>{text}</t><u/></m>', '<?xml version="1.0"?><m>{text}</m>'],
  form: ['a={text}&b=c {to}&d', 'a={text}\nb={from}'],
  path: ['/v1/{text}/send?a={text}&b={to}', '/{to}', '?a={text}'],
  header: ['a {text} b', '{text}'],
} as const

/** The same templates on every run. */
function* templates(seed: readonly string[]): Generator<string> {
  const next = drawFrom(42)
  yield* seed
  for (let round = 0; round < rounds; round++) {
    let text = seed[next(seed.length)] ?? ''
    for (let change = 1 + next(3); change > 0; change--) {
      const at = next(text.length + 1)
      text = text.slice(0, at) + (next(4) > 0 ? pieces[next(pieces.length)] : '') + text.slice(at + next(3))
    }
    yield text
  }
}

/** With a digit, because an empty value would be left out. */
function valuesWith(given: string): Values {
  const text = `${given}1`
  return valuesOf(
    gatewayOf({ from: text, user: text, account: text }),
    outgoing({ text, recipient: text }),
    text,
  )
}
const harmless = valuesWith('a')
const hostileValues = hostile.map((text) => ({ text, values: valuesWith(text) }))

/** The structure of a rendered text as a parser sees it, with each value replaced by its kind. */
type Shape = (rendered: string) => unknown

/** Enough templates must be accepted, and each must keep its shape with every hostile value. */
function keepsItsShape<Template>(
  seed: readonly string[],
  parse: (text: string) => Parsed<Template>,
  render: (template: Template, values: Values) => string | null,
  shapeOf: Shape,
): void {
  let taken = 0
  for (const text of templates(seed)) {
    const parsed = parse(text)
    if ('problem' in parsed) continue
    taken++
    const plain = render(parsed.result, harmless)
    if (plain === null) continue
    const expected = shapeOf(plain)
    for (const { text: value, values } of hostileValues) {
      const rendered = render(parsed.result, values)
      if (rendered !== null) assert.deepEqual(shapeOf(rendered), expected, JSON.stringify({ text, value }))
    }
  }
  assert.ok(taken > rounds / 20, `${taken} templates were taken`)
}

const kindsIn = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(kindsIn)
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value
  return Object.entries(value).map(([name, field]) => [name, kindsIn(field)])
}

const TAG = /^<(\/?)([A-Za-z_][\w.:-]*)((?:\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/
const TEXT = /^(?:[^<&]|&(?:amp|lt|gt|quot|apos|#\d+|#x[\dA-Fa-f]+);)+/

/** The tags and the names of their attributes; fails if the document is not well-formed XML. */
function tagsOf(document: string): string[] {
  const tags: string[] = []
  let rest = document.replace(/^<\?xml\s[^?]*\?>/i, '')
  while (rest !== '') {
    const [whole, close, name, attributes = '', empty] = TAG.exec(rest) ?? []
    if (whole === undefined) {
      const [words] = TEXT.exec(rest) ?? assert.fail(`no XML at ${JSON.stringify(rest)} of ${document}`)
      rest = rest.slice(words.length)
      continue
    }
    const names = [...attributes.matchAll(/([\w.:-]+)\s*=\s*(?:"[^"]*"|'[^']*')/g)].map(([, one]) => one)
    tags.push(`${close}${name} ${names.join(' ')}${empty}`)
    rest = rest.slice(whole.length)
  }
  return tags
}

describe('a template that is taken keeps its shape whatever is put into it', () => {
  it('JSON', () =>
    keepsItsShape(seeds.json, parseJsonTemplate, renderJson, (text) => kindsIn(JSON.parse(text))))
  it('XML', () => keepsItsShape(seeds.xml, parseXml, renderXml, tagsOf))
  it('a form', () =>
    keepsItsShape(seeds.form, parsePairs, renderForm, (text) => [...new URLSearchParams(text).keys()]))
  it('a path with its query', () =>
    keepsItsShape(seeds.path, parsePath, renderPath, (text) => {
      const url = new URL(`https://g.example${text}`)
      return [url.host, url.hash, url.pathname.split('/').length, [...url.searchParams.keys()]]
    }))
  it('a header', () =>
    keepsItsShape(seeds.header, parseHeader, renderHeader, (text) => /^[\x20-\x7e\t]*$/.test(text) || text))
})

it('on the wire, line ends in every value are one request with the headers that were asked for', async (test) => {
  const heard: string[] = []
  const server = createServer((socket) => {
    socket.on('data', (chunk) => {
      heard.push(chunk.toString('latin1'))
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    })
    socket.on('error', () => {})
  })
  const port = await listen(test, server)
  const split = 'a\r\nX-Split: b\r\n\r\nGET /split HTTP/1.1\r\n\r\n'
  for (const given of [
    { body_type: 'form', body: 'a={text}&b={from}' },
    { body: '{"a": "{text}"}' },
    { body_type: 'xml', body: '<a b="{text}">{from}</a>' },
    { method: 'GET' },
  ]) {
    heard.length = 0
    const account = open(test, {
      base_url: `http://127.0.0.1:${port}`,
      path: '/{text}?q={from}',
      headers: { 'X-Asked': '{text} {from}' },
      from: 'Shop',
      ...given,
    })
    await account.send(outgoing({ text: split, deliveryId: split }), generousDeadline())
    const [head = ''] = heard.join('').split('\r\n\r\n')
    const names = head.split('\r\n').map((line) => line.split(':')[0]?.toLowerCase())
    assert.ok(names.includes('x-asked') && !names.includes('x-split'), head)
    assert.equal(heard.join('').match(/HTTP\/1\.1\r\n/g)?.length, 1, heard.join(''))
  }
})
