/**
 * Asks an app's own rules, one after the other, about a call that is being decided or about one that was recorded.
 *
 * The first rule that refuses or lets pass ends the list; rules that restrict the channels add up. A rule in shadow
 * says what it would do at its place in the list, and changes nothing for those after it.
 */
import type { ChannelName, RuleAction, RuleConditionName, RuleFacts } from '@countersign/contract'
import { type LimitRow, type LimitState, testLimit } from '../../../guard/index.ts'
import { type KeptLimit, noOwnDemands, type OwnDemands } from '../rule.ts'
import type { CompiledRule, CompiledRules } from './compile.ts'
import type { Circumstances, CountedOf } from './conditions.ts'
import { type CountedRecipient, holdRow, limitRow, sendRow, sendRowsOf } from './rows.ts'

export interface Destination {
  readonly channel: ChannelName
  readonly isLink: boolean
  readonly priceMicros: bigint
}

/** What the rules are asked about. */
export interface World {
  readonly person: CountedRecipient
  readonly nowMs: number
  readonly facts: Omit<Circumstances, 'nowMs' | 'sends' | 'channel' | 'priceMicros'>
  /** Where the call goes: null if no channel is left, undefined if it is not known. */
  readonly goesTo: (demands: OwnDemands) => Destination | null | undefined
  readonly stateOf: (row: LimitRow) => LimitState
}

export type OwnFacts = RuleFacts['own_rule']

export interface Verdict {
  readonly rule: CompiledRule
  readonly facts: OwnFacts
}

export interface Judged {
  /** What each matching rule has said. */
  readonly verdicts: readonly Verdict[]
  /** The rule that refuses, if any; it was the last that was asked. */
  readonly stop: Verdict | null
  readonly demands: OwnDemands
  /** Rows that count the send if it is accepted. */
  readonly counted: readonly LimitRow[]
  readonly kept: readonly KeptLimit[]
  /** Unknown conditions of rules that would otherwise have matched. */
  readonly unknown: readonly RuleConditionName[]
}

/** What one rule does with the call. */
interface Act {
  readonly facts: OwnFacts
  readonly demands?: OwnDemands
  readonly counted?: LimitRow
  readonly kept?: KeptLimit
}

export function judgeOwn(compiled: CompiledRules, world: World): Judged {
  const verdicts: Verdict[] = []
  const counted: LimitRow[] = [...sendRowsOf(compiled, world.person)]
  const kept: KeptLimit[] = []
  const unknown: RuleConditionName[] = []
  let demands = noOwnDemands
  let stop: Verdict | null = null
  for (const rule of compiled.rules) {
    const matched = matches(rule, circumstancesOf(compiled, world, demands))
    if (matched !== true) {
      unknown.push(...matched)
      continue
    }
    const act = actOf(rule, world, demands)
    const verdict = { rule, facts: act.facts }
    verdicts.push(verdict)
    if (act.counted) counted.push(act.counted)
    if (act.kept) kept.push(act.kept)
    if (rule.isShadow) continue
    demands = act.demands ?? demands
    if (isStop(act.facts)) stop = verdict
    if (stop || rule.then.action === 'pass') break
  }
  return { verdicts, stop, demands, counted, kept, unknown }
}

/** A rule that leaves no channel does not refuse by itself: routing does, as it would without rules. */
const isStop = ({ action, effect }: OwnFacts) =>
  effect === 'hold' || (effect === 'refuse' && action !== 'channels' && action !== 'link')

/** True if all conditions hold; otherwise the unknown ones, or none if one condition does not hold. */
function matches(
  { conditions }: CompiledRule,
  circumstances: Circumstances,
): true | readonly RuleConditionName[] {
  const unknown: RuleConditionName[] = []
  for (const { name, holds } of conditions) {
    const verdict = holds(circumstances)
    if (verdict === false) return []
    if (verdict === undefined) unknown.push(name)
  }
  return unknown.length === 0 || unknown
}

function circumstancesOf(compiled: CompiledRules, world: World, demands: OwnDemands): Circumstances {
  const { facts, person, nowMs, stateOf, goesTo } = world
  return {
    ...facts,
    nowMs,
    sends: (of: CountedOf, windowSeconds: number) => {
      const row = sendRow(compiled, of, person)
      return row && stateOf(row).filter((timeMs) => timeMs > nowMs - windowSeconds * 1000).length
    },
    channel: () => read(goesTo(demands), ({ channel }) => channel),
    priceMicros: () => read(goesTo(demands), ({ priceMicros }) => priceMicros),
  }
}

const read = <Value>(
  destination: Destination | null | undefined,
  field: (destination: Destination) => Value,
): Value | null | undefined => destination && field(destination)

function actOf(rule: CompiledRule, world: World, demands: OwnDemands): Act {
  const named = { rule_id: rule.ruleId, name: rule.name }
  const { then } = rule
  switch (then.action) {
    case 'refuse':
      return { facts: { ...named, action: 'refuse', effect: 'refuse' } }
    case 'pass':
      return { facts: { ...named, action: 'pass', effect: 'pass' }, demands: { ...demands, isExcused: true } }
    case 'hold':
      return holdFor(rule, then, world)
    case 'limit':
      return limitTo(rule, then, world)
    case 'channels': {
      const channels = new Set(then.channels.filter((channel) => demands.channels?.has(channel) ?? true))
      const moved = moveTo({ ...demands, channels }, world, demands)
      const facts = { ...named, action: 'channels', channels: then.channels, ...moved.goal } as const
      return { facts, demands: moved.demands }
    }
    case 'link': {
      const moved = moveTo({ ...demands, needsLink: true }, world, demands)
      return { facts: { ...named, action: 'link', ...moved.goal }, demands: moved.demands }
    }
  }
}

/** The wait begins with the first try; once it is over, the recipient passes for a day. */
function holdFor(
  rule: CompiledRule,
  then: Extract<RuleAction, { action: 'hold' }>,
  { person, stateOf, nowMs }: World,
): Act {
  const row = holdRow(rule, then, person)
  const [firstMs] = stateOf(row)
  const begins = firstMs === undefined || nowMs - firstMs >= row.keepSeconds * 1000
  const untilMs = (begins ? nowMs : firstMs) + then.minutes * 60_000
  const retry_after = Math.max(0, Math.ceil((untilMs - nowMs) / 1000))
  const facts = {
    rule_id: rule.ruleId,
    name: rule.name,
    action: 'hold',
    effect: retry_after > 0 ? 'hold' : 'none',
    minutes: then.minutes,
    retry_after,
  } as const
  return begins ? { facts, kept: { row, state: [nowMs] } } : { facts }
}

function limitTo(
  rule: CompiledRule,
  then: Extract<RuleAction, { action: 'limit' }>,
  { person, stateOf, nowMs }: World,
): Act {
  const row = limitRow(rule, then, person)
  const verdict = testLimit(row, stateOf(row), nowMs)
  const facts = {
    rule_id: rule.ruleId,
    name: rule.name,
    action: 'limit',
    effect: verdict.isAllowed ? 'none' : 'refuse',
    max: then.max,
    window_s: then.window_s,
    retry_after: verdict.isAllowed ? 0 : verdict.retryAfterSeconds,
  } as const
  return verdict.isAllowed ? { facts, counted: row } : { facts }
}

/** Where the call goes if this rule narrows its channels too. */
function moveTo(
  next: OwnDemands,
  { goesTo }: World,
  demands: OwnDemands,
): {
  readonly demands: OwnDemands
  readonly goal: { readonly effect: 'reroute' | 'refuse' | 'none'; readonly channel: ChannelName | null }
} {
  const before = goesTo(demands)
  const after = goesTo(next)
  const channel = after?.channel ?? null
  if (!before) return { demands: next, goal: { effect: 'none', channel } }
  if (!after) return { demands: next, goal: { effect: 'refuse', channel } }
  const isSame = before.channel === after.channel && before.isLink === after.isLink
  return { demands: next, goal: { effect: isSame ? 'none' : 'reroute', channel } }
}
