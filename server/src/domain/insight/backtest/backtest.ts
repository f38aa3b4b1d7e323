/**
 * What rules would have done with recorded sends. A page looks at so many sends, or for so long, and says where the
 * next one goes on. Counts over time are first filled from the sends before the page.
 */
import type { BacktestAnswer, OwnRule } from '@countersign/contract'
import { timeOfId } from '../../../platform/ids.ts'
import { validationError } from '../../answers/index.ts'
import { type AppRef, getApp, type RuleDraft } from '../../tenancy/index.ts'
import { type CompiledRules, compileRules } from '../../verification/index.ts'
import { type BacktestBounds, type BacktestDependencies, BacktestPage } from './page.ts'
import { positionAt } from './recorded.ts'
import type { Range } from './store.ts'

export interface BacktestRequest {
  readonly rules: readonly RuleDraft[]
  readonly from: string
  readonly to: string
  readonly cursor?: string | undefined
  /**
   * Whether rules may look at the numbers. Ten rules, one for each digit that may come next, tell that digit: whoever
   * may test prefixes can read whole numbers.
   */
  readonly seesNumbers: boolean
  /** Whether nobody waits for the answer any more. The page then ends where it is. */
  readonly isGone: () => boolean
}

const usual: BacktestBounds = {
  sends: 200_000,
  ms: 4_000,
  warmingRows: 50_000,
  warmingMs: 4_000,
  nowMs: () => performance.now(),
}

export async function backtestRules(
  dependencies: BacktestDependencies,
  ref: AppRef,
  request: BacktestRequest,
  bounds = usual,
): Promise<BacktestAnswer> {
  const app = await getApp(dependencies, ref)
  const range = rangeOf(request)
  const compiled = compileRules(request.rules.map(asIfOn)) ?? nothingAsked
  const { seesNumbers, isGone } = request
  const prices = await dependencies.prices()
  const page = new BacktestPage(dependencies, { app, compiled, bounds, prices, seesNumbers, isGone })
  if (compiled.rules.length > 0) await page.warm(range.after, secondsRemembered(compiled))
  const last = await page.read(range)
  return {
    ...page.sums.figures(),
    looked_to: last === null ? request.to : new Date(timeOfId(last)).toISOString(),
    complete: last === null,
    next_cursor: last,
  }
}

const nothingAsked: CompiledRules = {
  rules: [],
  countedSeconds: { recipient: 0, address: 0, app: 0 },
  asksKnown: false,
}

/** A draft has no id yet, so it gets one here, which keeps apart what the rules count. */
const asIfOn = (draft: RuleDraft, index: number): OwnRule => ({
  ...draft,
  rule_id: draft.rule_id ?? `rul_${String(index).padStart(26, '0')}`,
  mode: draft.mode === 'off' ? 'off' : 'on',
})

const positionShape = /^[0-7][0-9a-z]{25}$/

function rangeOf({ from, to, cursor }: BacktestRequest): Range {
  const first = positionAt(Date.parse(from))
  const before = positionAt(Date.parse(to))
  if (cursor === undefined) return { after: first, before }
  if (!positionShape.test(cursor) || cursor < first || cursor >= before) {
    throw validationError([
      { path: 'cursor', message: 'is not one that a page of this backtest has answered' },
    ])
  }
  return { after: cursor, before }
}

/** For how many seconds a send may count for later ones. */
const secondsRemembered = ({ countedSeconds, rules }: CompiledRules): number =>
  Math.max(
    ...Object.values(countedSeconds),
    ...rules.map(({ then }) => {
      if (then.action === 'limit') return then.window_s
      return then.action === 'hold' ? then.minutes * 60 + daySeconds : 0
    }),
  )
const daySeconds = 86_400
