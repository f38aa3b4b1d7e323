import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTenant, freshEmail, freshPhone, message, send } from './harness/fixtures.ts'
import { startService } from './harness/service.ts'

const { node, close } = await startService()
after(close)

test('an app’s own text is what people read, in the locales it has, and the shipped one in others', async () => {
  const { serverKey } = await createTenant(node, {
    messages: {
      sms: { en: { text: '{app}: {code}, good for {minutes} min' } },
      email: { en: { subject: 'Code for {app}', text: 'Here it is: {code}' } },
    },
  })
  const [english, french, mail] = [freshPhone(), freshPhone(), freshEmail()]
  await send(node, serverKey, { recipient: english })
  await send(node, serverKey, { recipient: french, locale: 'fr' })
  await send(node, serverKey, { recipient: mail })
  const own = await message(node, english)
  assert.equal(own.text, `Acme: ${own.code}, good for 10 min`)
  assert.doesNotMatch((await message(node, french)).text, /good for/)
  const { subject, text, html, code } = await message(node, mail)
  assert.equal(subject, 'Code for Acme')
  assert.equal(text.trim(), `Here it is: ${code}`)
  assert.ok(html.includes(code))
})

test('a language of the app’s own can be its default', async () => {
  const settings = { default_locale: 'eo', messages: { sms: { eo: { text: 'Via kodo: {code}' } } } }
  const { serverKey } = await createTenant(node, settings)
  const recipient = freshPhone()
  await send(node, serverKey, { recipient })
  assert.match((await message(node, recipient)).text, /^Via kodo: \d{6}$/)
})

test('autofill puts the line for browsers and the hash for Android last', async () => {
  const { serverKey } = await createTenant(node, {
    autofill: { web_domain: 'example.com', android_hash: 'FA+9qCX9VSu' },
  })
  const recipient = freshPhone()
  await send(node, serverKey, { recipient })
  const { text, code } = await message(node, recipient)
  assert.equal(text.split('\n').at(-1), `@example.com #${code} FA+9qCX9VSu`)
})

test('a text that the linter finds wrong is not saved, and the path says where', async () => {
  const { appId } = await createTenant(node)
  const cases: [Record<string, unknown>, string][] = [
    [{ sms: { en: { text: 'no code here' } } }, 'messages.sms.en.text'],
    [{ sms: { en: { text: '{code} {naem}' } } }, 'messages.sms.en.text'],
    [{ email: { de: { subject: '', text: '{code}' } } }, 'messages.email.de.subject'],
    [{ sms: { not_a_tag: { text: '{code}' } } }, 'messages.sms.not_a_tag.locale'],
    [{ telegram: { en: { text: '{code}' } } }, 'messages.telegram'],
  ]
  for (const [messages, path] of cases) {
    const { status, body } = await node.manage('PATCH', `/apps/${appId}`, { messages })
    assert.equal(status, 422)
    assert.ok(
      body.error.details.fields.some((field: { path: string }) => field.path === path),
      JSON.stringify(body.error.details),
    )
  }
})

test('the linter says encoding, segments and price before anything is saved', async () => {
  const { appId } = await createTenant(node)
  const lint = (text: string) =>
    node.manage('POST', `/apps/${appId}/messages/lint`, { channel: 'sms', locale: 'en', template: { text } })
  const short = (await lint('{code} is your code')).body
  assert.deepEqual([short.ok, short.encoding, short.segments, short.price], [true, 'gsm7', 1, '0.050000'])
  const long = (await lint(`{code} ✓ ${'x'.repeat(100)}`)).body
  assert.deepEqual([long.ok, long.encoding, long.segments], [true, 'ucs2', 2])
  assert.equal(long.problems[0].level, 'warning')
  const wrong = (await lint('nothing')).body
  assert.deepEqual([wrong.ok, wrong.problems[0].path], [false, 'text'])
  assert.equal((await node.manage('GET', `/apps/${appId}`)).body.messages.sms.en, undefined)
})

test('the linter shows what a person would get, which is what they then do get', async () => {
  const { appId, serverKey } = await createTenant(node, {
    autofill: { web_domain: 'example.com' },
    code_length: 8,
  })
  const lint = async (body: Record<string, unknown>) => {
    const answer = await node.manage('POST', `/apps/${appId}/messages/lint`, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  const sms = await lint({ channel: 'sms', locale: 'en', template: { text: '{app}: {code}, {minutes} min' } })
  assert.deepEqual(sms.rendered, {
    subject: null,
    text: 'Acme: 12345678, 10 min\n@example.com #12345678',
    html: null,
  })
  const mail = await lint({
    channel: 'email',
    locale: 'en',
    template: { subject: 'For {app}', text: 'Here: {code}', html: '<b>{code}</b>' },
  })
  assert.deepEqual(mail.rendered, { subject: 'For Acme', text: 'Here: 12345678', html: '<b>12345678</b>' })

  for (const locale of ['en', 'de', 'ja', 'pt-BR']) {
    const shipped = await lint({ channel: 'sms', locale })
    const recipient = freshPhone()
    await send(node, serverKey, { recipient, locale })
    const { text, code } = await message(node, recipient)
    assert.equal(shipped.rendered.text, text.replaceAll(code, '12345678'))
    assert.equal(shipped.ok, true)
    assert.ok(shipped.segments >= 1)
  }
  const shippedMail = await lint({ channel: 'email', locale: 'fr' })
  const address = freshEmail()
  await send(node, serverKey, { recipient: address, locale: 'fr' })
  const sent = await message(node, address)
  assert.equal(shippedMail.rendered.subject, sent.subject)
  assert.equal(shippedMail.rendered.html, sent.html.replaceAll(sent.code, '12345678'))
  assert.equal(shippedMail.segments, null)
})

test('the linter says that a locale is none, with a text and without', async () => {
  const { appId } = await createTenant(node)
  for (const template of [{ text: '{code}' }, undefined]) {
    const body = { channel: 'sms', locale: 'not a tag', ...(template ? { template } : {}) }
    const answer = await node.manage('POST', `/apps/${appId}/messages/lint`, body)
    assert.equal(answer.status, 200)
    assert.equal(answer.body.ok, false)
    assert.equal(answer.body.problems[0].path, 'locale')
  }
})

test('every locale that texts are shipped in is listed, and each renders', async () => {
  const { appId } = await createTenant(node)
  const { locales } = (await node.manage('GET', '/locales')).body
  assert.ok(locales.includes('en') && locales.includes('zh-TW'))
  for (const locale of locales) {
    const { body } = await node.manage('POST', `/apps/${appId}/messages/lint`, {
      channel: 'whatsapp',
      locale,
    })
    assert.match(body.rendered.text, /123456/)
  }
})
