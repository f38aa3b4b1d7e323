import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findConflicts } from './changed-settings.ts'
import { appName, appSettings } from './settings.ts'

const defaults = appSettings.parse({})
const pathsOf = (value: unknown) => {
  const parsed = appSettings.safeParse(value)
  return parsed.success ? [] : parsed.error.issues.map((issue) => issue.path.join('.'))
}

describe('the defaults', () => {
  it('are the documented ones', () => {
    const { messages: _, autofill: __, ...documented } = defaults
    assert.deepEqual(documented, {
      routing: {
        default: ['sms', 'whatsapp', 'telegram', 'email'],
        countries: {},
        accounts: null,
        learned: { floor: 0.9, trying: 0.1 },
      },
      channels: {
        sms: { enabled: true },
        whatsapp: { enabled: true, mode: 'template' },
        telegram: { enabled: true },
        email: { enabled: true },
      },
      geo: { mode: 'block', countries: [] },
      limits: {
        recipient: [
          { max: 5, window_s: 600 },
          { max: 20, window_s: 86_400 },
        ],
        recipient_failures: [{ max: 50, window_s: 86_400 }],
        ip: [{ max: 100, window_s: 600 }],
        flagged_ip: [{ max: 4, window_s: 600 }],
        app: [{ max: 6_000, window_s: 60 }],
        app_without_ip: [{ max: 20, window_s: 60 }],
      },
      pumping: {
        mode: 'auto',
        declared_countries: [],
        declared_conversion: null,
        learning_budget: null,
        safe_prefixes: [],
      },
      spend_caps: { day_by_country: { default: 'learned', countries: {} }, hour_unverified: 'learned' },
      number_check: 'e164',
      disposable_email: 'limit',
      code_length: 6,
      code_ttl_s: 600,
      max_verify_attempts: 5,
      max_sends: 5,
      resend_cooldown_s: 30,
      token_ttl_s: 600,
      default_locale: 'en',
      proof: { enabled: false, audience: null },
    })
  })

  it('are valid as a request and in no conflict with themselves', () => {
    assert.deepEqual(appSettings.parse(defaults), defaults)
    assert.deepEqual(findConflicts(defaults, defaults, null), [])
  })

  it('are not shared: changing one copy changes no other', () => {
    const copy = appSettings.parse({})
    copy.routing.default.push('sms')
    copy.limits.ip.push({ max: 1, window_s: 1 })
    assert.deepEqual(appSettings.parse({}), defaults)
  })

  it('fill up what an older version did not write', () => {
    assert.deepEqual(appSettings.parse({ code_length: 8, limits: { ip: [{ max: 9, window_s: 60 }] } }), {
      ...defaults,
      code_length: 8,
      limits: { ...defaults.limits, ip: [{ max: 9, window_s: 60 }] },
    })
  })
})

describe('the bounds', () => {
  const bounds: readonly [name: string, lowest: number, highest: number][] = [
    ['code_length', 4, 8],
    ['code_ttl_s', 60, 600],
    ['max_verify_attempts', 1, 10],
    ['max_sends', 1, 10],
    ['resend_cooldown_s', 0, 600],
    ['token_ttl_s', 60, 3_600],
  ]
  for (const [name, lowest, highest] of bounds) {
    it(`of ${name} are ${lowest} and ${highest}, both allowed`, () => {
      assert.deepEqual(pathsOf({ [name]: lowest }), [])
      assert.deepEqual(pathsOf({ [name]: highest }), [])
      assert.deepEqual(pathsOf({ [name]: lowest - 1 }), [name])
      assert.deepEqual(pathsOf({ [name]: highest + 1 }), [name])
      for (const wrong of [lowest + 0.5, String(lowest), true, [lowest], Number.NaN]) {
        assert.deepEqual(pathsOf({ [name]: wrong }), [name], `${wrong}`)
      }
    })
  }

  for (const [name, highest] of [
    ['recipient', 1_000_000],
    ['recipient_failures', 1_000],
    ['ip', 1_000_000],
    ['flagged_ip', 1_000_000],
    ['app', 1_000_000],
    ['app_without_ip', 1_000_000],
  ] as const) {
    it(`of limits.${name} are a maximum of 1 to ${highest} in 1 to 86400 seconds, in one to four windows`, () => {
      const of = (max: number, window_s: number) => pathsOf({ limits: { [name]: [{ max, window_s }] } })
      assert.deepEqual(of(1, 1), [])
      assert.deepEqual(of(highest, 86_400), [])
      assert.deepEqual(of(0, 60), [`limits.${name}.0.max`])
      assert.deepEqual(of(highest + 1, 60), [`limits.${name}.0.max`])
      assert.deepEqual(of(1, 0), [`limits.${name}.0.window_s`])
      assert.deepEqual(of(1, 86_401), [`limits.${name}.0.window_s`])
      const many = (count: number) => Array.from({ length: count }, () => ({ max: 1, window_s: 60 }))
      assert.deepEqual(pathsOf({ limits: { [name]: many(4) } }), [])
      assert.deepEqual(pathsOf({ limits: { [name]: many(5) } }), [`limits.${name}`])
      assert.deepEqual(pathsOf({ limits: { [name]: [] } }), [`limits.${name}`])
    })
  }
})

describe('a cap', () => {
  const at = (cap: unknown) => pathsOf({ spend_caps: { hour_unverified: cap } })

  for (const cap of ['learned', 'off', '25', '0.5', '0.000001', '999999999999.999999']) {
    it(`may be ${cap}`, () => assert.deepEqual(at(cap), []))
  }
  for (const cap of ['0', '0.00', '-1', '1e3', '', 'on', '1.1234567', ' 5', 25, null, ['5']]) {
    it(`cannot be ${JSON.stringify(cap)}`, () => assert.deepEqual(at(cap), ['spend_caps.hour_unverified']))
  }
})

describe('a name', () => {
  it('is trimmed, and has 1 to 60 characters of any script', () => {
    assert.equal(appName.parse('  Acme  '), 'Acme')
    assert.equal(appName.parse('銀行アプリ – ×☕'), '銀行アプリ – ×☕')
    assert.ok(appName.safeParse('x'.repeat(60)).success)
    for (const wrong of ['', '   ', 'x'.repeat(61), 5, null, undefined, ['Acme']]) {
      assert.equal(appName.safeParse(wrong).success, false, String(wrong))
    }
  })

  it('has no control characters, which would break a message or a header', () => {
    for (const wrong of ['a\nb', 'a\rb', 'a\tb', 'a\0b', 'a\u001bb', 'a\u007fb', 'a\u0085b']) {
      assert.equal(appName.safeParse(wrong).success, false, JSON.stringify(wrong))
    }
  })
})
