/** What an app's developers do with their events. */
import { AppError } from '@countersign/contract'
import { type EndpointId, newId } from '../../platform/ids.ts'
import { noSuch, type Page, type PageRequest } from '../answers/index.ts'
import { type AppRef, getApp } from '../tenancy/index.ts'
import type { Endpoint, EndpointRef } from './endpoint.ts'
import { otpEvent } from './event.ts'
import * as store from './event-store.ts'
import { getEndpoint, getFirstEndpoint, listEndpoints, type WebhookDependencies } from './manage-endpoint.ts'
import * as replays from './replay-store.ts'

type Reading = Pick<WebhookDependencies, 'database'>

/** An event for a verification that does not exist. */
export async function sendTestEvent(dependencies: WebhookDependencies, ref: EndpointRef): Promise<string> {
  const { database, clock } = dependencies
  assertNotPaused(await getEndpoint(dependencies, ref))
  const otpId = newId('verification', clock.nowMs())
  const event = otpEvent('approved', otpId, clock.nowMs())
  await store.insertTestEvent(database.of(ref.companyId), ref.appId, ref.endpointId, otpId, event)
  dependencies.nudgeEvents()
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

/** Null: to each endpoint that takes its type. */
export async function replayEvent(
  dependencies: WebhookDependencies,
  app: AppRef,
  eventId: string,
  endpointId: EndpointId | null,
): Promise<void> {
  await assertOneOpen(dependencies, app, endpointId)
  const tenant = dependencies.database.of(app.companyId)
  if ((await replays.replayEvent(tenant, app.appId, eventId, endpointId)) === 0)
    throw new AppError('ConflictError', 'No endpoint that is not paused takes events of this type.')
  dependencies.nudgeEvents()
}

export async function replayFailed(
  dependencies: WebhookDependencies,
  app: AppRef,
  { since, endpointId }: { readonly since: Date; readonly endpointId: EndpointId | null },
): Promise<number> {
  await assertOneOpen(dependencies, app, endpointId)
  const tenant = dependencies.database.of(app.companyId)
  const count = await replays.replayFailed(tenant, app.appId, since.getTime(), endpointId)
  dependencies.nudgeEvents()
  return count
}

/** Newest first. A page may be short, and even empty, where a search ended at its bound; the cursor goes on from there. */
export async function listEvents(
  { database }: Reading,
  app: AppRef,
  { cursor: before, limit, ...filter }: PageRequest & Omit<store.EventFilter, 'before' | 'limit'>,
): Promise<Page<store.ListedEvent>> {
  await getApp({ database }, app)
  const tenant = database.of(app.companyId)
  const { eventIds, edge } = await store.findEventIds(tenant, app.appId, {
    ...filter,
    before,
    limit: limit + 1,
  })
  const shown = eventIds.slice(0, limit)
  const rows = (await store.readEvents(tenant, app.appId, shown)).toReversed()
  if (eventIds.length > limit) return { rows, nextCursor: shown.at(-1) ?? null }
  // Not all rows of the event at the edge may have been looked at: unless it was found, it is looked at again.
  return { rows, nextCursor: edge === null || shown.includes(edge) ? edge : `${edge}~` }
}

async function assertOneOpen(
  dependencies: WebhookDependencies,
  app: AppRef,
  endpointId: EndpointId | null,
): Promise<void> {
  if (endpointId !== null) return assertNotPaused(await getEndpoint(dependencies, { ...app, endpointId }))
  const first = await getFirstEndpoint(dependencies, app)
  if (first.status !== 'paused') return
  const all = await listEndpoints(dependencies, app)
  assertNotPaused(all.find(({ status }) => status !== 'paused') ?? first)
}

function assertNotPaused({ status }: Endpoint): void {
  if (status === 'paused') throw new AppError('ConflictError', 'The endpoint is paused. Enable it first.')
}
