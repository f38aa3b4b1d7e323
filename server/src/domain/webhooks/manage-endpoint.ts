/** What an app's developers do with their endpoint and their events. */
import { AppError } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { type AppId, newId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import type { SafeDoor } from '../../platform/safe-post.ts'
import { getApp, validationError } from '../tenancy/index.ts'
import { type Endpoint, secretContext } from './endpoint.ts'
import { otpEvent } from './event.ts'
import { makeSecret } from './sign.ts'
import * as store from './store.ts'

export interface WebhookDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
  readonly door: SafeDoor
  /** Tells this node's sender that there is something to send. */
  readonly nudgeEvents: () => void
}

/** `secret` is what this call has set: one that was made for a new endpoint, or the customer's own. */
export async function setEndpoint(
  dependencies: WebhookDependencies,
  appId: AppId,
  { url, ownSecret }: { readonly url: string; readonly ownSecret: string | null },
): Promise<{ endpoint: Endpoint; secret: string | null }> {
  await getApp(dependencies, appId)
  const problem = await dependencies.door.findProblem(url)
  if (problem) throw validationError([{ path: 'url', message: problem }])
  const secret = ownSecret ?? makeSecret()
  const sealed = seal(dependencies, appId, secret)
  const isNew = await dependencies.database.transaction(async (transaction) => {
    const put = await store.putEndpoint(transaction, appId, url, sealed)
    // The same secret again must not push out the one before it.
    const isOther = () => dependencies.keyring().open(put.secret, secretContext(appId)) !== secret
    if (!put.isNew && ownSecret !== null && isOther()) await store.rotateSecret(transaction, appId, sealed)
    return put.isNew
  })
  const endpoint = await getEndpoint(dependencies, appId)
  return { endpoint, secret: isNew || ownSecret !== null ? secret : null }
}

export async function getEndpoint(
  { database }: Pick<WebhookDependencies, 'database'>,
  appId: AppId,
): Promise<Endpoint> {
  await getApp({ database }, appId)
  const endpoint = await store.findEndpoint(database, appId)
  if (!endpoint) throw new AppError('NotFoundError', 'This app has no webhook endpoint.')
  return endpoint
}

export async function countUnsent(
  { database }: Pick<WebhookDependencies, 'database'>,
  appId: AppId,
): Promise<number> {
  await getApp({ database }, appId)
  return store.countUnsent(database, appId)
}

export async function removeEndpoint({ database }: WebhookDependencies, appId: AppId): Promise<void> {
  await getEndpoint({ database }, appId)
  await store.deleteEndpoint(database, appId)
}

export async function enableEndpoint(dependencies: WebhookDependencies, appId: AppId): Promise<Endpoint> {
  await getEndpoint(dependencies, appId)
  await store.enableEndpoint(dependencies.database, appId)
  dependencies.nudgeEvents()
  return getEndpoint(dependencies, appId)
}

export async function rotateSecret(dependencies: WebhookDependencies, appId: AppId): Promise<string> {
  await getEndpoint(dependencies, appId)
  const secret = makeSecret()
  await store.rotateSecret(dependencies.database, appId, seal(dependencies, appId, secret))
  return secret
}

/** For a verification that never was. */
export async function sendTestEvent(dependencies: WebhookDependencies, appId: AppId): Promise<string> {
  const { database, clock } = dependencies
  assertNotPaused(await getEndpoint(dependencies, appId))
  const otpId = newId('verification', clock.nowMs())
  const event = otpEvent('approved', otpId, clock.nowMs())
  await store.insertTestEvent(database, appId, otpId, event)
  dependencies.nudgeEvents()
  return event.eventId
}

export async function getEvent(
  { database }: Pick<WebhookDependencies, 'database'>,
  eventId: string,
): Promise<{ appId: AppId; event: store.ListedEvent }> {
  const appId = await ownerOf({ database }, eventId)
  const event = await store.findEvent(database, appId, eventId)
  if (!event) throw noSuchEvent()
  return { appId, event }
}

export async function replayEvent(dependencies: WebhookDependencies, eventId: string): Promise<void> {
  const appId = await ownerOf(dependencies, eventId)
  assertNotPaused(await getEndpoint(dependencies, appId))
  await store.replayEvent(dependencies.database, appId, eventId)
  dependencies.nudgeEvents()
}

export async function replayFailed(
  dependencies: WebhookDependencies,
  appId: AppId,
  since: Date,
): Promise<number> {
  assertNotPaused(await getEndpoint(dependencies, appId))
  const count = await store.replayFailed(dependencies.database, appId, since.getTime())
  dependencies.nudgeEvents()
  return count
}

export async function listEvents(
  { database }: Pick<WebhookDependencies, 'database'>,
  appId: AppId,
  {
    cursor,
    status,
    limit,
  }: { readonly cursor: string | null; readonly status: store.EventStatus | null; readonly limit: number },
): Promise<{ events: store.ListedEvent[]; nextCursor: string | null }> {
  await getApp({ database }, appId)
  const found = await store.listEvents(database, appId, { before: cursor, status, limit: limit + 1 })
  const events = found.slice(0, limit)
  return { events, nextCursor: found.length > limit ? (events.at(-1)?.eventId ?? null) : null }
}

async function ownerOf({ database }: Pick<WebhookDependencies, 'database'>, eventId: string): Promise<AppId> {
  const appId = await store.findEventOwner(database, eventId)
  if (!appId) throw noSuchEvent()
  return appId
}

const noSuchEvent = () => new AppError('NotFoundError', 'There is no such event.')

function assertNotPaused({ status }: Endpoint): void {
  if (status === 'paused') throw new AppError('ConflictError', 'The endpoint is paused. Enable it first.')
}

function seal({ keyring: readKeyring, clock }: WebhookDependencies, appId: AppId, secret: string): Buffer {
  const keyring = readKeyring()
  return keyring.seal(keyring.current(clock.nowMs()), secret, secretContext(appId))
}
