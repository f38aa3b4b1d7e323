import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseFoundAt } from './found-at.ts'
import { parseHeader } from './header-template.ts'
import { parseJsonTemplate } from './json-template.ts'
import { parsePairs } from './pairs-template.ts'
import { parsePath } from './path-template.ts'
import { httpSettings } from './settings.ts'
import { type Parsed, parseTemplate } from './template.ts'
import { parseXml } from './xml-template.ts'

type Parser = (text: string) => Parsed<unknown>

/** For each kind of template: texts that it accepts, and texts that it refuses. */
const places: Readonly<Record<string, { parse: Parser; good: readonly string[]; bad: readonly string[] }>> = {
  text: {
    parse: parseTemplate,
    good: ['', 'a {to} b', '{{to}', '{ to }', '{}'],
    bad: ['{recipient}', '{to}{nobody}'],
  },
  path: {
    parse: parsePath,
    good: ['', '/', '/a/{to}/b', '?a={text}', '/a?b=c&d={to}', '/a%20b', '/{account}/x'],
    bad: ['a', '/a#b', '/../a', '/./a', '/a b', '/a\\b', '/{who}', '?a={who}', '?{to}=a', '/ü'],
  },
  query: {
    parse: parsePairs,
    good: ['a=b', 'a={to}\nb={text}', 'a', 'a=b=c'],
    bad: ['=a', '{to}=a', 'a={who}'],
  },
  header: { parse: parseHeader, good: ['a {to}', ''], bad: ['a\r\nb: c', 'a\nb', 'ü', '{who}'] },
  json: {
    parse: parseJsonTemplate,
    good: [
      '{"to": "{to}"}',
      '{"to": ["{to}"], "ttl": {ttl_s}, "u": {unicode}, "n": {to_digits}}',
      '{"a": "a \\"quoted\\" {text}", "b": null, "c": 1.5, "d": true}',
      '["{to}"]',
      '"{text}"',
      '{"a": {}}',
    ],
    bad: [
      '{"to": {to}}',
      '{"{to}": 1}',
      '{"a": "{who}"}',
      '{',
      '{"a": {who}}',
      '{"a": "\\u0000ttl_s"}',
      '{"a": 12345678901234567890}',
      '"\0"',
      '',
    ],
  },
  xml: {
    parse: parseXml,
    good: [
      '<a>{to}</a>',
      '<?xml version="1.0" encoding="UTF-8"?>\n<a b="{to}" c=\'{text}\'><d/>x &amp; {text}</a>',
      '<a:b xmlns:a="u">{to}</a:b>',
      '<a b="x>y">{to}</a >',
    ],
    bad: [
      '',
      '{to}',
      '<{to}/>',
      '<a {to}="b"/>',
      '<a b={to}/>',
      '<a>{to}</b>',
      '<a>{to}</ a>',
      '<a>{to}',
      '<a/><b/>',
      '<a><!-- {to} --></a>',
      '<a><![CDATA[{to}]]></a>',
      '<!DOCTYPE a [<!ENTITY b "c">]><a>{to}</a>',
      '<?x {to}?><a/>',
      '<?xml version="1.0" encoding="latin1"?><a/>',
      '<?xml {to}?><a/>',
      '<a>{who}</a>',
      '<a b="1" b="2"/>',
      '<a b="1"c="2"/>',
      '<a>a & b</a>',
      '<a b="&x;"/>',
    ],
  },
  place: {
    parse: parseFoundAt,
    good: ['/a/0/b', '/a~1b', '?id', 'header:X-Id', '<id>{}</id>', 'OK {}'],
    bad: ['a', '{}', 'a{}b{}c', '/a~2', '?', 'header:', ''],
  },
}

describe('a template', () => {
  for (const [name, { parse, good, bad }] of Object.entries(places)) {
    it(`of a ${name} is taken where every value in it has a place, and refused where not`, () => {
      for (const text of good) assert.ok('result' in parse(text), `${text}: ${JSON.stringify(parse(text))}`)
      for (const text of bad) assert.ok('problem' in parse(text), text)
    })
  }
})

const gateway = { base_url: 'https://gateway.example', body: '{"to": "{to}"}' }
const problemsOf = (changes: object) =>
  (httpSettings.safeParse({ ...gateway, ...changes }).error?.issues ?? []).map(({ path }) => path.join('.'))
const receipts = {
  receipts: 'path',
  receipt_state_at: ['/s'],
  receipt_states: { a: 'delivered' },
  receipt_id_at: ['/i'],
}

describe('the settings of a gateway', () => {
  it('are judged as a whole: what one of them asks of another', () => {
    assert.deepEqual(problemsOf({}), [])
    const wrong: readonly (readonly [changes: object, named: string[]])[] = [
      [{ base_url: undefined }, ['base_url']],
      [{ base_url: 'https://a.example/?b=c' }, ['base_url']],
      [{ base_url: 'https://a.example/{to}' }, ['base_url']],
      [{ auth: 'basic' }, ['secret', 'user']],
      [{ auth: 'header', secret: 'a' }, ['auth_name']],
      [{ auth: 'header', secret: 'a\r\nb', auth_name: 'x' }, ['secret']],
      [{ auth: 'header', secret: 'a', auth_name: 'Content-Length' }, ['auth_name']],
      [{ auth: 'body', secret: 'a', auth_name: 'k', body_type: 'xml', body: '<a/>' }, ['auth']],
      [{ auth: 'body', secret: 'a', auth_name: 'k', body: '["{to}"]' }, ['body']],
      [{ method: 'GET' }, ['body']],
      [{ body: undefined }, ['body']],
      [{ body: '{"to": "{who}"}' }, ['body']],
      [{ headers: { Host: 'a' } }, ['headers.Host']],
      [{ headers: { Authorization: 'Bearer a' } }, ['headers.Authorization']],
      [{ codes: { 0: 'accepted' } }, ['code_at']],
      [{ code_at: ['status'] }, ['code_at']],
      [{ statuses: { 600: 'retry' } }, ['statuses.600']],
      [{ receipts: 'path' }, ['receipt_state_at', 'receipt_states', 'receipt_id_at']],
      [{ ...receipts, receipts: 'hmac' }, ['receipt_header', 'receipt_secret']],
      [{ ...receipts, receipts: 'addresses' }, ['receipt_addresses']],
      [{ ...receipts, receipts: 'addresses', receipt_addresses: ['gateway.example'] }, ['receipt_addresses']],
    ]
    for (const [changes, named] of wrong)
      assert.deepEqual(problemsOf(changes), named, JSON.stringify(changes))
    assert.deepEqual(problemsOf(receipts), [])
  })
})
