/** Whatever a value contains, it is read back unchanged from its place, and nothing around it changes. */
import assert from 'node:assert/strict'
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
import { outgoing } from './support.ts'

const rounds = 3_000
/** Characters with a special meaning in some format, and characters that are hard to write in any. */
const bits = [
  ...'"\'`<>&;=?#%/\\:@+ ,.{}[]()$!*|~^\t\r\n\0\v\u001f\u007f\u0085',
  ...['\u2028', '\u2029', '\ufeff', '\ufffe', '\uffff', 'é', 'ß', '漢', '😀', '\ud800', '\udc00'],
  ...[
    '\r\n',
    '%0d%0a',
    '%2e%2e',
    '..',
    '{to}',
    '{text}',
    '{{',
    ']]>',
    '-->',
    '<!--',
    '&lt;',
    '&#0;',
    '\\u0000',
  ],
  ...['","x":"', '</a><b>', '" c="', '&x=y', '?x=y', '#x', 'a', 'Z', '0', '123456'],
]

/** The same texts on every run. */
function* texts(): Generator<string> {
  const next = drawFrom(20_261_115)
  yield* bits
  for (let round = 0; round < rounds; round++) {
    yield Array.from({ length: 1 + next(11) }, () => bits[next(bits.length)]).join('')
  }
}

/** Half a surrogate pair is not valid text, and becomes the replacement character. */
const wellFormed = (text: string) => Buffer.from(text).toString()

const valuesWith = (text: string): Values =>
  valuesOf(gatewayOf({ from: text || 'x', account: 'acc' }), outgoing({ text, deliveryId: text }), text)

function good<Result>(parsed: Parsed<Result>): Result {
  assert.ok('result' in parsed, JSON.stringify(parsed))
  return parsed.result
}

describe('a value cannot break out of its place', () => {
  it('in a query and a form', () => {
    const query = good(parsePath('/a?first={account}&text={text}&last=a {text} b'))
    const form = good(parsePairs('first={account}&text={text}&last=a {text} b'))
    for (const text of texts()) {
      const values = valuesWith(text)
      const expected = [
        ['first', 'acc'],
        ['text', wellFormed(text)],
        ['last', `a ${wellFormed(text)} b`],
      ]
      const url = new URL(`https://g.example${renderPath(query, values)}`)
      assert.deepEqual([...url.searchParams], expected, JSON.stringify(text))
      assert.equal(`${url.origin}${url.pathname}${url.hash}`, 'https://g.example/a')
      assert.deepEqual([...new URLSearchParams(renderForm(form, values))], expected)
    }
  })

  it('in a path, where the address keeps its host and its other parts', () => {
    const path = good(parsePath('/v1/{text}/send/a{text}b'))
    let refused = 0
    for (const text of texts()) {
      const rendered = renderPath(path, valuesWith(text))
      if (rendered === null) {
        refused++
        assert.match(text, /^(\.|%2e){1,2}$/i)
        continue
      }
      const url = new URL(`https://g.example${rendered}`)
      assert.equal(url.host, 'g.example')
      assert.equal(url.search + url.hash, '')
      assert.deepEqual(url.pathname.split('/').map(decodeURIComponent), [
        '',
        'v1',
        wellFormed(text),
        'send',
        `a${wellFormed(text)}b`,
      ])
    }
    assert.ok(refused > 0)
  })

  it('in a header, which stays one line of ASCII', () => {
    const template = good(parseHeader('a {text} b'))
    for (const text of texts()) {
      const value = renderHeader(template, valuesWith(text))
      assert.match(value, /^[\x20-\x7e]*$/)
      assert.ok(value.startsWith('a ') && value.endsWith(' b'))
      // The platform refuses values that are not allowed in a header.
      assert.doesNotThrow(() => new Headers({ 'x-a': value }))
    }
  })

  it('in JSON', () => {
    const template = good(
      parseJsonTemplate('{"a": "{account}", "b": ["x {text} y", {ttl_s}], "c": {"d": "{text}"}}'),
    )
    for (const text of texts()) {
      assert.deepEqual(JSON.parse(renderJson(template, valuesWith(text))), {
        a: 'acc',
        b: [`x ${wellFormed(text)} y`, 600],
        c: { d: wellFormed(text) },
      })
    }
  })

  it('in XML, in text and in attributes', () => {
    const template = good(parseXml('<m a="{text}" b=\'{account}\'><t>{text}</t><u>{account}</u></m>'))
    const shape = /^<m a="([^"<]*)" b='acc'><t>([^<]*)<\/t><u>acc<\/u><\/m>$/
    for (const text of texts()) {
      const rendered = renderXml(template, valuesWith(text))
      const [, attribute, element] = shape.exec(rendered) ?? assert.fail(rendered)
      assert.equal(attribute, element)
      assert.equal(readXml(element ?? ''), withoutControls(wellFormed(text)))
    }
  })
})

/** The text as an XML parser reads it: every `&` must begin an entity, and no character may be forbidden in XML. */
function readXml(text: string): string {
  assert.doesNotMatch(
    text.replaceAll(/&(?:amp|lt|gt|quot|apos|#9|#10|#13);/g, ''),
    /[&<>"'\p{Cc}\ufffe\uffff]/u,
  )
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
  return text.replaceAll(/&(#?)(\w+);/g, (_, number, name) =>
    number ? String.fromCharCode(Number(name)) : (entities[name] ?? assert.fail(name)),
  )
}

const withoutControls = (text: string) =>
  text.replaceAll(/[\p{Cc}\ufffe\uffff]/gu, (character) =>
    '\t\r\n'.includes(character) ? character : '\ufffd',
  )
