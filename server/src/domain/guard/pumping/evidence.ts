/** A stop as facts; places are named without the digits that would complete a number. */
import type { RuleFacts } from '@countersign/contract'
import type { Stop } from './judge.ts'

type Stopped = Extract<RuleFacts['pumping'], { because: 'stopped' }>

export const evidenceOf = (
  { by, state, isHold, untilMs }: Stop,
  nowMs: number,
): Omit<Stopped, 'excuse' | 'otherwise'> => ({
  because: 'stopped',
  level: by.level,
  place: by.label,
  kind: isHold ? 'hold' : 'block',
  numbers: state.numbers,
  approvals: state.approved,
  retry_after: Math.max(1, Math.ceil((untilMs - nowMs) / 1000)),
})
