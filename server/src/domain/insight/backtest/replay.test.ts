/** What a draft of rules would have done with single recorded sends, and what that adds up to. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  appSettings,
  type ChannelName,
  type OwnRule,
  type RuleAction,
  type RuleConditions,
} from '@countersign/contract'
import { compileRules } from '../../verification/index.ts'
import { isAsked, type Recorded } from './recorded.ts'
import { Replay, type ReplayContext } from './replay.ts'
import { Sums } from './sums.ts'

const atMs = Date.UTC(2026, 0, 2)

type Routing = Extract<NonNullable<Recorded['routing']>, { because: 'chosen' }>
const chosen = (order: readonly ChannelName[], more: Partial<Routing> = {}): Routing => ({
  because: 'chosen',
  as: 'message',
  channel: order[0] ?? 'sms',
  order: [...order],
  left_out: [],
  ...more,
})

/** A text message for 0.05. */
const recordedOf = (more: Partial<Recorded> = {}): Recorded => ({
  position: '01',
  kind: 'send',
  otpId: 'otp_1',
  atMs,
  keyKind: 'server',
  recipientType: 'phone',
  country: 'GB',
  maskedRecipient: '+44****01',
  recipientHash: Buffer.from('somebody'),
  recipient: null,
  clientIp: null,
  ipKey: null,
  reputation: { because: 'no_client_ip' },
  routing: chosen(['sms', 'whatsapp', 'telegram']),
  priceMicros: 50_000n,
  costMicros: 50_000n,
  isApproved: false,
  refused: null,
  ...more,
})
const refusedBy = (rule: string, count = 1): Partial<Recorded> => ({
  refused: { rule, count },
  costMicros: 50_000n * BigInt(count),
})

const settingsOf = (mode: 'template' | 'link_code' = 'template') =>
  appSettings.parse({ channels: { whatsapp: { mode } } })

const contextOf = (more: Partial<ReplayContext> = {}): ReplayContext => ({
  appId: 'app_1',
  settings: settingsOf(),
  prices: {
    currency: 'EUR',
    default: { sms: '0.05', whatsapp: '0.02', telegram: '0.01', email: '0.001', whatsapp_reply: '0' },
    countries: {},
  },
  numberOf: () => undefined,
  countryOf: () => null,
  firstApprovals: new Map(),
  ...more,
})

interface Draft {
  readonly when?: RuleConditions
  readonly then?: RuleAction
}
const compiledOf = (drafts: readonly Draft[]) => {
  const rules = drafts.map(
    ({ when = {}, then = { action: 'refuse' } }, index): OwnRule => ({
      rule_id: `rul_${index}`,
      name: `Rule ${index}`,
      mode: 'on',
      when,
      then,
    }),
  )
  return compileRules(rules) ?? assert.fail('no rules')
}
const look = (drafts: readonly Draft[], recorded: Recorded, context = contextOf()) => {
  const { would, savedMicros, judged } = new Replay(compiledOf(drafts)).look(recorded, context)
  return { what: would?.what ?? null, savedMicros, unknown: judged.unknown }
}
const to = (...channels: ChannelName[]): Draft => ({ then: { action: 'channels', channels } })
const pass: Draft = { then: { action: 'pass' } }
const link: Draft = { then: { action: 'link' } }

describe('what a draft would have done', () => {
  const told = (drafts: readonly Draft[], recorded: Recorded, context?: ReplayContext) => {
    const { what, savedMicros } = look(drafts, recorded, context)
    return [what, savedMicros]
  }

  it('with a send that is refused saves its price, and moved it saves the difference', () => {
    assert.deepEqual(told([{}], recordedOf()), ['refuse', 50_000n])
    assert.deepEqual(told([to('telegram')], recordedOf()), ['reroute', 40_000n])
    assert.deepEqual(told([to('sms')], recordedOf()), [null, 0n])
    assert.deepEqual(told([to('email')], recordedOf()), ['refuse', 50_000n])
  })

  it('with many equal sends that were refused is done with each of them', () => {
    assert.deepEqual(told([to('telegram')], recordedOf(refusedBy('own_rule', 3))), ['reroute', -30_000n])
  })

  it('saves nothing by refusing again what cost nothing, and costs the price of what it lets through', () => {
    const refused = recordedOf(refusedBy('own_rule', 3))
    assert.deepEqual(told([{}], refused), ['refuse', 0n])
    assert.deepEqual(told([{ then: { action: 'hold', minutes: 5 } }], refused), ['hold', 0n])
    assert.deepEqual(told([{ when: { country: ['DE'] } }], refused), ['pass', -150_000n])
  })

  it('by asking for a link costs nothing, and is a refusal where there are no links', () => {
    const withLinks = contextOf({ settings: settingsOf('link_code') })
    assert.deepEqual(told([link], recordedOf(), withLinks), ['reroute', 50_000n])
    assert.deepEqual(told([link], recordedOf()), ['refuse', 50_000n])
    const withoutWhatsapp = recordedOf({ routing: chosen(['sms', 'telegram']) })
    assert.deepEqual(told([link], withoutWhatsapp, withLinks), ['refuse', 50_000n])
  })

  it('asks a channel that is left for its own link, not the one that the send went by', () => {
    const recorded = recordedOf({ routing: chosen(['whatsapp', 'sms'], { as: 'link' }) })
    const withLinks = contextOf({ settings: settingsOf('link_code') })
    assert.equal(look([link, to('sms')], recorded, withLinks).what, 'refuse')
    assert.equal(look([link], recorded, withLinks).what, null)
  })

  it('goes to the next channel in the app’s order for a send, and in that of the moment for a resend', () => {
    const routing = chosen(['sms', 'telegram', 'whatsapp'])
    const draft = [to('whatsapp', 'telegram')]
    assert.deepEqual(told(draft, recordedOf({ routing })), ['reroute', 30_000n])
    assert.deepEqual(told(draft, recordedOf({ routing, kind: 'resend' })), ['reroute', 40_000n])
  })

  it('may use the channels that only the rules of that time left out', () => {
    const left_out = [
      { channel: 'sms', because: 'own_rule' },
      { channel: 'whatsapp', because: 'unreachable' },
    ] satisfies Routing['left_out']
    const routing = chosen(['telegram'], { left_out })
    assert.equal(look([to('sms')], recordedOf({ routing })).what, 'reroute')
    assert.equal(look([to('whatsapp')], recordedOf({ routing })).what, 'refuse')
  })

  for (const rule of ['ip_reputation', 'pumping']) {
    it(`lets a send pass that ${rule} refused, if a rule says so, also on another channel`, () => {
      const refused = recordedOf(refusedBy(rule, 2))
      assert.deepEqual(told([pass], refused), ['pass', -100_000n])
      assert.deepEqual(told([to('telegram'), pass], refused), ['pass', -20_000n])
      assert.deepEqual(told([to('email'), pass], refused), [null, 0n])
      assert.deepEqual(told([{}], refused), [null, 0n])
    })
  }

  it('lets no send pass that something else refused: a limit, a cap, the balance', () => {
    for (const rule of ['limits', 'spend', 'balance', 'account'])
      assert.deepEqual(told([pass], recordedOf(refusedBy(rule))), [null, 0n])
  })

  it('is not known by the country of an address that was erased', () => {
    const draft = [{ when: { ip_country: ['GB'] } }]
    assert.deepEqual(look(draft, recordedOf({ recipientHash: null })).unknown, ['ip_country'])
    assert.deepEqual(look(draft, recordedOf()).unknown, [])
    const context = contextOf({ countryOf: () => 'GB' })
    assert.equal(look(draft, recordedOf({ clientIp: '81.2.69.142' }), context).what, 'refuse')
  })

  it('is asked of no link that was only shown again, and of nothing that was refused before own rules are', () => {
    assert.equal(isAsked(recordedOf()), true)
    const routing = chosen(['whatsapp'], { as: 'same_link' })
    assert.equal(isAsked(recordedOf({ routing })), false)
    for (const rule of ['recipient', 'geo', 'pending', 'cooldown'])
      assert.equal(isAsked(recordedOf(refusedBy(rule))), false, rule)
    assert.equal(isAsked(recordedOf(refusedBy('balance'))), true)
  })
})

describe('the figures of a backtest', () => {
  const figuresOf = (drafts: readonly Draft[], sends: readonly Recorded[]) => {
    const compiled = compiledOf(drafts)
    const [sums, replay] = [new Sums(compiled), new Replay(compiled)]
    for (const recorded of sends) sums.add(recorded, replay.look(recorded, contextOf()))
    return sums.figures()
  }

  it('count each of many equal refusals, and each person once', () => {
    const told = figuresOf([{}], [recordedOf(refusedBy('own_rule', 3)), recordedOf()])
    assert.deepEqual([told.sends, told.would_refuse, told.people], [4, 4, 1])
    const [rule] = told.rules
    assert.deepEqual([rule?.matched, rule?.would_refuse], [4, 4])
    const unknown = figuresOf([{ when: { prefix: ['+44'] } }], [recordedOf(refusedBy('own_rule', 3))])
    assert.deepEqual([unknown.unknown, unknown.unknown_conditions], [3, ['prefix']])
  })

  it('take those who were erased for different people, and count the sends of each by itself', () => {
    const erased = ['01', '02'].map((position) => recordedOf({ position, recipientHash: null }))
    assert.equal(figuresOf([{}], erased).people, 2)
    const second: Draft = { when: { sends_of_recipient: { gte: 1, window_s: 3_600 } } }
    assert.equal(figuresOf([second], erased).would_refuse, 0)
    assert.equal(figuresOf([second], [recordedOf(), recordedOf()]).would_refuse, 1)
  })

  it('count nobody among the people who would pass, since nothing happens to them', () => {
    const told = figuresOf([pass], [recordedOf(refusedBy('pumping'))])
    assert.deepEqual([told.would_pass, told.people], [1, 0])
  })

  it('have twenty examples at most, the first ones', () => {
    const sends = Array.from({ length: 25 }, (_, index) => recordedOf({ otpId: `otp_${index}` }))
    const { examples, would_refuse } = figuresOf([{}], sends)
    assert.equal(would_refuse, 25)
    assert.deepEqual(
      examples.map(({ otp_id }) => otp_id),
      sends.slice(0, 20).map(({ otpId }) => otpId),
    )
  })
})
