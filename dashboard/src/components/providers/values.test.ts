import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ProviderAnswer } from '@countersign/contract'
import { accountChange, emptyValues, newAccount, valueProblems, valuesOf } from './values.ts'

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
  enabled: true,
  callback_url: null,
  created_at: '2026-01-01T00:00:00.000Z',
}

describe('a provider account in a form', () => {
  it('names no setting that was not changed, and no credential that was not typed', () => {
    const { settings } = accountChange(valuesOf(account), account)
    assert.deepEqual(settings, {})
  })

  it('takes away what was emptied, and credentials only when asked to', () => {
    const values = { ...valuesOf(account), 'settings.user': '', 'settings.password': null }
    assert.deepEqual(accountChange(values, account).settings, { user: null, password: null })
  })

  it('writes numbers, flags and languages as the API has them', () => {
    const smpp = { ...emptyValues('smpp', null), 'settings.port': '2776', 'settings.tls': 'true' }
    assert.deepEqual(newAccount(smpp).settings, { port: 2776, tls: true })
    const whatsapp = {
      ...emptyValues('whatsapp', 'cmp_1'),
      'settings.template_languages': 'en en_US\n\n pt-BR: pt_BR ',
    }
    assert.deepEqual(newAccount(whatsapp).settings, {
      template_languages: { en: 'en_US', 'pt-BR': 'pt_BR' },
    })
  })

  it('asks for what is required, but not for a credential that is set', () => {
    const missing = valueProblems(emptyValues('telegram', null), null)
    assert.equal(missing['settings.token'], 'Gateway token is required')
    const present = valueProblems(valuesOf(account), account)
    assert.equal(present['settings.password'], undefined)
  })

  it('asks for a credential again when where it goes changes, and for no other', () => {
    const moved = { ...valuesOf(account), 'settings.host': 'smtp.other.example' }
    const problems = valueProblems(moved, account)
    assert.match(problems['settings.password'] ?? '', /^Password is to be given again/)
    assert.equal(problems['settings.return_path_secret'], undefined)
    const given = valueProblems({ ...moved, 'settings.password': 'the password' }, account)
    assert.equal(given['settings.password'], undefined)
    const takenAway = valueProblems({ ...moved, 'settings.password': null }, account)
    assert.equal(takenAway['settings.password'], undefined)
    const renamed = valueProblems({ ...valuesOf(account), 'settings.from': 'other@example.org' }, account)
    assert.equal(renamed['settings.password'], undefined)
  })

  it('wants one sender of Twilio, not two and not none', () => {
    const values = emptyValues('twilio', null)
    assert.ok(valueProblems(values, null)['settings.from'])
    assert.equal(valueProblems({ ...values, 'settings.from': 'Shop' }, null)['settings.from'], undefined)
    const both = { ...values, 'settings.from': 'Shop', 'settings.messaging_service_sid': 'MG1' }
    assert.ok(valueProblems(both, null)['settings.from'])
  })
})
