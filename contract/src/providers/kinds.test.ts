import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createProviderBody, providerAnswer, shownUpdateProviderBody } from './bodies.ts'
import { destinationOf, kindsOfProvider, providerKind, secretSettings } from './kinds.ts'

const kinds = providerKind.options
const schemaOf = (kind: (typeof kinds)[number]) => kindsOfProvider[kind].fields.toJSONSchema({ io: 'input' })

describe('the settings of a provider account', () => {
  it('are those of every kind there is', () => {
    assert.deepEqual([...kinds], Object.keys(kindsOfProvider))
  })

  for (const kind of kinds) {
    it(`of ${kind} have each a label that no other has, and bounds where they are numbers`, () => {
      const settings = Object.entries(schemaOf(kind).properties ?? {})
      const titles = settings.map(([name, schema]) => {
        assert.ok(typeof schema === 'object' && schema.title, name)
        if (schema.type === 'integer') assert.ok((schema.maximum ?? Infinity) <= 65_535, name)
        if (schema.type === 'string') assert.ok(schema.maxLength || schema.pattern || schema.enum, name)
        return schema.title
      })
      assert.equal(new Set(titles).size, titles.length)
    })

    it(`of ${kind} go to a place that some of them decide, and no credential decides it`, () => {
      const { settings, credentials } = destinationOf(kind)
      const secrets = secretSettings(kind)
      assert.ok(settings.includes('host') || settings.includes('base_url'))
      assert.deepEqual(
        settings.filter((name) => secrets.includes(name)),
        [],
      )
      assert.ok(credentials.length > 0)
      assert.deepEqual(
        credentials.filter((name) => !secrets.includes(name)),
        [],
      )
    })
  }
})

const account = { channel: 'telegram', kind: 'telegram', settings: { token: 'a token' } }
const problemsOf = (body: object) =>
  (createProviderBody.safeParse(body).error?.issues ?? []).map(({ path, message }) => [
    path.join('.'),
    message,
  ])

describe('a new account', () => {
  it('carries the channel of its kind, and no other', () => {
    assert.deepEqual(problemsOf(account), [])
    assert.deepEqual(problemsOf({ ...account, channel: 'sms' }), [
      ['channel', 'must be telegram, which is what telegram carries'],
    ])
    const every = 'must be one of sms, whatsapp, telegram, email'
    assert.deepEqual(problemsOf({ ...account, channel: 'fax' }), [['channel', every]])
  })

  it('is of a kind that there is', () => {
    const every = 'must be one of smpp, twilio, http, whatsapp, telegram, smtp'
    assert.deepEqual(problemsOf({ ...account, kind: 'pigeon' }), [['kind', every]])
    assert.deepEqual(problemsOf({ ...account, kind: undefined }), [['kind', every]])
  })

  it('goes to a host, which is no address of a page', () => {
    const smpp = { system_id: 'shop', password: 'a', source_addr: 'Shop' }
    const problems = (settings: object) =>
      problemsOf({ channel: 'sms', kind: 'smpp', settings: { ...smpp, host: 'a.example', ...settings } })
    for (const host of [
      'a.example',
      'a.example.',
      'bücher.example',
      '10.0.0.1',
      '::1',
      'fe80::1%eth0',
      'carrier',
    ])
      assert.deepEqual(problems({ host }), [], host)
    for (const host of [
      ' a.example',
      'a.example\n',
      'smpp://a.example',
      'a.example:2775',
      'a.example/x',
      'b@a.example',
      '[::1]',
    ])
      assert.deepEqual(problems({ host }), [
        ['settings.host', 'must be a host name or an address alone, without scheme, port or blanks'],
      ])
    assert.deepEqual(problems({ tls_ca: '/etc/ca.crt' }), [
      ['settings.tls_ca', 'must be certificates as PEM'],
    ])
  })

  it('has credentials without what came along when they were copied', () => {
    assert.deepEqual(problemsOf({ ...account, settings: { token: 'a token\n' } }), [
      ['settings.token', 'must be printable characters of ASCII, without a line break'],
    ])
    const twilio = { account_sid: `AC${'0'.repeat(32)}`, auth_token: '\u200ba', from: 'Shop' }
    assert.deepEqual(problemsOf({ channel: 'sms', kind: 'twilio', settings: twilio }), [
      ['settings.auth_token', 'must be printable characters of ASCII, without a line break'],
    ])
    const whatsapp = {
      phone_number_id: '100000000000001',
      number: '+15550001111',
      access_token: 'a',
      app_secret: 'a\n',
      verify_token: 'any text, as “this”',
      template_name: 'code',
    }
    assert.deepEqual(problemsOf({ channel: 'whatsapp', kind: 'whatsapp', settings: whatsapp }), [
      ['settings.app_secret', 'must be printable characters of ASCII, without a line break'],
    ])
  })

  it('has the settings of its kind, and those that go together', () => {
    const smtp = { channel: 'email', kind: 'smtp', settings: { host: 'a.example', from: 'a@example.com' } }
    assert.deepEqual(problemsOf(smtp), [])
    const half = { ...smtp.settings, user: 'a', dkim_domain: 'a.example' }
    assert.deepEqual(problemsOf({ ...smtp, settings: half }), [
      ['settings.password', 'must be given together with `user`'],
      ['settings.dkim_private_key', 'must be given together with `dkim_domain`, `dkim_selector`'],
    ])
    const twilio = { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'a', api_key_sid: `SK${'0'.repeat(32)}` }
    assert.deepEqual(problemsOf({ channel: 'sms', kind: 'twilio', settings: twilio }), [
      ['settings.from', 'or `messaging_service_sid` must be given, and not both'],
      ['settings.api_key_secret', 'must be given together with `api_key_sid`'],
    ])
  })
})

it('a change names any of the settings of one kind, and takes away only what need not be there', () => {
  const isShown = (settings: object) => shownUpdateProviderBody.safeParse({ settings }).success
  assert.ok(isShown({ host: 'a.example', user: null }))
  assert.ok(isShown({}))
  assert.ok(!isShown({ host: null }))
  assert.ok(!isShown({ host: 'a.example', base_url: 'https://a.example' }))
})

it('an answer has no credential, whatever the kind', () => {
  const { oneOf = [] } = providerAnswer.toJSONSchema()
  assert.equal(oneOf.length, kinds.length)
  assert.ok(!JSON.stringify(oneOf).includes('writeOnly'))
})
