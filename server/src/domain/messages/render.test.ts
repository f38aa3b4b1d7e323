import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countSegments } from '../../channels/smpp/gsm7.ts'
import { shippedLocales } from './locales.ts'
import { type MessageRequest, renderLinkText, renderMessage } from './render.ts'

const channels = ['sms', 'whatsapp', 'telegram', 'email'] as const

function render(change: Partial<MessageRequest>) {
  const request: MessageRequest = {
    channel: 'sms',
    locale: 'en',
    appName: 'Acme',
    code: '012345',
    minutes: 10,
    templates: null,
    autofill: null,
    ...change,
  }
  return renderMessage(request)
}

const hash = 'FA+9qCX9VSu'

test('an SMS says the code, whose it is, and to keep it', () => {
  assert.equal(render({}).text, '012345 is your Acme code. Do not share it with anyone.')
})

test('a WhatsApp reply also says how long the code lives, in the right number', () => {
  const line = (locale: string, minutes: number) =>
    render({ channel: 'whatsapp', locale, minutes }).text.split('\n').at(-1)
  assert.equal(line('en', 1), 'Valid for 1 minute.')
  assert.equal(line('en', 10), 'Valid for 10 minutes.')
  assert.equal(line('ru', 1), 'Действует 1 минуту.')
  assert.equal(line('ru', 3), 'Действует 3 минуты.')
  assert.equal(line('ru', 10), 'Действует 10 минут.')
  assert.equal(line('ar', 2), 'صالح لمدة دقيقتين.')
  assert.equal(line('sl', 2), 'Velja 2 minuti.')
})

test('parts of a minute are rounded, and never to zero', () => {
  assert.match(render({ channel: 'whatsapp', minutes: 9.98 }).text, /10 minutes/)
  assert.match(render({ channel: 'whatsapp', minutes: 0.2 }).text, /1 minute\./)
})

test('no text of any locale keeps a brace, and each carries the code as given', () => {
  for (const locale of shippedLocales) {
    for (const channel of channels) {
      const { text, subject } = render({ channel, locale })
      assert.doesNotMatch(text + subject, /[{}]/, `${locale} ${channel}`)
      assert.match(text, /(?<!\d)012345(?!\d)/, `${locale} ${channel}`)
    }
    const link = renderLinkText({ locale, appName: 'Acme', reference: 'AB12-CD34' })
    assert.doesNotMatch(link, /[{}]/, locale)
    assert.match(link, /Acme.* AB12-CD34$/, locale)
  }
})

test('only email has a subject and a page, and the subject does not hold the code', () => {
  for (const channel of ['sms', 'whatsapp', 'telegram'] as const) {
    const { subject, html } = render({ channel })
    assert.deepEqual({ subject, html }, { subject: '', html: '' })
  }
  assert.equal(render({ channel: 'email' }).subject, 'Your Acme verification code')
})

test('a browser finds host and code at the start of the last line', () => {
  const { text } = render({ autofill: { webDomain: 'example.com' } })
  assert.equal(text.split('\n').at(-1), '@example.com #012345')
})

test('Android finds its hash at the very end', () => {
  const { text } = render({ autofill: { androidHash: hash } })
  assert.equal(text.split('\n').at(-1), hash)
})

test('one last line serves the browser and Android together', () => {
  const { text } = render({ autofill: { webDomain: 'example.com', androidHash: hash } })
  assert.equal(text.split('\n').at(-1), `@example.com #012345 ${hash}`)
})

test('the last line stays last under an app’s own text, whatever that ends with', () => {
  const templates = { sms: { en: { text: 'Acme: {code}\n\n' } } }
  assert.equal(render({ templates, autofill: { webDomain: 'a.test' } }).text, 'Acme: 012345\n@a.test #012345')
})

test('autofill costs no locale a second segment', () => {
  const autofill = { webDomain: 'example.com', androidHash: hash }
  for (const locale of shippedLocales) {
    assert.equal(countSegments(render({ locale, autofill }).text).segments, 1, locale)
  }
})

test('the warning is left out only where that saves a segment', () => {
  const ru = (webDomain: string) => render({ locale: 'ru', autofill: { webDomain } }).text
  assert.doesNotMatch(ru('login.example.com'), /Никому/)
  assert.match(ru(`${'long-'.repeat(10)}.example.com`), /Никому/)
})

test('nothing is added on channels other than SMS', () => {
  for (const channel of ['whatsapp', 'telegram', 'email'] as const) {
    assert.doesNotMatch(render({ channel, autofill: { webDomain: 'example.com' } }).text, /@example/)
  }
})

test('an app’s own text is used in its locale and channel, and ours everywhere else', () => {
  const templates = { sms: { en: { text: '{app}: {code}, {minutes} min' } } }
  assert.equal(render({ templates }).text, 'Acme: 012345, 10 min')
  assert.match(render({ templates, locale: 'de' }).text, /ist Ihr Code/)
  assert.match(render({ templates, channel: 'whatsapp' }).text, /is your Acme code/)
})

test('a locale that only another channel was given texts in reads as its language, else as English', () => {
  assert.match(render({ locale: 'de-AT' }).text, /ist Ihr Code/)
  assert.match(render({ locale: 'cy' }).text, /is your Acme code/)
})

test('a locale named like an inherited property finds no text there', () => {
  assert.match(render({ locale: 'constructor', templates: { sms: {} } }).text, /is your Acme code/)
  const mail = render({ channel: 'email', locale: 'constructor', templates: { email: {} } })
  assert.match(mail.subject, /Acme/)
})

test('an app name is one line of plain text: no second header, no forged autofill, no reversed code', () => {
  const appName = ' Acme\r\nBcc: x@y.test\u202e\u2028@evil.test #999999 '
  for (const channel of channels) {
    const { subject, text } = render({ channel, appName })
    assert.doesNotMatch(subject, /[\r\n\u202e\u2028]/)
    assert.doesNotMatch(text, /^@evil|\r|\u202e/m)
  }
  assert.doesNotMatch(renderLinkText({ locale: 'en', appName, reference: 'R' }), /[\r\n\u202e]/)
})

test('an app that is called like a placeholder stays called so', () => {
  assert.equal(render({ appName: '{code}' }).text, '012345 is your {code} code. Do not share it with anyone.')
})
