/** Upkeep checks whether those whom the guard against pumping has refused came back and were people. */
import type { Database } from '../../platform/database.ts'
import { doubtFit, findRefusedTime, misfitNumbers } from '../guard/index.ts'
import type { AppRef } from '../tenancy/index.ts'
import { listRefusing, readRefused } from './held-people-store.ts'

const appsAtOnce = 500

export interface DoubtDependencies {
  readonly database: Database
  /** Called if the guard of this app did not fit, and learns again. */
  readonly onMisfit: (app: AppRef) => void
  /** Called if one app fails; the others are still looked at. */
  readonly onError: (error: unknown, app: AppRef) => void
  readonly isClosing?: () => boolean
}

/** Any number of nodes may check at once: a misfit is found by one of them. */
export async function doubtGuards(dependencies: DoubtDependencies): Promise<void> {
  const { database, onMisfit, onError, isClosing = () => false } = dependencies
  let last: AppRef | null = null
  for (let isMore = true; isMore && !isClosing(); ) {
    const page = await listRefusing(database, last, appsAtOnce)
    for (const { refused, ...app } of page) {
      if (refused < misfitNumbers || isClosing()) continue
      try {
        if (await isMisfit(database, app)) onMisfit(app)
      } catch (error) {
        onError(error, app)
      }
    }
    last = page.at(-1) ?? null
    isMore = page.length === appsAtOnce
  }
}

async function isMisfit(database: Database, app: AppRef): Promise<boolean> {
  const time = await findRefusedTime({ database }, app)
  if (!time) return false
  const refused = await readRefused(database.of(app.companyId), app.appId, time)
  return doubtFit({ database }, app, time, refused)
}
