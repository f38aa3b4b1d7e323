/** An app's settings through the management API: defaults, merging, bounds, conflicts. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { appSettings } from '@countersign/contract'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { freshPhone, send, until } from './harness/fixtures.ts'
import { type Answer, type Node, startNode } from './harness/node.ts'

// Spelled out, value by value, in the contract's own test.
const { messages: _, autofill: __, ...defaults } = appSettings.parse({})

type Body = Record<string, unknown>

describe('settings of an app', { timeout: 120_000 }, () => {
  let database: TestDatabase
  let node: Node
  let companyId = ''

  before(async () => {
    database = await createTestDatabase()
    node = await startNode(database.url)
    companyId = (await node.manage('POST', '/companies', { name: 'Acme', balance: '10' })).body.company_id
  })

  after(async () => {
    await node?.close()
    await database?.close()
  })

  const create = (body: Body) => node.manage('POST', `/companies/${companyId}/apps`, body)
  const newApp = async (body: Body = {}): Promise<string> => {
    const made = await create({ name: 'Acme', ...body })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    return made.body.app_id
  }
  const patch = (appId: string, body: unknown) => node.manage('PATCH', `/apps/${appId}`, body)
  /** The settings that routing, limits and codes go by; texts have their own suite. */
  const get = async (appId: string): Promise<Body> => {
    const { body } = await node.manage('GET', `/apps/${appId}`)
    return Object.fromEntries(Object.keys(defaults).map((name) => [name, body[name]]))
  }
  const pathsOf = (answer: Answer): string[] => {
    assert.equal(answer.status, 422, JSON.stringify(answer.body))
    assert.equal(answer.body.error.type, 'ValidationError')
    const fields: { path: string; message: string }[] = answer.body.error.details.fields
    for (const { message } of fields) assert.ok(message.length > 0)
    assert.ok(answer.body.error.message.includes(fields[0]?.path))
    return fields.map(({ path }) => path)
  }

  describe('that is new', () => {
    it('are exactly the documented defaults', async () => {
      assert.deepEqual(await get(await newApp()), defaults)
    })

    it('may be given with it, and the rest stays default', async () => {
      const asked = { code_length: 4, geo: { countries: ['RU'] }, channels: { telegram: { enabled: false } } }
      const made = await create({ name: ' Shop ', ...asked })
      assert.equal(made.status, 201)
      assert.equal(made.body.name, 'Shop')
      assert.equal(made.body.company_id, companyId)
      assert.match(made.body.app_id, /^app_/)
      assert.deepEqual(await get(made.body.app_id), {
        ...defaults,
        code_length: 4,
        geo: { mode: 'block', countries: ['RU'] },
        channels: { ...defaults.channels, telegram: { enabled: false } },
      })
      assert.deepEqual((await node.manage('GET', `/apps/${made.body.app_id}`)).body, made.body)
    })

    it('may be given as null, which is the default', async () => {
      assert.deepEqual(
        await get(await newApp({ code_length: null, limits: { ip: null }, geo: null })),
        defaults,
      )
    })

    it('are judged as a change is', async () => {
      assert.deepEqual(pathsOf(await create({ name: 'x', code_length: 9 })), ['code_length'])
      assert.deepEqual(pathsOf(await create({ name: 'x', routing: { default: ['fax'] } })), [
        'routing.default.0',
      ])
      assert.deepEqual(pathsOf(await create({ name: 'x', no_such: 1 })), ['no_such'])
    })
  })

  describe('in a change', () => {
    it('merge as objects and replace as lists', async () => {
      const appId = await newApp({ routing: { countries: { BR: ['whatsapp'], GB: ['sms'] } } })
      const changed = await patch(appId, {
        routing: { countries: { BR: ['sms', 'whatsapp'], FR: ['sms'] } },
        limits: { recipient: [{ max: 3, window_s: 60 }] },
        channels: { whatsapp: { mode: 'link_code' } },
      })
      assert.equal(changed.status, 200)
      const expected = {
        ...defaults,
        routing: { ...defaults.routing, countries: { BR: ['sms', 'whatsapp'], GB: ['sms'], FR: ['sms'] } },
        limits: { ...defaults.limits, recipient: [{ max: 3, window_s: 60 }] },
        channels: { ...defaults.channels, whatsapp: { enabled: true, mode: 'link_code' } },
      }
      assert.deepEqual(await get(appId), expected)
    })

    it('return to their default by null, at every depth', async () => {
      const appId = await newApp({
        code_length: 8,
        geo: { mode: 'allow', countries: ['GB'] },
        routing: { default: ['email'], countries: { BR: ['sms'], GB: ['sms'] } },
        limits: { recipient: [{ max: 1, window_s: 1 }] },
        channels: { whatsapp: { mode: 'link_inbound' } },
      })
      await patch(appId, { code_length: null, geo: { mode: null }, routing: { countries: { BR: null } } })
      assert.deepEqual(await get(appId), {
        ...defaults,
        geo: { mode: 'block', countries: ['GB'] },
        routing: { default: ['email'], countries: { GB: ['sms'] } },
        limits: { ...defaults.limits, recipient: [{ max: 1, window_s: 1 }] },
        channels: { ...defaults.channels, whatsapp: { enabled: true, mode: 'link_inbound' } },
      })
      await patch(appId, { geo: null, routing: null, limits: null, channels: null, pumping: null })
      assert.deepEqual(await get(appId), defaults)
    })

    it('that asks for nothing change nothing', async () => {
      const appId = await newApp({ code_length: 7 })
      const before = await get(appId)
      assert.equal((await patch(appId, {})).status, 200)
      assert.deepEqual(await get(appId), before)
    })

    it('accept the documented example as it stands', async () => {
      const appId = await newApp()
      const example = {
        routing: {
          default: ['whatsapp', 'sms', 'telegram', 'email'],
          countries: { BR: ['whatsapp', 'sms'] },
        },
        channels: {
          sms: { enabled: true },
          whatsapp: { enabled: true, mode: 'template' },
          telegram: { enabled: false },
          email: { enabled: true },
        },
      }
      const changed = await patch(appId, example)
      assert.equal(changed.status, 200, JSON.stringify(changed.body))
      assert.deepEqual(await get(appId), { ...defaults, ...example })
      assert.equal((await patch(appId, example)).status, 200)
    })

    it('answer what a read answers', async () => {
      const appId = await newApp()
      const changed = await patch(appId, { max_sends: 2, name: 'Renamed' })
      assert.deepEqual(changed.body, (await node.manage('GET', `/apps/${appId}`)).body)
      assert.equal(changed.body.name, 'Renamed')
    })

    it('that are refused leave all of it undone', async () => {
      const appId = await newApp()
      assert.equal((await patch(appId, { code_length: 4, max_sends: 99, name: 'Other' })).status, 422)
      assert.deepEqual(await get(appId), defaults)
      assert.equal((await node.manage('GET', `/apps/${appId}`)).body.name, 'Acme')
    })

    it('name everything that is wrong at once', async () => {
      const answer = await patch(await newApp(), {
        code_length: 1,
        max_sends: 0,
        geo: { countries: ['ZZ'] },
        what: 1,
      })
      assert.deepEqual(pathsOf(answer).sort(), ['code_length', 'geo.countries.0', 'max_sends', 'what'])
      assert.match(answer.body.error.message, /3 more/)
    })

    it('survive one another when they touch different fields at once', async () => {
      const appId = await newApp()
      const wanted = { code_length: 4, max_sends: 2 }
      const answers = await Promise.all([
        patch(appId, { code_length: wanted.code_length }),
        patch(appId, { max_sends: wanted.max_sends }),
      ])
      for (const answer of answers) assert.equal(answer.status, 200)
      assert.deepEqual(await get(appId), { ...defaults, ...wanted })
    })

    it('that come in a crowd are each made or refused with 409, none lost', async () => {
      const appId = await newApp()
      const countries = ['BR', 'GB', 'FR', 'DE', 'IT', 'ES', 'PT', 'NL', 'BE', 'AT', 'CH', 'SE']
      const answers = await Promise.all(
        countries.map(async (code) => ({
          code,
          answer: await patch(appId, { routing: { countries: { [code]: ['sms'] } } }),
        })),
      )
      const made = answers.filter(({ answer }) => answer.status === 200).map(({ code }) => code)
      for (const { answer } of answers) {
        if (answer.status === 200) continue
        assert.equal(answer.status, 409)
        assert.equal(answer.body.error.type, 'ConflictError')
      }
      assert.ok(made.length > 0)
      const { routing } = (await node.manage('GET', `/apps/${appId}`)).body
      assert.deepEqual(Object.keys(routing.countries).sort(), made.sort())
    })

    it('are in force on every node within a second', async () => {
      const other = await startNode(database.url)
      try {
        const appId = await newApp()
        const { body } = await node.manage('POST', `/apps/${appId}/keys`, { kind: 'server' })
        const blocked = async (on: Node) =>
          (await send(on, body.key, { recipient: freshPhone() })).body.error?.type === 'GeoBlockedError'
        assert.equal(await blocked(other), false)
        await patch(appId, { geo: { countries: ['GB'] } })
        assert.equal(await blocked(node), true)
        await until('the other node to follow', () => blocked(other), 1_000)
      } finally {
        await other.close()
      }
    })
  })

  describe('are bounded', () => {
    const bounds: readonly [name: string, lowest: number, highest: number][] = [
      ['code_length', 4, 8],
      ['code_ttl_s', 60, 600],
      ['max_verify_attempts', 1, 10],
      ['max_sends', 1, 10],
      ['resend_cooldown_s', 0, 600],
      ['token_ttl_s', 60, 3_600],
    ]
    for (const [name, lowest, highest] of bounds) {
      it(`${name}: ${lowest} to ${highest}`, async () => {
        const appId = await newApp()
        for (const value of [lowest, highest]) {
          const answer = await patch(appId, { [name]: value })
          assert.equal(answer.status, 200)
          assert.equal(answer.body[name], value)
        }
        for (const value of [lowest - 1, highest + 1, lowest + 0.5, String(lowest), true, [lowest], {}]) {
          assert.deepEqual(pathsOf(await patch(appId, { [name]: value })), [name])
        }
        assert.equal((await get(appId))[name], highest)
      })
    }

    for (const scope of ['recipient', 'recipient_failures', 'ip', 'flagged_ip', 'app', 'app_without_ip']) {
      it(`limits.${scope}: whole positive numbers in windows of at most a day`, async () => {
        const appId = await newApp()
        const ask = (list: unknown) => patch(appId, { limits: { [scope]: list } })
        assert.equal((await ask([{ max: 1, window_s: 86_400 }])).status, 200)
        assert.deepEqual(pathsOf(await ask([{ max: 0, window_s: 60 }])), [`limits.${scope}.0.max`])
        assert.deepEqual(pathsOf(await ask([{ max: 1.5, window_s: 60 }])), [`limits.${scope}.0.max`])
        assert.deepEqual(pathsOf(await ask([{ max: 10 ** 7, window_s: 60 }])), [`limits.${scope}.0.max`])
        assert.deepEqual(pathsOf(await ask([{ max: 1, window_s: 0 }])), [`limits.${scope}.0.window_s`])
        assert.deepEqual(pathsOf(await ask([{ max: 1, window_s: 86_401 }])), [`limits.${scope}.0.window_s`])
        assert.deepEqual(
          pathsOf(
            await ask([
              { max: 1, window_s: 60 },
              { max: -1, window_s: 60 },
            ]),
          ),
          [`limits.${scope}.1.max`],
        )
        assert.deepEqual(pathsOf(await ask([{ max: 1 }])), [`limits.${scope}.0.window_s`])
        assert.deepEqual(pathsOf(await ask([{ max: 1, window_s: 60, per: 'ip' }])), [`limits.${scope}.0.per`])
        assert.deepEqual(pathsOf(await ask([])), [`limits.${scope}`])
        assert.deepEqual(pathsOf(await ask({ max: 1, window_s: 60 })), [`limits.${scope}`])
      })
    }

    const refused: readonly [name: string, body: Body, paths: string[]][] = [
      ['an unknown channel in an order', { routing: { default: ['sms', 'fax'] } }, ['routing.default.1']],
      ['an order of nothing', { routing: { default: [] } }, ['routing.default']],
      [
        'an order that names a channel twice',
        { routing: { default: ['sms', 'email', 'sms'] } },
        ['routing.default'],
      ],
      ['an order that is no list', { routing: { default: 'sms' } }, ['routing.default']],
      [
        'an order for a country that does not exist',
        { routing: { countries: { ZZ: ['sms'] } } },
        ['routing.countries.ZZ'],
      ],
      [
        'an order for a country in small letters',
        { routing: { countries: { gb: ['sms'] } } },
        ['routing.countries.gb'],
      ],
      [
        'an order for a country of three letters',
        { routing: { countries: { GBR: ['sms'] } } },
        ['routing.countries.GBR'],
      ],
      [
        'an unknown channel in a country’s order',
        { routing: { countries: { GB: ['sms', 'fax'] } } },
        ['routing.countries.GB.1'],
      ],
      [
        'a channel twice in a country’s order',
        { routing: { countries: { GB: ['sms', 'sms'] } } },
        ['routing.countries.GB'],
      ],
      ['a channel that does not exist', { channels: { fax: { enabled: true } } }, ['channels.fax']],
      ['a switch that is no boolean', { channels: { sms: { enabled: 'yes' } } }, ['channels.sms.enabled']],
      [
        'a mode that WhatsApp does not have',
        { channels: { whatsapp: { mode: 'link' } } },
        ['channels.whatsapp.mode'],
      ],
      ['a mode on another channel', { channels: { sms: { mode: 'template' } } }, ['channels.sms.mode']],
      ['a country of geo that does not exist', { geo: { countries: ['GB', 'ZZ'] } }, ['geo.countries.1']],
      ['a mode of geo that does not exist', { geo: { mode: 'deny' } }, ['geo.mode']],
      [
        'a scope of limits that does not exist',
        { limits: { person: [{ max: 1, window_s: 1 }] } },
        ['limits.person'],
      ],
      ['a mode of pumping that does not exist', { pumping: { mode: 'on' } }, ['pumping.mode']],
      [
        'a declared country that does not exist',
        { pumping: { declared_countries: ['XX'] } },
        ['pumping.declared_countries.0'],
      ],
      ['a prefix without a plus', { pumping: { safe_prefixes: ['44'] } }, ['pumping.safe_prefixes.0']],
      ['a prefix of letters', { pumping: { safe_prefixes: ['+44', '+44x'] } }, ['pumping.safe_prefixes.1']],
      [
        'a cap of nothing',
        { spend_caps: { day_by_country: { default: '0' } } },
        ['spend_caps.day_by_country.default'],
      ],
      ['a cap that is a number', { spend_caps: { hour_unverified: 25 } }, ['spend_caps.hour_unverified']],
      [
        'a cap for a country that does not exist',
        { spend_caps: { day_by_country: { countries: { ZZ: '5' } } } },
        ['spend_caps.day_by_country.countries.ZZ'],
      ],
      ['a language that is not shipped', { default_locale: 'tlh' }, ['default_locale']],
      ['a language in another spelling', { default_locale: 'EN' }, ['default_locale']],
      ['a language that is no text', { default_locale: 5 }, ['default_locale']],
      ['a setting that does not exist', { colour: 'blue' }, ['colour']],
      ['what the service itself writes', { app_id: 'app_x' }, ['app_id']],
      ['an object where a number belongs', { code_length: { a: 1 } }, ['code_length']],
      ['a list where an object belongs', { geo: [] }, ['geo']],
    ]
    for (const [name, body, paths] of refused) {
      it(`${name} is a 422 that names ${paths.join(', ')}`, async () => {
        const appId = await newApp()
        assert.deepEqual(pathsOf(await patch(appId, body)), paths)
        assert.deepEqual(await get(appId), defaults)
      })
    }

    for (const locale of ['en', 'pt-BR', 'zh-TW', 'ar']) {
      it(`the shipped language ${locale} is taken`, async () => {
        assert.equal((await patch(await newApp(), { default_locale: locale })).status, 200)
      })
    }

    it('Kosovo, Jersey and the Bahamas are countries', async () => {
      assert.equal((await patch(await newApp(), { geo: { countries: ['XK', 'JE', 'BS'] } })).status, 200)
    })
  })

  describe('in conflict', () => {
    it('an order that names a channel switched off before is a 422 that names the place', async () => {
      const appId = await newApp({ channels: { telegram: { enabled: false } } })
      assert.deepEqual(pathsOf(await patch(appId, { routing: { default: ['sms', 'telegram'] } })), [
        'routing.default.1',
      ])
      assert.deepEqual(pathsOf(await patch(appId, { routing: { countries: { GB: ['telegram', 'sms'] } } })), [
        'routing.countries.GB.0',
      ])
      assert.equal(
        (
          await patch(appId, {
            channels: { telegram: { enabled: true } },
            routing: { default: ['telegram'] },
          })
        ).status,
        200,
      )
    })

    it('an order of which nothing is enabled is a 422', async () => {
      const body = { channels: { sms: { enabled: false } }, routing: { default: ['sms'] } }
      assert.deepEqual(pathsOf(await patch(await newApp(), body)), ['routing.default'])
    })

    it('switching a channel off that an order names is allowed: the order skips it', async () => {
      const appId = await newApp()
      assert.equal((await patch(appId, { channels: { sms: { enabled: false } } })).status, 200)
      assert.equal((await patch(appId, { max_sends: 3 })).status, 200)
    })

    for (const [tight, wide] of [
      ['flagged_ip', 'ip'],
      ['app_without_ip', 'app'],
      ['app_without_ip', 'ip'],
    ] as const) {
      it(`limits.${tight} must stay below limits.${wide}`, async () => {
        const appId = await newApp({
          limits: {
            app: [{ max: 1_000, window_s: 60 }],
            ip: [{ max: 1_000, window_s: 60 }],
            [wide]: [{ max: 100, window_s: 60 }],
            [tight]: [{ max: 1, window_s: 60 }],
          },
        })
        const ask = (max: number) => patch(appId, { limits: { [tight]: [{ max, window_s: 60 }] } })
        assert.equal((await ask(99)).status, 200)
        assert.deepEqual(pathsOf(await ask(100)), [`limits.${tight}`])
        assert.deepEqual(pathsOf(await ask(101)), [`limits.${tight}`])
      })
    }
  })

  describe('the name', () => {
    it('is needed to make an app', async () => {
      assert.deepEqual(pathsOf(await create({})), ['name'])
    })

    for (const name of ['', '   ', 'x'.repeat(61), 'a\nb', 'a\0b', 5, null, ['Acme']]) {
      it(`cannot be ${JSON.stringify(name).slice(0, 20)}`, async () => {
        assert.deepEqual(new Set(pathsOf(await create({ name }))), new Set(['name']))
        assert.deepEqual(new Set(pathsOf(await patch(await newApp(), { name }))), new Set(['name']))
      })
    }

    it('may be of any script, and of 60 characters', async () => {
      for (const name of ['銀行', 'Ünïcødé ☕', 'x'.repeat(60)]) {
        assert.equal((await create({ name })).body.name, name)
      }
    })
  })
})
