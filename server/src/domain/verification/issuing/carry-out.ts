/** Does what the rules wanted, once all of them have passed: nothing of a refused call is counted or paid. */
import { chargeLimit, type LimitCheck } from '../../guard/index.ts'
import { type BatchState, type BatchWrites, stateKey } from './batch.ts'
import type { Subject, Wants } from './rule.ts'

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
  const { recipient, assessment } = pumping
  if (assessment) state.pumping?.record(app.appId, recipient, assessment, state.nowMs)
  else state.pumping?.remember(app.appId, recipient)
}

function count(companyId: string, check: LimitCheck, state: BatchState, writes: BatchWrites): void {
  const next = chargeLimit(check, state.limit(companyId, check), state.nowMs)
  state.setLimit(companyId, check, next)
  writes.limits.set(stateKey(companyId, check.key), { companyId, check, state: next })
}
