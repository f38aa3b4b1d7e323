/** How much a place may owe. */
import {
  alertShare,
  alliedShare,
  flaggedIpBlock,
  knownShare,
  type Level,
  levelRules,
  negligibleShare,
  outstandingShare,
  probationMs,
  probationShare,
  slackPerApproval,
  unprovenBlock,
} from '../levels.ts'
import { isParent } from './barrier.ts'
import type { Debt } from './debt.ts'

const slackOf = (state: Debt) => slackPerApproval * state.recent

export const isAlarmed = (level: Level, state: Debt) => state.debt >= levelRules[level].alert + slackOf(state)

export interface ThresholdFacts {
  /** A parent of the place is near its own threshold. */
  readonly isAlert: boolean
  readonly isFlagged: boolean
  /** The app has its people there. */
  readonly isHome: boolean
  /** Far more strangers ask there than the rest explains. */
  readonly isOutstanding: boolean
  /** How near the place is to standing out, from 0 to 1. */
  readonly prominence: number
  /** The carrier that the numbering plan names is attacked, in this prefix or in others. */
  readonly isAllied: boolean
  /** Nobody has ever typed a code of this app. */
  readonly isUnproven: boolean
  readonly nowMs: number
}

export function thresholdOf(level: Level, state: Debt, facts: ThresholdFacts): number {
  const { isAlert, isFlagged, isHome, isOutstanding, prominence, isAllied, isUnproven, nowMs } = facts
  const { block, blockUnapproved } = levelRules[level]
  if (level === 'ip') return isFlagged ? flaggedIpBlock : block
  const isOnProbation = state.strikes > 0 && nowMs - state.struckAtMs < probationMs
  const base = isOnProbation ? probationShare * block : block
  if (!isParent(level)) return isAlert && state.approved === 0 ? blockUnapproved : base
  if (isUnproven) return unprovenBlock
  if (!isHome && state.usualApproved <= negligibleShare * state.usualNumbers)
    return isAlert ? alertShare * blockUnapproved : blockUnapproved
  // Known recipients owe only for their unexplained share, however many strangers there are.
  if (level === 'known_carrier' || level === 'known_country')
    return (1 - (1 - knownShare) * prominence) * base
  // Where the app has its people, a crowd is no attack.
  if (!isOutstanding) return isHome ? base + 2 * slackOf(state) : base
  return (level === 'carrier' && isAllied ? alliedShare : outstandingShare) * base
}
