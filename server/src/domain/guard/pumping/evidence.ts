/** The facts of a stop. Places are named without the digits that would complete a phone number. */
import type { RuleFacts } from '@countersign/contract'
import type { Wait } from './acquaintance.ts'
import { isParent } from './barrier.ts'
import type { Stop } from './judge.ts'
import { leastMissing, missingShare } from './levels.ts'

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
  numbers: state.numbers,
  approvals: state.approved,
  expected: hundredths(conversion),
  owed: hundredths(state.debt),
  threshold: hundredths(state.threshold),
  ...reasonOf(by.level, state),
  ends: !isHold && isParent(by.level) ? 'approvals' : 'time',
  retry_after: secondsUntil(untilMs, nowMs),
})

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
