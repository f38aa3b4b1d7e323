/**
 * What the app may spend. The caps apply to companies that are not metered too: the operator pays the carriers all the
 * same.
 */
import type { Decided } from '@countersign/contract'
import { type CapCheck, floorOf, formatMicros, judgeCaps, priceOf } from '../../../billing/index.ts'
import { isSimulated } from '../route.ts'
import { type Rule, type RuleOutcome, refuse, routeOf } from '../rule.ts'

export const judgeSpend: Rule = (subject, { batch, found }, { prices, providers }) => {
  const { step } = routeOf(found)
  if (step.kind !== 'message') return skipped('link', 0n)
  const { app, country } = subject
  const { spend, nowMs } = batch
  const priceMicros = priceOf(prices, step.channel, country)
  if (priceMicros === 0n || !spend) return skipped(priceMicros === 0n ? 'free' : 'unread', priceMicros)
  const caps = app.settings.spend_caps
  const floorMicros = floorOf(prices)
  const checks = judgeCaps(spend, { appId: app.appId, caps, country, priceMicros, floorMicros, nowMs })
  const over = checks.filter((check) => check.isExceeded)
  // A message that the simulator carries costs nothing: only a cap that somebody has set holds it back.
  const isFree = over.length > 0 && isSimulated(subject, step.channel, providers)
  const holding = over.filter(({ cap }) => !isFree || cap.source === 'set')
  // Of two caps, the one with the longer wait is told: after that wait neither refuses.
  const [longest] = holding.sort((left, right) => right.untilMs - left.untilMs)
  const facts = {
    because: 'counted',
    country,
    caps: checks.map(factsOf),
    excuse: over.length > 0 && !longest ? 'simulated' : null,
  } as const
  if (!longest)
    return { decided: { rule: 'spend', outcome: 'pass', facts }, wants: { spendMicros: priceMicros } }
  const retry_after = Math.max(1, Math.ceil((longest.untilMs - nowMs) / 1000))
  const reached = { cap_name: capNames[longest.period], retry_after }
  const details = { scope: 'spend', retry_after, cap: reached.cap_name }
  const decided = { rule: 'spend', outcome: 'refuse', facts: { ...facts, reached } } as const
  return refuse(decided, 'RateLimitExceededError', details)
}

type Facts = Extract<Decided, { rule: 'spend' }>['facts']
type CapFacts = Extract<Facts, { because: 'counted' }>['caps'][number]

const skipped = (because: Exclude<Facts['because'], 'counted'>, spendMicros: bigint): RuleOutcome => ({
  decided: { rule: 'spend', outcome: 'skip', facts: { because } },
  wants: { spendMicros },
})

const capNames = { day: 'day_by_country', hour: 'hour_unverified' } as const

const factsOf = ({ period, cap, countedMicros, isExceeded }: CapCheck): CapFacts => ({
  cap_name: capNames[period],
  spent: formatMicros(countedMicros),
  cap: cap.micros === null ? null : formatMicros(cap.micros),
  source: cap.source,
  is_over: isExceeded,
})
