/** How many recipients the guard against pumping held back, and how many of them turned out to be people. */
import type { HeldPeopleAnswer } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { type AppRef, getApp } from '../tenancy/index.ts'
import { rangeOf, type StatsRequest } from './figures/read-stats.ts'
import { readHeld } from './held-people-store.ts'

export async function readHeldPeople(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  app: AppRef,
  request: Pick<StatsRequest, 'from' | 'to'>,
): Promise<HeldPeopleAnswer> {
  const { companyId, appId } = await getApp({ database }, app)
  // As for figures by channel: whole hours if they are still kept, otherwise whole days.
  const range = rangeOf({ ...request, by: 'channel' }, clock.nowMs())
  const { heldSends, people, approvedLater, isComplete } = await readHeld(
    database.of(companyId),
    appId,
    range,
  )
  return {
    from: new Date(range.fromMs).toISOString(),
    to: new Date(range.toMs).toISOString(),
    held_sends: heldSends,
    people,
    approved_later: approvedLater,
    is_complete: isComplete,
  }
}
