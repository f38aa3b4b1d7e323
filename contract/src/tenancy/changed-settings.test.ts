import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changedSettings, findConflicts, mergeSettings } from './changed-settings.ts'
import { appSettings } from './settings.ts'

type Json = Parameters<typeof mergeSettings>[0]

describe('a merge', () => {
  it('joins objects, however deep', () => {
    const current: Json = { a: { b: { c: 1, d: 2 } }, e: 3 }
    assert.deepEqual(mergeSettings(current, { a: { b: { d: 4 } } }), { a: { b: { c: 1, d: 4 } }, e: 3 })
  })

  it('replaces lists whole, also by shorter ones', () => {
    assert.deepEqual(mergeSettings({ list: [1, 2, 3] }, { list: [9] }), { list: [9] })
    assert.deepEqual(mergeSettings({ list: [{ a: 1, b: 2 }] }, { list: [{ a: 3 }] }), { list: [{ a: 3 }] })
    assert.deepEqual(mergeSettings({ list: [1] }, { list: [] }), { list: [] })
  })

  it('takes a key away by null, at every depth', () => {
    assert.deepEqual(mergeSettings({ a: 1, b: { c: 2, d: 3 } }, { a: null, b: { c: null } }), { b: { d: 3 } })
    assert.deepEqual(mergeSettings({}, { a: null, b: { c: null } }), { b: {} })
  })

  it('changes neither what it was given', () => {
    const current: Json = { a: { b: 1 } }
    const patch: Json = { a: { c: 2 } }
    mergeSettings(current, patch)
    assert.deepEqual(current, { a: { b: 1 } })
    assert.deepEqual(patch, { a: { c: 2 } })
  })

  it('leaves the prototypes of all objects alone', () => {
    for (const text of [
      '{"__proto__":{"polluted":1}}',
      '{"a":{"__proto__":{"polluted":1}}}',
      '{"constructor":{"prototype":{"polluted":1}}}',
    ]) {
      const merged = mergeSettings({ a: {} }, JSON.parse(text))
      assert.equal((merged as Record<string, unknown>).polluted, undefined)
    }
    assert.equal(({} as Record<string, unknown>).polluted, undefined)
  })

  it('of something nested as deep as a body can be ends in order', () => {
    const depth = 13_000
    const deep = JSON.parse(`${'{"":'.repeat(depth)}1${'}'.repeat(depth)}`)
    assert.doesNotThrow(() => mergeSettings({}, deep))
  })
})

describe('a conflict', () => {
  const conflictsOf = (current: Json, requested: Json) =>
    findConflicts(
      appSettings.parse(mergeSettings(current, requested)),
      requested,
      appSettings.parse(current),
    ).map(({ path }) => path)
  const withoutSms: Json = { channels: { sms: { enabled: false } } }

  it('is an order of this request that names a channel switched off earlier', () => {
    assert.deepEqual(conflictsOf(withoutSms, { routing: { default: ['whatsapp', 'sms'] } }), [
      'routing.default.1',
    ])
    assert.deepEqual(conflictsOf(withoutSms, { routing: { countries: { BR: ['sms', 'email'] } } }), [
      'routing.countries.BR.0',
    ])
  })

  it('is not an order that stood before, or was not asked for', () => {
    assert.deepEqual(conflictsOf({}, withoutSms), [])
    assert.deepEqual(conflictsOf(withoutSms, { code_length: 4 }), [])
    assert.deepEqual(conflictsOf({ routing: { countries: { BR: ['sms', 'email'] } } }, withoutSms), [])
  })

  it('is not an order that is sent back as it was read', () => {
    for (const current of [withoutSms, { ...withoutSms, routing: { countries: { BR: ['sms', 'email'] } } }]) {
      const { routing } = appSettings.parse(current)
      assert.deepEqual(changedSettings(current, { routing, code_length: 4 }).problems, [])
    }
  })

  it('is not an order in the same request as the switch: both are said knowingly, even if nothing is left', () => {
    for (const order of [['telegram', 'sms'], ['telegram']] as const) {
      const requested: Json = {
        channels: { telegram: { enabled: false } },
        routing: { default: order, countries: { GB: order } },
      }
      assert.deepEqual(conflictsOf({}, requested), [])
    }
  })

  it('is not the removal of a country’s order', () => {
    assert.deepEqual(
      conflictsOf(
        { ...withoutSms, routing: { countries: { BR: ['sms', 'email'] } } },
        { routing: { countries: { BR: null } } },
      ),
      [],
    )
  })

  for (const [tight, wide] of [
    ['flagged_ip', 'ip'],
    ['app_without_ip', 'app'],
  ] as const) {
    it(`is a limits.${tight} that is not below limits.${wide}`, () => {
      const ask = (max: number) =>
        conflictsOf(
          { limits: { [wide]: [{ max: 10, window_s: 60 }] } },
          { limits: { [tight]: [{ max, window_s: 60 }] } },
        )
      assert.deepEqual(ask(9), [])
      assert.deepEqual(ask(10), [`limits.${tight}`])
      assert.deepEqual(ask(11), [`limits.${tight}`])
    })

    it(`of limits.${tight} is judged by what is sustained, whatever the windows`, () => {
      const ask = (rule: { max: number; window_s: number }) =>
        conflictsOf({ limits: { [wide]: [{ max: 10, window_s: 60 }] } }, { limits: { [tight]: [rule] } })
      assert.deepEqual(ask({ max: 5, window_s: 10 }), [`limits.${tight}`])
      assert.deepEqual(ask({ max: 20, window_s: 600 }), [])
    })
  }

  it('is not a narrow limit that is sent back as it was read, but one that is set beside a wider one', () => {
    const current: Json = { limits: { ip: [{ max: 4, window_s: 600 }] } }
    const { limits } = appSettings.parse(current)
    assert.deepEqual(changedSettings(current, { limits }).problems, [])
    const { ip, flagged_ip } = limits
    assert.deepEqual(conflictsOf({}, { limits: { ip, flagged_ip } }), ['limits.flagged_ip'])
  })

  it('is not a narrow limit whose default null restores, as if it had been left out', () => {
    const ip = [{ max: 1, window_s: 600 }]
    assert.deepEqual(conflictsOf({}, { limits: { ip, flagged_ip: null, app_without_ip: null } }), [])
  })

  it('is one text too many, in whichever language, but nothing else while there are too many', () => {
    const languages = Array.from({ length: 100 }, (_, each) => `en-x-${each}`)
    const texts = (count: number, html: string) => ({
      messages: {
        email: Object.fromEntries(
          languages.slice(0, count).map((tag) => [tag, { subject: 'Code', text: '{code}', html }]),
        ),
      },
    })
    const page = 'x'.repeat(50_000)
    assert.deepEqual(conflictsOf(texts(19, page), texts(1, page)), [])
    assert.deepEqual(conflictsOf(texts(19, page), texts(20, page)), ['messages'])
    assert.deepEqual(conflictsOf(texts(100, page), { code_length: 4 }), [])
    assert.deepEqual(conflictsOf(texts(100, page), texts(100, 'x')), [])
    // Texts that are too long already can be shortened one by one, and sent again as they are.
    assert.deepEqual(conflictsOf(texts(100, page), texts(1, page.slice(1))), [])
    assert.deepEqual(conflictsOf(texts(100, page), { messages: { email: { 'en-x-0': null } } }), [])
    assert.deepEqual(conflictsOf(texts(100, page), texts(1, page)), [])
    const longer = { messages: { email: { 'en-x-0': { subject: 'A code' } } } }
    assert.deepEqual(conflictsOf(texts(100, page), longer), ['messages'])
  })

  it('is a limits.app_without_ip that lets as many pass at once as limits.ip', () => {
    const ask = (max: number, window_s: number) =>
      conflictsOf(
        { limits: { ip: [{ max: 10, window_s: 60 }] } },
        { limits: { app_without_ip: [{ max, window_s }] } },
      )
    assert.deepEqual(ask(9, 10), [])
    assert.deepEqual(ask(10, 600), ['limits.app_without_ip'])
  })
})
