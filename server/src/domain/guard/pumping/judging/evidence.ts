/** The facts of a stop. Places are named without the digits that would complete a phone number. */
import type { RuleFacts } from '@countersign/contract'
import type { Wait } from '../acquaintance/acquaintance.ts'
import { isParent } from '../debt/barrier.ts'
import { leastMissing, missingShare } from '../levels.ts'
import type { Stop } from './judge.ts'

type Stopped = Extract<RuleFacts['pumping'], { because: 'stopped' }>
type Repeated = Extract<RuleFacts['pumping'], { because: 'repeated' }>

const secondsUntil = (untilMs: number, nowMs: number) => Math.max(1, Math.ceil((untilMs - nowMs) / 1000))
const hundredths = (value: number) => Math.round(value * 100) / 100

export const evidenceOf = (
  { by, state, isHold, untilMs, conversion }: Stop,
  nowMs: number,
): Omit<Stopped, 'excuse' | 'otherwise'> => ({
  because: 'stopped',
  level: by.level,
  place: by.label,
  kind: isHold ? 'hold' : 'block',
  ...(isHold ? seenBefore(by.level, state) : seenSince(state)),
  expected: hundredths(conversion),
  owed: hundredths(state.debt),
  threshold: hundredths(state.threshold),
  ...reasonOf(by.level, state),
  ends: !isHold && isParent(by.level) ? 'approvals' : 'time',
  retry_after: secondsUntil(untilMs, nowMs),
})

type Seen = Pick<Stopped, 'numbers' | 'approvals'>

/** Numbers since the place last owed nothing. */
const seenSince = ({ numbers, approved }: Stop['state']): Seen => ({ numbers, approvals: approved })

/**
 * A place that is held for missing approvals may owe nothing, and has then hardly counted a number since: there the
 * sends of the last minutes are the evidence. They are remembered until the hold is over.
 */
function seenBefore(level: Stop['by']['level'], state: Stop['state']): Seen {
  if (!state.isForMissing || !isParent(level) || state.due.length === 0) return seenSince(state)
  let [sent, left] = [0, 0]
  for (const [, unapproved, count] of state.due) {
    sent += count
    left += unapproved
  }
  return { numbers: sent, approvals: sent - left }
}

/** Approvals can be missing in carriers and countries only: a range that is held without owing enough has a pair. */
function reasonOf(
  level: Stop['by']['level'],
  { isForMissing }: Stop['state'],
): Pick<Stopped, 'reason' | 'missing'> {
  if (!isForMissing) return { reason: 'owed' }
  return isParent(level)
    ? { reason: 'missing', missing: { approvals: leastMissing, share: missingShare } }
    : { reason: 'pair' }
}

export const repeatEvidenceOf = (
  { sends, owed, max, untilMs }: Wait,
  nowMs: number,
): Omit<Repeated, 'excuse' | 'otherwise'> => ({
  because: 'repeated',
  sends,
  owed: hundredths(owed),
  max,
  retry_after: secondsUntil(untilMs, nowMs),
})
