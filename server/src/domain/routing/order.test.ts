import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { appSettings, type ChannelName } from '@countersign/contract'
import { effectiveOrder, type RoutingSubject } from './order.ts'

const phone: RoutingSubject = {
  recipientType: 'phone',
  country: 'GB',
  isFixedLine: false,
  unreachable: new Set(),
  left: null,
}
const email: RoutingSubject = {
  recipientType: 'email',
  country: null,
  isFixedLine: false,
  unreachable: new Set(),
  left: null,
}
const all = () => true
const usable = (
  settings: object,
  subject: RoutingSubject,
  hasProvider: (channel: ChannelName) => boolean = all,
) => effectiveOrder(appSettings.parse(settings), subject, hasProvider).usable

describe('the effective order', () => {
  it('of a new app is sms, whatsapp and telegram for a phone, and email for an address', () => {
    assert.deepEqual(usable({}, phone), ['sms', 'whatsapp', 'telegram'])
    assert.deepEqual(usable({}, email), ['email'])
  })

  it('is the country’s list where there is one, and the default elsewhere', () => {
    const settings = { routing: { default: ['sms'], countries: { BR: ['whatsapp', 'sms'] } } }
    assert.deepEqual(usable(settings, { ...phone, country: 'BR' }), ['whatsapp', 'sms'])
    assert.deepEqual(usable(settings, phone), ['sms'])
  })

  it('of an email address is the default, since it has no country', () => {
    const settings = { routing: { default: ['email'], countries: { GB: ['sms'] } } }
    assert.deepEqual(usable(settings, email), ['email'])
  })

  it('does not fall back to the default when a country’s list has nothing usable', () => {
    assert.deepEqual(usable({ routing: { countries: { GB: ['email'] } } }, phone), [])
  })

  it('leaves out what is switched off', () => {
    const settings = { channels: { sms: { enabled: false }, telegram: { enabled: false } } }
    assert.deepEqual(usable(settings, phone), ['whatsapp'])
  })

  it('leaves out sms, and only sms, for a fixed line', () => {
    assert.deepEqual(usable({}, { ...phone, isFixedLine: true }), ['whatsapp', 'telegram'])
  })

  it('leaves out what a provider called unreachable', () => {
    assert.deepEqual(usable({}, { ...phone, unreachable: new Set(['sms', 'telegram'] as const) }), [
      'whatsapp',
    ])
  })

  it('leaves out what no provider carries', () => {
    assert.deepEqual(
      usable({}, phone, (channel) => channel === 'telegram'),
      ['telegram'],
    )
  })

  it('knows what else reaches the person, though the order does not have it', () => {
    const settings = appSettings.parse({ routing: { countries: { GB: ['telegram'] } } })
    const order = effectiveOrder(settings, phone, (channel) => channel !== 'whatsapp')
    assert.deepEqual([order.usable, order.reachable], [['telegram'], ['sms', 'telegram']])
  })

  it('keeps the configured order, and says why each of the others was left out', () => {
    const settings = appSettings.parse({
      routing: { default: ['email', 'telegram', 'whatsapp', 'sms'] },
      channels: { telegram: { enabled: false } },
    })
    const order = effectiveOrder(settings, { ...phone, isFixedLine: true }, all)
    assert.deepEqual(order.reachable, ['whatsapp'])
    assert.deepEqual(order.configured, ['email', 'telegram', 'whatsapp', 'sms'])
    assert.deepEqual(order.usable, ['whatsapp'])
    assert.deepEqual(order.leftOut, [
      { channel: 'email', because: 'not_to_phones' },
      { channel: 'telegram', because: 'not_enabled' },
      { channel: 'sms', because: 'fixed_line' },
    ])
  })
})
