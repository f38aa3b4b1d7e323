/** What the guard has learnt of an app, for people to see. */
import type { Database } from '../../../../platform/database.ts'
import { type AppRef, getApp } from '../../../tenancy/index.ts'
import { learningMs, learningNumbers } from '../levels.ts'
import { decodeFit } from '../stored/fit-text.ts'
import { fitNow } from './count-fit.ts'
import { type Fit, isLearning, isUnproven, type Misfit, noFit } from './fit.ts'
import { findFit } from './fit-store.ts'

export interface FitView {
  /** New numbers that were sent to, of about the last month, and how many of them were approved. */
  readonly numbers: number
  readonly approved: number
  /** Null before the first send. */
  readonly sinceMs: number | null
  readonly isLearning: boolean
  /** Nobody has ever typed a code of the app, and nobody has declared how many do. */
  readonly isUnproven: boolean
  /** What ends the learning: this many numbers, and not before this time. */
  readonly neededNumbers: number
  readonly notBeforeMs: number
  /** When most of those who were held turned out to be people; null if never, or if it has learnt since. */
  readonly misfitAtMs: number | null
  /** What showed it; null if that was not recorded. */
  readonly misfit: Misfit | null
  /** Messages of the last days that the guard would have held back if it did more than watch. */
  readonly watched: number
}

export async function lookUpFit(
  { database }: { readonly database: Database },
  app: AppRef,
): Promise<FitView> {
  const { companyId, appId, settings } = await getApp({ database }, app)
  const stored = await findFit(database.of(companyId), appId)
  const fit = stored ? fitNow(decodeFit(stored.text), stored.nowMs) : noFit
  return { ...viewOf(fit, settings.pumping), watched: stored?.watched ?? 0 }
}

function viewOf(
  fit: Fit,
  { mode, declared_conversion }: { readonly mode: string; readonly declared_conversion: number | null },
): Omit<FitView, 'watched'> {
  const { strangers, sinceMs, misfitAtMs, misfit, atMs } = fit
  const learns = isLearning(fit, mode === 'auto' && declared_conversion === null, atMs)
  return {
    numbers: Math.round(strangers.numbers),
    approved: Math.round(strangers.approved),
    sinceMs: sinceMs === 0 ? null : sinceMs,
    isLearning: learns,
    isUnproven: isUnproven(fit, declared_conversion),
    neededNumbers: learningNumbers,
    notBeforeMs: Math.max(sinceMs, misfitAtMs) + learningMs,
    misfitAtMs: learns && misfitAtMs > 0 ? misfitAtMs : null,
    misfit,
  }
}
