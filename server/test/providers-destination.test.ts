/** Where an account sends: credentials only go where they were given for, and only to addresses that may be called. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { providerKinds } from '../src/channels/index.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant } from './harness/fixtures.ts'
import { type Answer, type Node, startNode } from './harness/node.ts'

type Settings = Readonly<Record<string, unknown>>
const kinds = new Map(Object.entries(providerKinds))
const secret = 'a credential of its own'
const pem = '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----'

/** For each kind: an account, and another value for every setting that decides where credentials go. */
const accounts: Readonly<Record<string, { settings: Settings; others: Settings; credentials: Settings }>> = {
  http: {
    settings: {
      base_url: 'http://127.0.0.1:1',
      path: '/send',
      auth: 'header',
      auth_name: 'x-key',
      auth_prefix: 'App ',
      body: '{"to": "{to}"}',
      body_type: 'json',
      receipts: 'none',
    },
    others: {
      preset: 'vonage',
      base_url: 'http://127.0.0.1:2',
      path: '/other',
      auth_prefix: 'Key ',
      auth_name: 'x-other',
      auth: 'query',
    },
    credentials: { secret },
  },
  smpp: {
    settings: { host: '127.0.0.1', port: 2775, system_id: 'a', source_addr: 'ACME' },
    others: { host: '127.0.0.2', port: 2776, tls: true, tls_ca: pem },
    credentials: { password: secret },
  },
  smtp: {
    settings: {
      host: '127.0.0.1',
      user: 'a',
      from: 'a@example.com',
      return_path_domain: 'mail.example',
      return_path_secret: secret,
    },
    others: { host: '127.0.0.2', port: 26, secure: true, require_tls: false, tls_ca: pem },
    credentials: { password: secret },
  },
  telegram: {
    settings: { base_url: 'http://127.0.0.1:1' },
    others: { base_url: 'http://127.0.0.1:2' },
    credentials: { token: secret },
  },
  twilio: {
    settings: {
      base_url: 'http://127.0.0.1:1',
      account_sid: `AC${'0'.repeat(32)}`,
      from: 'ACME',
      api_key_sid: `SK${'0'.repeat(32)}`,
    },
    others: { base_url: 'http://127.0.0.1:2' },
    credentials: { auth_token: secret, api_key_secret: secret },
  },
  whatsapp: {
    settings: {
      base_url: 'http://127.0.0.1:1',
      phone_number_id: '1',
      number: '+15550001111',
      template_name: 'code',
      app_secret: secret,
      verify_token: secret,
    },
    others: { base_url: 'http://127.0.0.1:2' },
    credentials: { access_token: secret },
  },
}

describe('where an account goes', () => {
  let database: TestDatabase
  let node: Node

  before(async () => {
    database = await createTestDatabase()
    node = await startNode(database.url, { kinds })
  })
  after(async () => {
    await node?.close()
    await database?.close()
  })

  const create = (kind: string, settings: Settings, extra: object = {}, at = node) =>
    at.manage('POST', '/providers', {
      channel: providerKinds[kind as keyof typeof providerKinds].channel,
      kind,
      settings,
      enabled: false,
      ...extra,
    })
  const named = (answer: Answer) =>
    answer.body.error.details.fields.map((field: { path: string }) => field.path).sort()

  it('every kind says which settings decide it, and none of its credentials is left out of this test', () => {
    assert.deepEqual(Object.keys(accounts).sort(), Object.keys(providerKinds).sort())
    for (const [kind, { others, credentials }] of Object.entries(accounts)) {
      const { destination } = providerKinds[kind as keyof typeof providerKinds]
      assert.deepEqual([...destination.settings].sort(), Object.keys(others).sort(), kind)
      assert.deepEqual([...destination.credentials].sort(), Object.keys(credentials).sort(), kind)
    }
  })

  for (const [kind, { settings, others, credentials }] of Object.entries(accounts)) {
    it(`stored credentials of ${kind} never reach a host, a port or an address that they were not given for`, async () => {
      const { companyId } = await createTenant(node)
      const made = await create(kind, { ...settings, ...credentials }, { company_id: companyId })
      assert.equal(made.status, 201, JSON.stringify(made.body))
      const path = `/providers/${made.body.provider_id}`
      assert.deepEqual(made.body.destination.credentials.sort(), Object.keys(credentials).sort())
      for (const [name, value] of Object.entries(others)) {
        const refused = await node.manage('PATCH', path, { settings: { [name]: value } })
        assert.equal(refused.status, 422, `${name}: ${JSON.stringify(refused.body)}`)
        assert.deepEqual(
          named(refused),
          Object.keys(credentials)
            .map((one) => `settings.${one}`)
            .sort(),
        )
        assert.match(refused.body.error.message, new RegExp(`because ${name} changes`))
        assert.ok(!JSON.stringify(refused.body).includes(secret))
        const given = await node.manage('PATCH', path, { settings: { [name]: value, ...credentials } })
        assert.equal(given.status, 200, `${name}: ${JSON.stringify(given.body)}`)
        assert.equal(given.body.settings[name], value)
      }
      const standard = Object.fromEntries(made.body.destination.settings.map((name: string) => [name, null]))
      const restored = await node.manage('PATCH', path, {
        settings: { ...standard, ...(settings.host ? { host: settings.host } : {}) },
      })
      assert.equal(restored.status, 422, 'a default that returns is a change, too')
    })
  }

  it('what is about nothing of the kind needs no credential, and the same value is no change', async () => {
    const { settings, credentials } = accounts.twilio ?? assert.fail()
    const made = await create('twilio', { ...settings, ...credentials })
    const path = `/providers/${made.body.provider_id}`
    for (const change of [
      { priority: 3 },
      { settings: { from: 'Other' } },
      { settings: { base_url: settings.base_url } },
      { settings: { auth_token: 'another' }, name: 'Renamed' },
    ]) {
      assert.equal((await node.manage('PATCH', path, change)).status, 200, JSON.stringify(change))
    }
    const half = { base_url: 'http://127.0.0.1:3', auth_token: secret }
    assert.deepEqual(named(await node.manage('PATCH', path, { settings: half })), ['settings.api_key_secret'])
    const without = {
      base_url: 'http://127.0.0.1:3',
      auth_token: secret,
      api_key_sid: null,
      api_key_secret: null,
    }
    assert.equal((await node.manage('PATCH', path, { settings: without })).status, 200)
  })

  it('a member of a company cannot move its account’s credentials to a host of their own with many calls at once', async () => {
    const { settings, credentials } = accounts.telegram ?? assert.fail()
    const made = await create('telegram', { ...settings, ...credentials })
    const path = `/providers/${made.body.provider_id}`
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        node.manage(
          'PATCH',
          path,
          index % 2 ? { settings: { base_url: 'http://127.0.0.1:9' } } : { priority: index },
        ),
      ),
    )
    assert.ok(answers.filter((_, index) => index % 2).every(({ status }) => status === 422))
    const { body } = await node.manage('GET', '/providers')
    const found = body.providers.find(
      (one: { provider_id: string }) => one.provider_id === made.body.provider_id,
    )
    assert.equal(found.settings.base_url, settings.base_url)
  })

  it('http is refused, but with the simulator or where the address is in ALLOWED_RANGES', async () => {
    const door = { allowedRanges: ['10.1.0.0/16'], allowsHttp: false }
    const strict = await startNode(database.url, { kinds, door })
    try {
      const { companyId } = await createTenant(strict)
      const at = (base_url: string, extra: object = {}) =>
        create('telegram', { token: secret, base_url }, extra, strict)
      for (const extra of [{}, { company_id: companyId }]) {
        for (const base of [
          'http://8.8.8.8',
          'http://127.0.0.1:1',
          'http://localhost:1',
          'http://10.2.0.1',
        ]) {
          const refused = await at(base, extra)
          assert.equal(refused.status, 422, base)
          assert.match(refused.body.error.message, /ALLOWED_RANGES/)
        }
        assert.equal((await at('http://10.1.2.3', extra)).status, 201)
        assert.equal((await at('https://8.8.8.8', extra)).status, 201)
      }
      assert.equal((await at('https://168.63.129.16', { company_id: companyId })).status, 422)
    } finally {
      await strict.close()
    }
  })

  it('an address holds no user and no password, which would be stored readable, and no query or fragment', async () => {
    for (const base_url of [
      'https://good.example@127.0.0.1:1',
      'https://user:password@example.com',
      'http://127.0.0.1:1/?to=',
      'http://127.0.0.1:1/#',
    ]) {
      const refused = await create('telegram', { token: secret, base_url })
      assert.equal(refused.status, 422, base_url)
      assert.deepEqual(named(refused), ['settings.base_url'])
    }
  })

  it('no setting holds a NUL, which the database could not keep', async () => {
    const { settings, credentials } = accounts.smtp ?? assert.fail()
    for (const [name, value] of Object.entries({ host: 'a\0b', user: '\0', password: 'p\0', tls_ca: '\0' })) {
      const refused = await create('smtp', { ...settings, ...credentials, [name]: value })
      assert.equal(refused.status, 422, `${name}: ${JSON.stringify(refused.body)}`)
      assert.deepEqual(named(refused), [`settings.${name}`])
    }
  })

  it('credentials do not open for a place that was written into the database beside the service', async () => {
    const { settings, credentials } = accounts.telegram ?? assert.fail()
    const made = await create('telegram', { ...settings, ...credentials }, { enabled: true })
    const id = made.body.provider_id
    await database.query(
      `update providers set settings = settings || '{"base_url": "http://127.0.0.1:9"}', revision = revision + 1
        where provider_id = '${id}'`,
    )
    await create('telegram', { ...settings, ...credentials })
    assert.ok(
      node.logged.some(({ message, fields }) => /cannot be opened/.test(message) && fields.provider === id),
    )
    const moved = await node.manage('PATCH', `/providers/${id}`, { priority: 1 })
    assert.equal(moved.status, 422, 'its credentials are to be given anew')
  })

  it('an account whose place may no longer be called is not opened; the operator’s is', async () => {
    const { settings, credentials } = accounts.telegram ?? assert.fail()
    const { companyId } = await createTenant(node)
    const make = async (extra: object) =>
      (await create('telegram', { ...settings, ...credentials }, { enabled: true, ...extra })).body
        .provider_id
    const [theirs, operators] = [await make({ company_id: companyId }), await make({})]
    const strict = await startNode(database.url, { kinds, door: { allowedRanges: [], allowsHttp: true } })
    await strict.close()
    const unopened = strict.logged.flatMap(({ message, fields }) =>
      /cannot be opened/.test(message) ? [fields.provider] : [],
    )
    assert.ok(unopened.includes(theirs))
    assert.ok(!unopened.includes(operators))
  })

  it('an account that cannot be opened is logged once, listed, and mended with its credentials', async () => {
    const { settings, credentials } = accounts.telegram ?? assert.fail()
    const made = await create('telegram', { ...settings, ...credentials }, { enabled: true })
    const id = made.body.provider_id
    await database.query(
      `update providers set secrets = '\\x00', revision = revision + 1 where provider_id = '${id}'`,
    )
    const told = () =>
      node.logged.filter(({ message, fields }) => /cannot be opened/.test(message) && fields.provider === id)
    for (let round = 0; round < 3; round++) {
      await create('telegram', { ...settings, ...credentials })
      assert.equal(told().length, 1)
    }
    const { body } = await node.manage('GET', '/providers')
    const listed = body.providers.find((one: { provider_id: string }) => one.provider_id === id)
    assert.deepEqual(listed.credentials_set, [])
    assert.equal((await node.manage('PATCH', `/providers/${id}`, { priority: 1 })).status, 422)
    const mended = await node.manage('PATCH', `/providers/${id}`, { settings: credentials })
    assert.equal(mended.status, 200, JSON.stringify(mended.body))
    assert.deepEqual(mended.body.credentials_set, ['token'])
    assert.equal(told().length, 1)
  })
})
