/** Asks the rules about a call, one after the other, until one refuses. */
import type { AppError, Decided } from '@countersign/contract'
import type { BatchState } from './batch.ts'
import {
  type Found,
  type Keeps,
  noOwnDemands,
  type Rule,
  type RuleContext,
  type Subject,
  type Wants,
} from './rule.ts'

export interface RulesResult {
  /** What each rule decided, up to the one that refused. */
  readonly decided: readonly Decided[]
  readonly refusal: AppError | null
  readonly found: Found
  readonly wants: Wants
  /** What is also written for a refused call. */
  readonly keeps: readonly Keeps[]
}

const nothingFound: Found = {
  isAllowed: false,
  isFlagged: false,
  demands: noOwnDemands,
  route: null,
  account: null,
}

export function askRules(
  rules: readonly Rule[],
  subject: Subject,
  batch: BatchState,
  context: RuleContext,
): RulesResult {
  const decided: Decided[] = []
  let found = nothingFound
  let wants: Wants = {}
  const keeps: Keeps[] = []
  for (const rule of rules) {
    const outcome = rule(subject, { batch, found }, context)
    if (!outcome) continue
    decided.push(...[outcome.decided].flat())
    if (outcome.keeps) keeps.push(outcome.keeps)
    if (outcome.refusal) return { decided, refusal: outcome.refusal, found, wants: {}, keeps }
    if (outcome.found) found = { ...found, ...outcome.found }
    if (outcome.wants) wants = both(wants, outcome.wants)
  }
  return { decided, refusal: null, found, wants, keeps }
}

const both = (wants: Wants, more: Wants): Wants => ({
  ...wants,
  ...more,
  counted: [...(wants.counted ?? []), ...(more.counted ?? [])],
})
