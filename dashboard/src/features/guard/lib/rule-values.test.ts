import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ruleDraft } from '@countersign/contract/bodies'
import { bodyOf, newRule, type RuleDraft, valuesOf } from './rule-values.ts'

const whole: RuleDraft = {
  rule_id: `rul_${'0'.repeat(26)}`,
  name: 'Everything',
  mode: 'on',
  when: {
    country: ['FR'],
    channel: ['sms'],
    recipient_type: ['phone'],
    email_domain: ['example.com', 'a.b'],
    prefix: ['+33', '+44'],
    ip_class: ['vpn', 'none'],
    ip_country: ['DE', 'AT'],
    key_kind: ['server'],
    known: true,
    sends_of_recipient: { gte: 1, lte: 2, window_s: 60 },
    sends_of_address: { lte: 0, window_s: 3_600 },
    sends_of_app: { gte: 9, window_s: 86_400 },
    price: { gte: '0.05' },
    hour: { gte: 22, lte: 5 },
  },
  then: { action: 'limit', max: 7, window_s: 600 },
}

describe('the form of a rule', () => {
  for (const then of [
    whole.then,
    { action: 'refuse' },
    { action: 'hold', minutes: 3 },
    { action: 'channels', channels: ['email'] },
    { action: 'link' },
    { action: 'pass' },
  ] as const) {
    it(`gives back the rule that it was given: ${then.action}`, () => {
      const rule = structuredClone({ ...whole, then }) as RuleDraft
      const body = bodyOf(valuesOf(rule), rule)
      assert.deepEqual(body, rule)
      assert.ok(ruleDraft.safeParse(body).success)
    })
  }

  it('sends only the conditions that are asked, and lists as people write them', () => {
    const rule = newRule()
    const values = valuesOf(rule)
    const typed = {
      ...values,
      name: ' Mine ',
      asked: ['prefix', 'email_domain'] as typeof values.asked,
      when: { ...values.when, prefix: '0033 (6), +44', email_domain: '@Example.com' },
    }
    assert.deepEqual(bodyOf(typed, rule), {
      name: 'Mine',
      mode: 'shadow',
      when: { prefix: ['+336', '+44'], email_domain: ['example.com'] },
      then: { action: 'refuse' },
    })
  })

  it('leaves what is empty to the contract to refuse', () => {
    const rule = newRule()
    const values = { ...valuesOf(rule), asked: ['country' as const] }
    assert.equal(ruleDraft.safeParse(bodyOf(values, rule)).success, false)
  })
})
