/** Does what the rules want, once all of them have passed: nothing is counted or paid for a refused call. */
import type { CompanyId } from '../../../platform/ids.ts'
import { chargeLimit, type LimitRow, type LimitState } from '../../guard/index.ts'
import { type BatchState, type BatchWrites, stateKey } from './batch.ts'
import type { Keeps, Subject, Wants } from './rule.ts'

export function carryOut(
  { counted = [], spendMicros = 0n, paidMicros = 0n, pumping }: Wants,
  { app, country }: Subject,
  state: BatchState,
  writes: BatchWrites,
): void {
  state.funds.balanceMicros -= paidMicros
  state.spend?.record(app.appId, country, spendMicros)
  for (const check of counted) if (check.isCharged) count(app.companyId, check, state, writes)
  if (!pumping) return
  const { recipient, assessment, isRerouted } = pumping
  if (isRerouted) state.pumping?.sendElsewhere(app.appId, recipient, assessment, state.nowMs)
  else state.pumping?.record(app.appId, recipient, assessment, state.nowMs)
}

/** Writes what rules remember even of a refused call: when somebody was first told to wait, who was held back. */
export function keep(
  keeps: readonly Keeps[],
  { app }: Subject,
  state: BatchState,
  writes: BatchWrites,
): void {
  for (const { limits = [], held } of keeps) {
    for (const kept of limits) put(app.companyId, kept.row, kept.state, state, writes)
    if (held) holdBack(held, app.appId, state)
  }
}

function holdBack(
  { recipient, assessment, isWatched, priceMicros }: NonNullable<Keeps['held']>,
  appId: string,
  { pumping, nowMs }: BatchState,
): void {
  if (assessment.kind === 'verdict') pumping?.noteHeld(assessment.verdict, { isWatched, priceMicros })
  if (!isWatched) pumping?.turnAway(appId, recipient, assessment, nowMs)
}

function count(companyId: CompanyId, row: LimitRow, state: BatchState, writes: BatchWrites): void {
  put(companyId, row, chargeLimit(row, state.limit(companyId, row), state.nowMs), state, writes)
}

function put(
  companyId: CompanyId,
  check: LimitRow,
  next: LimitState,
  state: BatchState,
  writes: BatchWrites,
): void {
  state.setLimit(companyId, check, next)
  writes.limits.set(stateKey(companyId, check.key), { companyId, check, state: next })
}
