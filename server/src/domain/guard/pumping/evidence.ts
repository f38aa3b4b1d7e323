/** A stop as facts; places are named without the digits that would complete a phone number. */
import type { RuleFacts } from '@countersign/contract'
import { isParent } from './barrier.ts'
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
  numbers: state.numbers,
  approvals: state.approved,
  expected: hundredths(conversion),
  owed: hundredths(state.debt),
  threshold: hundredths(state.threshold),
  reason: state.isForMissing ? 'missing' : 'owed',
  ends: !isHold && isParent(by.level) ? 'approvals' : 'time',
  retry_after: secondsUntil(untilMs, nowMs),
})

export const repeatEvidenceOf = (
  { sends, untilMs }: { readonly sends: number; readonly untilMs: number },
  nowMs: number,
): Omit<Repeated, 'excuse' | 'otherwise'> => ({
  because: 'repeated',
  sends,
  retry_after: secondsUntil(untilMs, nowMs),
})
