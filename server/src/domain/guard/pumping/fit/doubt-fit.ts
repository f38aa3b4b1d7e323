/** Checks whether most of those whom an app's guard has refused were people, and lets it learn anew if so. */
import type { Database, Tenant } from '../../../../platform/database.ts'
import { type App, type AppRef, getApp, lockCompany } from '../../../tenancy/index.ts'
import { misfitMs } from '../levels.ts'
import { fitRow } from '../place.ts'
import { decodeFit, encodeFit, fitOverMs } from '../stored/fit-text.ts'
import { rewriteRow } from '../stored/row-store.ts'
import { doubted, fitNow, type Refused } from './count-fit.ts'
import { type Fit, fitsSinceMs, isLearning } from './fit.ts'
import { type FoundFit, findFit } from './fit-store.ts'

const hourMs = 3_600_000

export interface RefusedTime {
  /** Whole hours, since refusals are counted by the hour. */
  readonly fromMs: number
  readonly toMs: number
}

/**
 * The time in which refusals say something about the guard of this app; null while it learns, is off or has seen
 * nothing. Refusals from before it last began to act are left out, so that nobody counts twice.
 */
export async function findRefusedTime(
  { database }: { readonly database: Database },
  ref: AppRef,
): Promise<RefusedTime | null> {
  const app = await getApp({ database }, ref)
  const found = await findFit(database.of(app.companyId), app.appId)
  return found ? refusedTimeOf(fitIn(found), app) : null
}

/** Returns whether the guard was found not to fit. */
export async function doubtFit(
  { database }: { readonly database: Database },
  ref: AppRef,
  time: RefusedTime,
  refused: Refused,
): Promise<boolean> {
  const app = await getApp({ database }, ref)
  const judge = async (tenant: Tenant): Promise<Fit | null> => {
    const found = await findFit(tenant, app.appId)
    if (!found) return null
    const fit = fitIn(found)
    // Another node may have found the misfit since, and people who were let in because of that must not count twice.
    if (!refusedTimeOf(fit, app) || fitsSinceMs(fit) > time.fromMs) return null
    const after = doubted(fit, refused)
    return after === fit ? null : after
  }
  // Judged without the lock first, so that nobody waits for it where nothing would change, as during an attack.
  if (!(await judge(database.of(app.companyId)))) return false
  return database.transaction(async (transaction) => {
    const tenant = transaction.of(app.companyId)
    // The company is locked first, as in a batch, so that nothing of this app is decided meanwhile.
    if (!(await lockCompany(tenant))) return false
    const after = await judge(tenant)
    if (after)
      await rewriteRow(tenant, { scope: app.appId, rowKey: fitRow }, encodeFit(after), fitOverMs(after))
    return after !== null
  })
}

const fitIn = ({ text, nowMs }: FoundFit): Fit => fitNow(decodeFit(text), nowMs)

function refusedTimeOf(fit: Fit, { settings: { pumping } }: App): RefusedTime | null {
  const { mode, declared_conversion } = pumping
  const { atMs } = fit
  if (mode === 'off' || isLearning(fit, mode === 'auto' && declared_conversion === null, atMs)) return null
  const fromMs = wholeHour(Math.max(atMs - misfitMs, fitsSinceMs(fit)))
  const toMs = wholeHour(atMs)
  return fromMs < toMs ? { fromMs, toMs } : null
}

const wholeHour = (timeMs: number) => Math.ceil(timeMs / hourMs) * hourMs
