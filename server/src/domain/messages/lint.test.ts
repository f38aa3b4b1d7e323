import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LintRequest, lintTemplate } from './lint.ts'
import { getLanguage, shippedLocales } from './locales.ts'

const around = { locale: 'en', appName: 'Acme', codeLength: 6, autofill: null }

function sms(text: string, change: Partial<Omit<LintRequest, 'channel' | 'template'>> = {}) {
  return lintTemplate({ ...around, ...change, channel: 'sms', template: { text } })
}

function email(subject: string, text = '{code}', html?: string) {
  const template = html === undefined ? { subject, text } : { subject, text, html }
  return lintTemplate({ ...around, channel: 'email', template })
}

const short = (result: ReturnType<typeof lintTemplate>) =>
  result.problems.map(({ level, path }) => `${level} ${path}`)

test('a good SMS has no problems, and says what it costs', () => {
  assert.deepEqual(sms('{code} is your {app} code, for {minutes} minutes.'), {
    ok: true,
    encoding: 'gsm7',
    segments: 1,
    units: '012345 is your Acme code, for 10 minutes.'.length,
    problems: [],
  })
})

test('every shipped text passes its own lint', () => {
  for (const locale of shippedLocales) {
    const { codeLine, warning, subject } = getLanguage(locale)
    assert.deepEqual(sms(`${codeLine} ${warning}`, { locale }).problems, [], locale)
    assert.deepEqual(email(subject, codeLine).problems, [], locale)
  }
})

test('a text without the code is an error', () => {
  assert.deepEqual(short(sms('Hello from {app}')), ['error text'])
  assert.deepEqual(short(email('Hello', '{code}', '<p>{app}</p>')), ['error html'])
})

test('an empty text or subject is an error, once', () => {
  assert.deepEqual(short(sms(' \n ')), ['error text'])
  assert.deepEqual(short(email(' ')), ['error subject'])
  assert.deepEqual(short(email('Hello', '{code}', '')), ['error html'])
})

test('a placeholder that will not be replaced is an error that names it', () => {
  for (const slip of ['{name}', '{ code }', '{reference}', '{Code}', '{}', '{{code}}', '{app', 'app}']) {
    const { ok, problems } = sms(`{code} ${slip}`)
    assert.equal(ok, false, slip)
    assert.match(problems[0]?.message ?? '', /[{}]/)
  }
  assert.match(
    sms('{code} {name}').problems[0]?.message ?? '',
    /^\{name\} is no placeholder.*\{code\}, \{app\} or \{minutes\}/,
  )
})

test('braces of CSS are no placeholders', () => {
  assert.deepEqual(email('Hello', '{code}', '<style>p{margin:0}</style>{code}').problems, [])
  assert.deepEqual(short(email('Hello', '{code}', '{{code}} {user}')), ['error html', 'error html'])
})

test('a control character is an error that names it, a line break only in a subject', () => {
  assert.match(sms('{code}\u0007').problems[0]?.message ?? '', /U\+0007/)
  assert.deepEqual(sms('{code}\nfor {app}').problems, [])
  assert.deepEqual(short(email('Hello\nBcc: x')), ['error subject'])
  assert.deepEqual(email('Hello', '{code}', '<p>\r\n\t{code}</p>').problems, [])
})

test('a second segment is a warning, a fourth an error', () => {
  const filled = (units: number) => sms(`{code}${'x'.repeat(units - 6)}`)
  assert.deepEqual(short(filled(160)), [])
  assert.deepEqual(short(filled(161)), ['warning text'])
  assert.equal(filled(161).ok, true)
  assert.match(filled(161).problems[0]?.message ?? '', /2 SMS segments.*Shorten it by 1 to fit 160/)
  assert.deepEqual(short(filled(3 * 153)), ['warning text'])
  assert.deepEqual(short(filled(3 * 153 + 1)), ['error text'])
  assert.equal(filled(3 * 153 + 1).ok, false)
})

test('what is counted is what is sent: the name, a code of full length, the autofill line', () => {
  const { encoding, units } = sms('{app} {code}', {
    appName: 'Añó',
    codeLength: 8,
    autofill: { webDomain: 'example.com', androidHash: 'FA+9qCX9VSu' },
  })
  assert.equal(encoding, 'ucs2')
  assert.equal(units, 'Añó 00000000\n@example.com #00000000 FA+9qCX9VSu'.length)
})

test('one letter outside GSM-7 is named as the reason for a second segment', () => {
  const result = sms(`{code} código ${'x'.repeat(70)}`)
  assert.equal(result.encoding, 'ucs2')
  assert.match(result.problems[0]?.message ?? '', /outside GSM-7/)
})

test('a web address in an SMS is a warning', () => {
  for (const address of ['https://acme.test/x', 'www.acme.test', 'acme.com', 'acme.shop/login']) {
    assert.deepEqual(short(sms(`{code} ${address}`)), ['warning text'], address)
  }
  for (const text of ['{code} is it.Do not share', '{code} e.g. now', '{code}... ok']) {
    assert.deepEqual(short(sms(text)), [], text)
  }
})

test('the code in a subject is a warning', () => {
  assert.deepEqual(short(email('{code} is your code')), ['warning subject'])
})

test('what is longer than a channel carries is an error', () => {
  const text = `{code}${'x'.repeat(4_096)}`
  assert.deepEqual(short(lintTemplate({ ...around, channel: 'whatsapp', template: { text } })), [
    'error text',
  ])
  assert.deepEqual(short(email('x'.repeat(201))), ['error subject'])
  assert.deepEqual(short(email('Hello', '{code}', `{code}${'x'.repeat(100_000)}`)), ['error html'])
})

test('channels other than SMS have no segments', () => {
  const { encoding, segments, units } = email('Hello')
  assert.deepEqual({ encoding, segments, units }, { encoding: null, segments: null, units: null })
})

test('a locale that is no language tag is an error', () => {
  assert.deepEqual(short(sms('{code}', { locale: 'pt_BR' })), ['error locale'])
})
