import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { RuleResult } from '@countersign/contract'
import { sayRule } from '@countersign/contract/words'
import { wordsOfPages } from './decision-words.ts'

const words = wordsOfPages((amount) => `€${Number(amount)}`)
const passed = { outcome: 'pass', why: '' } as const
const cases: readonly (readonly [RuleResult, string])[] = [
  [{ ...passed, rule: 'recipient', facts: { because: 'phone', country: 'ES' } }, 'A phone number (Spain).'],
  [
    { ...passed, rule: 'geo', facts: { because: 'allowed', country: 'GB' } },
    'United Kingdom is not blocked.',
  ],
  [{ ...passed, rule: 'ip_reputation', facts: { because: 'no_client_ip' } }, 'No usable client IP.'],
  [
    {
      ...passed,
      rule: 'routing',
      facts: {
        because: 'chosen',
        channel: 'sms',
        as: 'message',
        order: ['sms', 'whatsapp'],
        left_out: [{ channel: 'email', because: 'not_to_phones' }],
      },
    },
    'Order: SMS, WhatsApp. Left out: Email: does not reach phone numbers. Chosen: SMS.',
  ],
  [
    { ...passed, rule: 'limits', facts: { scopes: ['recipient', 'app_without_ip', 'app'] } },
    'Within the limits for this recipient, for this app without a usable client IP, for this app.',
  ],
  [
    {
      ...passed,
      rule: 'spend',
      facts: {
        because: 'counted',
        country: 'DE',
        caps: [
          { cap_name: 'day_by_country', spent: '0.051000', cap: '10.000000', source: 'set', is_over: false },
          { cap_name: 'hour_unverified', spent: '0.051000', cap: null, source: 'off', is_over: false },
        ],
        excuse: null,
      },
    },
    '€0.051 of €10 for Germany today, €0.051 without a cap unverified in this hour.',
  ],
  [
    {
      rule: 'spend',
      outcome: 'refuse',
      why: '',
      facts: {
        because: 'counted',
        country: 'GB',
        caps: [
          { cap_name: 'day_by_country', spent: '0.150000', cap: '0.100000', source: 'set', is_over: true },
          { cap_name: 'hour_unverified', spent: '0.150000', cap: '9.000000', source: 'set', is_over: false },
        ],
        excuse: null,
      },
    },
    'A spend cap is reached: with this message €0.15 of €0.1 for United Kingdom today.',
  ],
  [
    {
      rule: 'limit.recipient',
      outcome: 'refuse',
      why: '',
      facts: {
        scope: 'recipient',
        counted: 'requests',
        used: 5,
        max: 5,
        window_s: 600,
        retry_after: 31,
      },
    },
    'Too many requests for this recipient. Possible again after 31 seconds.',
  ],
  [
    { ...passed, rule: 'balance', facts: { because: 'price', price: '0.050000', balance: '3.000000' } },
    'The price is €0.05.',
  ],
]

it('tells what rules found in the words of the pages, with money as money', () => {
  for (const [result, sentence] of cases) assert.equal(sayRule(result, words), sentence)
})

it('leaves a decision that has no facts as it was said', () => {
  const said: RuleResult = { rule: 'geo', outcome: 'pass', why: 'GB is not blocked.', facts: null }
  assert.equal(sayRule(said, words), 'GB is not blocked.')
})
