/**
 * What a message costs: whether the app may spend it, and whether the company can pay. Asked last.
 *
 * Companies that are not metered are held to the caps too: whoever runs the service pays the carriers all the
 * same.
 */
import { AppError, type ChannelName, type Decided, type RuleFacts } from '@countersign/contract'
import { floorOf, formatMicros, judgeCaps, priceOf, type Standing } from '../billing/index.ts'
import type { BatchState } from './batch.ts'
import { isSimulated, type JudgeContext, type Subject } from './judge.ts'
import { refusalOf, type Trail } from './trail.ts'

export interface Price {
  /** What the price book asks. */
  readonly spendMicros: bigint
  /** What the company is charged of it: nothing where it is not metered. */
  readonly paidMicros: bigint
}

/** `channel` null: a link, which costs nothing until a message is sent. */
export function judgePrice(
  trail: Trail,
  state: BatchState,
  context: JudgeContext,
  subject: Subject,
  channel: ChannelName | null,
): Price {
  if (channel === null) {
    trail.add({ rule: 'spend', outcome: 'skip', facts: { because: 'link' } })
    trail.add({ rule: 'balance', outcome: 'pass', facts: { because: 'link' } })
    return { spendMicros: 0n, paidMicros: 0n }
  }
  const spendMicros = priceOf(context.prices, channel, subject.country)
  judgeSpend(trail, state, context, subject, channel, spendMicros)
  return { spendMicros, paidMicros: judgeBalance(trail, state, spendMicros) }
}

function judgeSpend(
  trail: Trail,
  { spend, nowMs }: BatchState,
  { prices, providers }: JudgeContext,
  subject: Subject,
  channel: ChannelName,
  priceMicros: bigint,
): void {
  const { country, app } = subject
  if (priceMicros === 0n || !spend) {
    const because = priceMicros === 0n ? 'free' : 'unread'
    trail.add({ rule: 'spend', outcome: 'skip', facts: { because } })
    return
  }
  const caps = app.settings.spend_caps
  const floorMicros = floorOf(prices)
  const standings = judgeCaps(spend, { appId: app.appId, caps, country, priceMicros, floorMicros, nowMs })
  const over = standings.filter((standing) => standing.isOver)
  // What the simulator carries costs nobody anything: only a cap that somebody set holds it back.
  const isFree = isSimulated(subject, channel, providers)
  const holding = over.filter(({ cap }) => !isFree || cap.source === 'set')
  // Of two, the one that lasts longer: after its wait neither stands in the way.
  const [longest] = holding.sort((left, right) => right.untilMs - left.untilMs)
  const evidence = { because: 'counted', country, caps: standings.map(factsOfStanding) } as const
  if (longest) {
    const facts = { ...evidence, excuse: null }
    trail.refuse({ rule: 'spend', outcome: 'refuse', facts }, capReached(longest, country, nowMs))
  }
  const facts = { ...evidence, excuse: over.length > 0 ? ('simulated' as const) : null }
  trail.add({ rule: 'spend', outcome: 'pass', facts })
}

const capNames = { day: 'day_by_country', hour: 'hour_unverified' } as const
type CapFacts = Extract<RuleFacts['spend'], { because: 'counted' }>['caps'][number]

const factsOfStanding = ({ period, cap, countedMicros, isOver }: Standing): CapFacts => ({
  cap_name: capNames[period],
  spent: formatMicros(countedMicros),
  cap: cap.micros === null ? null : formatMicros(cap.micros),
  source: cap.source,
  is_over: isOver,
})

/** Without amounts, which are the app's and not the caller's device's. */
function capReached({ period, untilMs }: Standing, country: string | null, nowMs: number): AppError {
  const seconds = Math.max(1, Math.ceil((untilMs - nowMs) / 1000))
  const what =
    period === 'day'
      ? `what this app may spend in a day for ${country ?? 'email addresses'}`
      : 'what this app may spend in an hour on verifications that are not approved'
  const message = `This would be more than ${what} (scope spend). Try again in ${seconds} s.`
  const details = { scope: 'spend', retry_after: seconds, cap: capNames[period] }
  return new AppError('RateLimitExceededError', message, details)
}

function judgeBalance(trail: Trail, { account }: BatchState, priceMicros: bigint): bigint {
  const rule = 'balance'
  if (!account.isMetered) {
    trail.add({ rule, outcome: 'pass', facts: { because: 'not_metered' } })
    return 0n
  }
  const price = formatMicros(priceMicros)
  const facts = { because: 'price', price, balance: formatMicros(account.balanceMicros) } as const
  if (account.balanceMicros < priceMicros) {
    const decided: Decided = { rule, outcome: 'refuse', facts }
    trail.refuse(decided, refusalOf('InsufficientFundsError', decided, { price }))
  }
  trail.add({ rule, outcome: 'pass', facts })
  return priceMicros
}
