/** The bounds of an app’s settings, settings that must fit each other, and its name. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { type Body, defaults, startSettings } from './settings-support.ts'

const { create, newApp, patch, get, pathsOf, close } = await startSettings()
after(close)

describe('settings of an app', () => {
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
