import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Decided, type RuleName, ruleFacts, ruleResult } from '../verification/decision.ts'
import { resultOf } from './decision-words.ts'

const order = {
  order: ['telegram', 'sms'],
  left_out: [{ channel: 'email', because: 'not_to_phones' }],
} satisfies Partial<Extract<Decided, { rule: 'routing' }>['facts']>
const limit = { counted: 'requests', used: 5, max: 5, window_s: 600, retry_after: 31 } as const
const stopped = {
  because: 'stopped',
  level: 'r1k',
  place: '+44740000xxxx',
  kind: 'block',
  numbers: 9,
  approvals: 0,
  retry_after: 60,
} as const
const cap = {
  cap_name: 'day_by_country',
  spent: '0.150000',
  cap: '0.100000',
  source: 'set',
  is_over: true,
} as const

const account = {
  provider_id: 'prv_1',
  sends: 311.4,
  conversion: 0.8,
  low: 0.76,
  high: 0.84,
  price: '0.040000',
  cost_per_approval: '0.050000',
  share: 0.96,
  state: 'leading',
} as const
const dearer = { provider_id: 'prv_2', price: null, cost_per_approval: null, state: 'costlier' } as const

const said: readonly (readonly [Decided, string])[] = [
  [
    { rule: 'paused', outcome: 'refuse', facts: { since: '2026-01-05T10:00:00.000Z' } },
    'The app has been paused since 2026-01-05T10:00:00.000Z, and sends nothing new.',
  ],
  [
    { rule: 'recipient', outcome: 'pass', facts: { because: 'disposable_email', treatment: 'limit' } },
    'A disposable email address (limit).',
  ],
  [
    { rule: 'recipient', outcome: 'refuse', facts: { because: 'disposable_email', treatment: 'refuse' } },
    'recipient is a disposable email address, which this app does not accept.',
  ],
  [
    { rule: 'geo', outcome: 'refuse', facts: { because: 'blocked', country: 'KZ' } },
    'Sending to KZ is blocked for this app.',
  ],
  [{ rule: 'exception', outcome: 'refuse', facts: { kind: 'blocked' } }, 'This recipient is blocked.'],
  [
    { rule: 'exception', outcome: 'pass', facts: { kind: 'allowed' } },
    'This recipient is allowed past the guard for a day.',
  ],
  [
    {
      rule: 'ip_reputation',
      outcome: 'pass',
      facts: { because: 'listed', class: 'abusive', is_stale: true },
    },
    'Listed as abusive. The list is too old or unreadable, so it only throttles.',
  ],
  [
    {
      rule: 'ip_reputation',
      outcome: 'refuse',
      facts: { because: 'listed', class: 'abusive', is_stale: false },
    },
    'The client_ip is a known source of abuse.',
  ],
  [
    {
      rule: 'routing',
      outcome: 'pass',
      facts: { because: 'chosen', channel: 'telegram', as: 'message', ...order },
    },
    'Order: telegram, sms. Left out: email: does not reach phone numbers. Chosen: telegram.',
  ],
  [
    { rule: 'routing', outcome: 'refuse', facts: { because: 'no_channel', order: [], left_out: [] } },
    'No enabled channel can reach this recipient. Order: none.',
  ],
  [
    { rule: 'pumping', outcome: 'reroute', facts: { ...stopped, excuse: null, otherwise: 'reroute' } },
    'Pumping: a range of 1,000 numbers within +44740000xxxx is blocked for paid messages: 0 of 9 new numbers there were approved. A WhatsApp link is used instead.',
  ],
  [
    { rule: 'pumping', outcome: 'pass', facts: { ...stopped, excuse: 'monitored', otherwise: 'refuse' } },
    'Monitored only; otherwise it would be refused. Pumping: a range of 1,000 numbers within +44740000xxxx is blocked for paid messages: 0 of 9 new numbers there were approved.',
  ],
  [
    {
      rule: 'pumping',
      outcome: 'refuse',
      facts: {
        ...stopped,
        level: 'country',
        place: 'AZ',
        expected: 0.5,
        owed: 27.5,
        threshold: 32,
        reason: 'owed',
        ends: 'approvals',
        retry_after: 1200,
        excuse: null,
        otherwise: 'refuse',
      },
    },
    'Pumping: the country AZ is blocked for paid messages: 0 of 9 new numbers there were approved, where about 5 were expected; its debt has reached the threshold of 32.0; it opens when codes are used there again, and the next message is tried in 20 minutes.',
  ],
  [
    {
      rule: 'pumping',
      outcome: 'refuse',
      facts: {
        ...stopped,
        level: 'carrier',
        place: 'GB 774 (O2)',
        kind: 'hold',
        expected: 0.7,
        threshold: 10,
        reason: 'missing',
        ends: 'time',
        retry_after: 118,
        excuse: null,
        otherwise: 'refuse',
      },
    },
    'Pumping: the carrier GB 774 (O2) is held for a moment: 0 of 9 new numbers there were approved, where about 6 were expected; codes that should have been used by now were not; it opens in 2 minutes.',
  ],
  [
    {
      rule: 'pumping',
      outcome: 'refuse',
      facts: {
        ...stopped,
        level: 'known_country',
        place: 'AZ',
        kind: 'hold',
        excuse: null,
        otherwise: 'refuse',
      },
    },
    'Pumping: known recipients in AZ are held for a moment: 0 of 9 codes sent to them were approved.',
  ],
  [
    {
      rule: 'pumping',
      outcome: 'refuse',
      facts: { because: 'repeated', sends: 5, retry_after: 3_600, excuse: null, otherwise: 'refuse' },
    },
    'Pumping: this number has had 5 codes and typed none. The next one is possible in an hour.',
  ],
  [
    {
      rule: 'pumping',
      outcome: 'refuse',
      facts: {
        because: 'repeated',
        sends: 7,
        owed: 6.2,
        max: 6,
        retry_after: 7_200,
        excuse: null,
        otherwise: 'refuse',
      },
    },
    'Pumping: this number has had 7 codes and typed none, where it may have 6 without typing one. The next one is possible in 2 hours.',
  ],
  [
    {
      rule: 'pumping',
      outcome: 'refuse',
      facts: {
        because: 'repeated',
        sends: 1,
        owed: 5.25,
        max: 5,
        retry_after: 3_600,
        excuse: null,
        otherwise: 'refuse',
      },
    },
    'Pumping: this number has had 1 code since it last typed one, and owes for about 5, where it may owe for 5. The next one is possible in an hour.',
  ],
  [
    { rule: 'limits', outcome: 'pass', facts: { scopes: ['recipient', 'ip', 'app'] } },
    'Within the limits for this recipient, from this client_ip, for this app.',
  ],
  ...(['recipient', 'ip', 'flagged_ip', 'app', 'app_without_ip'] as const).map(
    (scope) =>
      [
        { rule: `limit.${scope}`, outcome: 'refuse', facts: { scope, ...limit } },
        {
          recipient: 'Too many requests for this recipient (scope recipient). Try again in 31 seconds.',
          ip: 'Too many requests from this client_ip (scope ip). Try again in 31 seconds.',
          flagged_ip:
            'Too many requests from a VPN, proxy, Tor or datacenter client_ip (scope flagged_ip). Try again in 31 seconds.',
          app: 'Too many requests for this app (scope app). Try again in 31 seconds.',
          app_without_ip:
            'Too many requests for this app without a usable client_ip (scope app_without_ip). Try again in 31 seconds.',
        }[scope],
      ] as const satisfies readonly [Decided, string],
  ),
  [
    {
      rule: 'spend',
      outcome: 'pass',
      facts: { because: 'counted', country: null, caps: [cap], excuse: 'simulated' },
    },
    'Simulated; otherwise it would be refused. 0.150000 of 0.100000 for email addresses today.',
  ],
  [
    {
      rule: 'spend',
      outcome: 'refuse',
      facts: { because: 'counted', country: null, caps: [cap], excuse: null },
    },
    'A spend cap is reached: with this message 0.150000 of 0.100000 for email addresses today.',
  ],
  [
    {
      rule: 'balance',
      outcome: 'refuse',
      facts: { because: 'price', price: '0.050000', balance: '0.010000' },
    },
    'The balance is not enough: this message costs 0.050000.',
  ],
  [
    {
      rule: 'account',
      outcome: 'pass',
      facts: { because: 'leading', provider_id: 'prv_1', accounts: [account, { ...account, ...dearer }] },
    },
    'The account prv_1 is asked first: its approvals cost least here. It is judged at 0.050000 for an approval, 80 % approved (76 % to 84 %). Others: prv_2 at 80 % approved (76 % to 84 %): an approval costs more.',
  ],
  [
    {
      rule: 'account',
      outcome: 'pass',
      facts: { because: 'unread', provider_id: 'prv_1', accounts: [] },
    },
    'The account prv_1 is asked first: the figures could not be read, so priority decides.',
  ],
  [{ rule: 'pending', outcome: 'refuse', facts: { otp_status: 'expired' } }, 'This verification is expired.'],
  [
    {
      rule: 'own_rule',
      outcome: 'refuse',
      facts: { rule_id: 'rul_1', name: 'Not at night', action: 'refuse', effect: 'refuse' },
    },
    'The rule “Not at night” refuses it.',
  ],
  [{ rule: 'cooldown', outcome: 'pass', facts: { retry_after: 0 } }, 'The cooldown is over.'],
  [{ rule: 'cooldown', outcome: 'refuse', facts: { retry_after: 9 } }, 'A resend is possible in 9 seconds.'],
  [
    { rule: 'send_attempts', outcome: 'refuse', facts: { because: 'counted', used: 2, max: 2 } },
    'All 2 send attempts of this verification are spent.',
  ],
  [
    { rule: 'send_attempts', outcome: 'refuse', facts: { because: 'counted', used: 1, max: 1 } },
    'The one send attempt of this verification is spent.',
  ],
  [
    { rule: 'send_attempts', outcome: 'pass', facts: { because: 'counted', used: 2, max: 5 } },
    '3 of 5 send attempts are left before this one.',
  ],
]

describe('what a rule found', () => {
  it('has a sentence for every rule, and is answered as the reference says', () => {
    const seen = new Set<string>()
    for (const [decided, sentence] of said) {
      const result = resultOf(decided)
      assert.equal(result.why, sentence)
      assert.deepEqual(ruleResult.parse(result), { ...decided, why: sentence })
      seen.add(decided.rule)
    }
    assert.deepEqual([...seen].sort(), (Object.keys(ruleFacts) as RuleName[]).sort())
  })

  it('may not be what another rule finds', () => {
    const result = { rule: 'geo', outcome: 'pass', why: '', facts: { because: 'off' } }
    assert.equal(ruleResult.safeParse(result).success, false)
  })

  it('is only a sentence where it was recorded so', () => {
    const stored = { rule: 'weather', outcome: 'pass', why: 'Fair.' } as const
    assert.deepEqual(ruleResult.parse(resultOf(stored)), { ...stored, facts: null })
  })
})
