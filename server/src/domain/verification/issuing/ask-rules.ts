/** Puts a call to its rules, one after the other, until one refuses. */
import type { AppError, Decided } from '@countersign/contract'
import type { BatchState } from './batch.ts'
import type { Found, Rule, RuleContext, Subject, Wants } from './rule.ts'

export interface Asked {
  /** What each rule said, up to the one that refused. */
  readonly decided: readonly Decided[]
  readonly refusal: AppError | null
  readonly found: Found
  readonly wants: Wants
}

const nothingFound: Found = { isFlagged: false, route: null }

export function askRules(
  rules: readonly Rule[],
  subject: Subject,
  batch: BatchState,
  context: RuleContext,
): Asked {
  const decided: Decided[] = []
  let found = nothingFound
  let wants: Wants = {}
  for (const rule of rules) {
    const outcome = rule(subject, { batch, found }, context)
    if (!outcome) continue
    decided.push(outcome.decided)
    if (outcome.refusal) return { decided, refusal: outcome.refusal, found, wants: {} }
    if (outcome.found) found = { ...found, ...outcome.found }
    if (outcome.wants) wants = { ...wants, ...outcome.wants }
  }
  return { decided, refusal: null, found, wants }
}
