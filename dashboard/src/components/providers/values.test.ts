import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ProviderAnswer } from '@countersign/contract'
import { problemsOf } from './account-problems.ts'
import { accountChange, emptyValues, fieldsOf, newAccount, type ProviderValues, valuesOf } from './values.ts'

const account: ProviderAnswer = {
  provider_id: 'prv_1',
  company_id: null,
  channel: 'email',
  kind: 'smtp',
  name: null,
  settings: { host: 'smtp.example.org', port: 587, user: 'shop', from: 'codes@example.org' },
  credentials_set: ['password', 'return_path_secret'],
  destination: { settings: ['host', 'port', 'tls_ca'], credentials: ['password'] },
  countries: null,
  priority: 100,
  costs: null,
  state: {
    status: 'unknown',
    since: null,
    last_error: null,
    sent_1h: 0,
    failed_1h: 0,
    delivered_1h: 0,
    seconds_to_accept: null,
    seconds_to_deliver: null,
  },
  enabled: true,
  callback_url: null,
  created_at: '2026-01-01T00:00:00.000Z',
}

const withSettings = (values: ProviderValues, settings: ProviderValues['settings']): ProviderValues => ({
  ...values,
  settings: { ...values.settings, ...settings },
})

const problemAt = (values: ProviderValues, of: ProviderAnswer | null, name: string) =>
  problemsOf(values, of).find(({ path }) => path === `settings.${name}`)?.message

describe('a provider account in a form', () => {
  it('names no setting that was not changed, and no credential that was not typed', () => {
    const { settings } = accountChange(valuesOf(account), account)
    assert.deepEqual(settings, {})
  })

  it('takes away what was emptied, and credentials only when asked to', () => {
    const values = withSettings(valuesOf(account), { user: '', password: null })
    assert.deepEqual(accountChange(values, account).settings, { user: null, password: null })
  })

  it('writes numbers, flags and languages as the API has them', () => {
    const smpp = withSettings(emptyValues('smpp', null), { port: '2776', tls: 'true' })
    assert.deepEqual(newAccount(smpp).settings, { port: 2776, tls: true })
    const whatsapp = withSettings(emptyValues('whatsapp', 'cmp_1'), {
      template_languages: 'en en_US\n\n pt-BR: pt_BR ',
    })
    assert.deepEqual(newAccount(whatsapp).settings, {
      template_languages: { en: 'en_US', 'pt-BR': 'pt_BR' },
    })
  })

  it('of any gateway is written by lines: lists, headers with spaces, and tables whose word comes last', () => {
    const http = withSettings(emptyValues('http', null), {
      headers: 'X-Note: two words\nAccept: application/json',
      code_at: '/a\n\n /b ',
      codes: '0 accepted\n*too many* busy\nno credit broken',
    })
    const { settings } = newAccount(http)
    assert.deepEqual(settings, {
      headers: { 'X-Note': 'two words', Accept: 'application/json' },
      code_at: ['/a', '/b'],
      codes: { '0': 'accepted', '*too many*': 'busy', 'no credit': 'broken' },
    })
    const stored = { ...account, kind: 'http' as const, channel: 'sms' as const, settings: { ...settings } }
    assert.deepEqual(accountChange(valuesOf(stored), stored).settings, {}, 'what is read is what was written')
    const wrong = withSettings(http, { codes: '0 perhaps' })
    assert.match(problemAt(wrong, null, 'codes') ?? '', /^has a problem at 0: /)
    assert.equal(problemAt(http, null, 'base_url'), 'is required')
  })

  it('of a gateway that is known asks for what that gateway needs, by its own names, and folds the rest away', () => {
    const values = emptyValues('http', null, 'plivo')
    const shown = fieldsOf(values).filter(({ isRare }) => !isRare)
    assert.deepEqual(
      shown.map(({ name, label, isRequired }) => [name, label, isRequired]),
      [
        ['user', 'Auth ID', true],
        ['secret', 'Auth token', true],
        ['from', 'Sender', true],
      ],
    )
    assert.ok(!fieldsOf(values).some(({ name }) => name === 'preset'))
    const given = withSettings(values, { user: 'MA', secret: 'a', from: '1' })
    assert.deepEqual(problemsOf(given, null), [])
    assert.deepEqual(newAccount(given).settings, { preset: 'plivo', user: 'MA', secret: 'a', from: '1' })
  })

  it('is judged by the contract, whole: what is required, bounds, and what goes together', () => {
    const telegram = emptyValues('telegram', null)
    assert.equal(problemAt(telegram, null, 'token'), 'is required')
    const smpp = withSettings(emptyValues('smpp', null), { port: '70000' })
    assert.equal(problemAt(smpp, null, 'port'), 'must be at most 65535')
    const half = withSettings(valuesOf(account), { password: null })
    assert.equal(problemAt(half, account, 'password'), 'must be given together with `user`')
    const pairs = withSettings(emptyValues('whatsapp', null), { template_languages: 'en' })
    assert.match(
      problemAt(pairs, null, 'template_languages') ?? '',
      /^needs two words per line, such as \S+ \S+$/,
    )
    assert.deepEqual(
      problemsOf({ ...valuesOf(account), priority: null }, account).map(({ path, message }) => [
        path,
        message,
      ]),
      [['priority', 'is required']],
    )
  })

  it('asks for no credential that is set, and says nothing of what it cannot see', () => {
    assert.deepEqual(problemsOf(valuesOf(account), account), [])
  })

  it('asks for a credential again when where it goes changes, and for no other', () => {
    const moved = withSettings(valuesOf(account), { host: 'smtp.other.example' })
    assert.match(problemAt(moved, account, 'password') ?? '', /^must be entered again/)
    assert.equal(problemAt(moved, account, 'return_path_secret'), undefined)
    const given = withSettings(moved, { password: 'the password' })
    assert.equal(problemAt(given, account, 'password'), undefined)
    const takenAway = withSettings(moved, { password: null, user: '' })
    assert.equal(problemAt(takenAway, account, 'password'), undefined)
    const renamed = withSettings(valuesOf(account), { from: 'other@example.org' })
    assert.equal(problemAt(renamed, account, 'password'), undefined)
  })

  it('wants one sender of Twilio, not two and not none', () => {
    const values = withSettings(emptyValues('twilio', null), {
      account_sid: `AC${'0'.repeat(32)}`,
      auth_token: 'a',
    })
    assert.ok(problemAt(values, null, 'from'))
    assert.equal(problemAt(withSettings(values, { from: 'Shop' }), null, 'from'), undefined)
    const both = withSettings(values, { from: 'Shop', messaging_service_sid: `MG${'0'.repeat(32)}` })
    assert.ok(problemAt(both, null, 'from'))
  })
})
