/** An app’s settings through the management API: defaults and merging. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { freshPhone, send, untilInForce } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { defaults, startSettings } from './settings-support.ts'

const { database, node, companyId, create, newApp, patch, get, pathsOf, close } = await startSettings()
after(close)

describe('settings of an app', () => {
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
        routing: { ...defaults.routing, default: ['email'], countries: { GB: ['sms'] } },
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
      const routing = { ...defaults.routing, ...example.routing }
      assert.deepEqual(await get(appId), { ...defaults, ...example, routing })
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
        await untilInForce('the block on the other node', () => blocked(other))
      } finally {
        await other.close()
      }
    })
  })
})
