/** What an app's developers do with their events. */
import { AppError } from '@countersign/contract'
import { type EndpointId, lowestId, newId, parseId, timeOfId } from '../../platform/ids.ts'
import { noSuch, type Page, type PageRequest, parseCursor } from '../answers/index.ts'
import { type AppRef, getApp } from '../tenancy/index.ts'
import type { Endpoint, EndpointRef } from './endpoint.ts'
import { otpEvent } from './event.ts'
import * as store from './event-store.ts'
import { getEndpoint, getFirstEndpoint, listEndpoints, type WebhookDependencies } from './manage-endpoint.ts'
import * as replays from './replay-store.ts'

type Reading = Pick<WebhookDependencies, 'database'>

/** Stores an event for a verification that does not exist. The caller nudges the sender after the commit. */
export async function sendTestEvent(
  { database, clock }: Pick<WebhookDependencies, 'database' | 'clock'>,
  ref: EndpointRef,
): Promise<string> {
  assertNotPaused(await getEndpoint({ database }, ref))
  const otpId = newId('verification', clock.nowMs())
  const event = otpEvent('approved', otpId, clock.nowMs())
  await store.insertTestEvent(database.of(ref.companyId), ref.appId, ref.endpointId, otpId, event)
  return event.eventId
}

export async function getEvent(
  { database }: Reading,
  { companyId, appId }: AppRef,
  eventId: string,
): Promise<store.ListedEvent> {
  const [event] = await store.readEvents(database.of(companyId), appId, [eventId])
  if (!event) throw noSuch('event')
  return event
}

/** Replays the event to this endpoint, or with null to each that takes its type. The caller nudges the sender. */
export async function replayEvent(
  dependencies: Reading,
  app: AppRef,
  eventId: string,
  endpointId: EndpointId | null,
): Promise<void> {
  await openEndpoints(dependencies, app, endpointId)
  const tenant = dependencies.database.of(app.companyId)
  if ((await replays.replayEvent(tenant, app.appId, eventId, endpointId)) === 0)
    throw new AppError('ConflictError', 'No endpoint that is not paused takes events of this type.')
}

interface ReplayBounds {
  /** How many rows one statement looks at. */
  readonly rows: number
  /** The time limit: events that are not reached by then are left to the next call; what is done stays done. */
  readonly ms: number
  readonly nowMs: () => number
}

const usual: ReplayBounds = { rows: 2_000, ms: 20_000, nowMs: () => performance.now() }
/** Another node's clock may be ahead by this much. */
const skewMs = 60_000

export async function replayFailed(
  dependencies: WebhookDependencies,
  app: AppRef,
  { since, endpointId }: { readonly since: Date; readonly endpointId: EndpointId | null },
  bounds = usual,
): Promise<number> {
  // Read once, so that the replay goes on even if its first events pause an endpoint.
  const openIds = await openEndpoints(dependencies, app, endpointId)
  const { database, clock, nudgeEvents } = dependencies
  const nowMs = clock.nowMs()
  const overMs = bounds.nowMs() + bounds.ms
  let [from, count]: [string | null, number] = [lowestId('event', since.getTime() - skewMs), 0]
  while (from !== null) {
    if (bounds.nowMs() > overMs) throw moreIsLeft(count, Math.max(since.getTime(), timeOfId(from) - skewMs))
    const slice = await replays.replayFailed(database.of(app.companyId), app.appId, {
      from,
      before: lowestId('event', nowMs + skewMs),
      since,
      openIds,
      rows: bounds.rows,
    })
    count += slice.count
    from = slice.next
    if (slice.count > 0) nudgeEvents()
  }
  return count
}

/** The next call starts from there: otherwise it would use up its time on the same old events. */
const moreIsLeft = (count: number, sinceMs: number) => {
  const since = new Date(sinceMs).toISOString()
  const begun = count === 1 ? '1 attempt has' : `${count} attempts have`
  return new AppError(
    'UnavailableError',
    `${begun} begun, and there are more events to look at. Call again with since ${since} for the rest.`,
    { retry_after: 1, since },
  )
}

/** Newest first. A page may be short or empty if the search ended at its bound; the cursor goes on from there. */
export async function listEvents(
  { database }: Reading,
  app: AppRef,
  { cursor, limit, ...filter }: PageRequest & Omit<store.EventFilter, 'before' | 'limit'>,
): Promise<Page<store.ListedEvent>> {
  await getApp({ database }, app)
  const before = parseCursor(cursor, parseEventCursor)
  const tenant = database.of(app.companyId)
  const { eventIds, edge } = await store.findEventIds(tenant, app.appId, {
    ...filter,
    before,
    limit: limit + 1,
  })
  const shown = eventIds.slice(0, limit)
  const rows = (await store.readEvents(tenant, app.appId, shown)).toReversed()
  if (eventIds.length > limit) return { rows, nextCursor: shown.at(-1) ?? null }
  // The search may have cut off rows of the event at the edge: unless that event was found, it is looked at again.
  return { rows, nextCursor: edge === null || shown.includes(edge) ? edge : `${edge}~` }
}

const parseEventCursor = (text: string) => (parseId('event', text.replace(/~$/, '')) ? text : null)

/** The endpoints that are not paused; throws if there is none. */
async function openEndpoints(
  dependencies: Reading,
  app: AppRef,
  endpointId: EndpointId | null,
): Promise<EndpointId[]> {
  if (endpointId !== null) {
    assertNotPaused(await getEndpoint(dependencies, { ...app, endpointId }))
    return [endpointId]
  }
  const first = await getFirstEndpoint(dependencies, app)
  const open = (await listEndpoints(dependencies, app)).filter(({ status }) => status !== 'paused')
  if (open.length === 0) assertNotPaused(first)
  return open.map((endpoint) => endpoint.endpointId)
}

function assertNotPaused({ status }: Endpoint): void {
  if (status === 'paused') throw new AppError('ConflictError', 'The endpoint is paused. Enable it first.')
}
