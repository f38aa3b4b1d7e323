/** How much a place may owe, and what an approval there is worth. */
import { isParent } from './barrier.ts'
import { type Debt, isEstablished, usualConversion } from './debt.ts'
import {
  establishedApprovals,
  familiarShare,
  flaggedIpBlock,
  type Level,
  levelRules,
  probationMs,
  probationShare,
  slackPerApproval,
} from './levels.ts'

/** Of a place that is new to the app, a few approvals among many numbers are as good as none. */
const negligibleShare = 0.1
/** Where as many convert as in a familiar place, so many approvals show what is usual there. */
const promisingApprovals = 25
const slackOf = (state: Debt) => slackPerApproval * state.recent

export const isAlarmed = (level: Level, state: Debt) => state.debt >= levelRules[level].alert + slackOf(state)

export function thresholdOf(
  level: Level,
  state: Debt,
  { isAlert, isFlagged, nowMs }: { isAlert: boolean; isFlagged: boolean; nowMs: number },
): number {
  const { block, blockUnapproved } = levelRules[level]
  if (level === 'ip') return isFlagged ? flaggedIpBlock : block
  const isOnProbation = state.strikes > 0 && nowMs - state.struckAtMs < probationMs
  const base = isOnProbation ? probationShare * block : block
  if (!isParent(level)) return isAlert && state.approved === 0 ? blockUnapproved : base
  const isNew = state.usualApproved < establishedApprovals
  if (isNew && state.approved <= negligibleShare * state.numbers) return blockUnapproved
  return base + 2 * slackOf(state)
}

const lowestBreakEven = 0.25

/**
 * Where an app has its people, their own usual conversion counts: in some places fewer finish than elsewhere.
 */
export function breakEvenOf(level: Level, state: Debt): number {
  const { breakEven } = levelRules[level]
  if (level !== 'carrier' && level !== 'country') return breakEven
  const isPromising =
    state.usualApproved >= promisingApprovals && state.usualApproved >= familiarShare * state.usualNumbers
  if (!isPromising && !isEstablished(state)) return breakEven
  return Math.min(breakEven, Math.max(lowestBreakEven, usualConversion(state)))
}
