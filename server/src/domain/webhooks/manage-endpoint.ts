/** What an app's developers do with their endpoint and their events. */
import { AppError } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { type AppId, newId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import type { SafeDoor } from '../../platform/safe-post.ts'
import { noSuch, type Page, type PageRequest, readPage, validationError } from '../answers/index.ts'
import { type AppRef, getApp } from '../tenancy/index.ts'
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
  app: AppRef,
  { url, ownSecret }: { readonly url: string; readonly ownSecret: string | null },
): Promise<{ endpoint: Endpoint; secret: string | null }> {
  await getApp(dependencies, app)
  const problem = await dependencies.door.findProblem(url)
  if (problem) throw validationError([{ path: 'url', message: problem }])
  const { companyId, appId } = app
  const secret = ownSecret ?? makeSecret()
  const sealed = seal(dependencies, appId, secret)
  const isNew = await dependencies.database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    const put = await store.putEndpoint(tenant, appId, url, sealed)
    // The same secret again must not push out the one before it.
    const isOther = () => dependencies.keyring().open(put.secret, secretContext(appId)) !== secret
    if (!put.isNew && ownSecret !== null && isOther()) await store.rotateSecret(tenant, appId, sealed)
    return put.isNew
  })
  const endpoint = await getEndpoint(dependencies, app)
  return { endpoint, secret: isNew || ownSecret !== null ? secret : null }
}

export async function getEndpoint(
  { database }: Pick<WebhookDependencies, 'database'>,
  app: AppRef,
): Promise<Endpoint> {
  await getApp({ database }, app)
  const endpoint = await store.findEndpoint(database.of(app.companyId), app.appId)
  if (!endpoint) throw new AppError('NotFoundError', 'This app has no webhook endpoint.')
  return endpoint
}

export async function countUnsent(
  { database }: Pick<WebhookDependencies, 'database'>,
  app: AppRef,
): Promise<number> {
  await getApp({ database }, app)
  return store.countUnsent(database.of(app.companyId), app.appId)
}

export async function removeEndpoint({ database }: WebhookDependencies, app: AppRef): Promise<void> {
  await getEndpoint({ database }, app)
  await store.deleteEndpoint(database.of(app.companyId), app.appId)
}

export async function enableEndpoint(dependencies: WebhookDependencies, app: AppRef): Promise<Endpoint> {
  await getEndpoint(dependencies, app)
  await store.enableEndpoint(dependencies.database.of(app.companyId), app.appId)
  dependencies.nudgeEvents()
  return getEndpoint(dependencies, app)
}

export async function rotateSecret(dependencies: WebhookDependencies, app: AppRef): Promise<string> {
  await getEndpoint(dependencies, app)
  const secret = makeSecret()
  await store.rotateSecret(
    dependencies.database.of(app.companyId),
    app.appId,
    seal(dependencies, app.appId, secret),
  )
  return secret
}

/** An event for a verification that does not exist. */
export async function sendTestEvent(dependencies: WebhookDependencies, app: AppRef): Promise<string> {
  const { database, clock } = dependencies
  assertNotPaused(await getEndpoint(dependencies, app))
  const otpId = newId('verification', clock.nowMs())
  const event = otpEvent('approved', otpId, clock.nowMs())
  await store.insertTestEvent(database.of(app.companyId), app.appId, otpId, event)
  dependencies.nudgeEvents()
  return event.eventId
}

export async function getEvent(
  { database }: Pick<WebhookDependencies, 'database'>,
  { companyId, appId }: AppRef,
  eventId: string,
): Promise<store.ListedEvent> {
  const event = await store.findEvent(database.of(companyId), appId, eventId)
  if (!event) throw noSuch('event')
  return event
}

export async function replayEvent(
  dependencies: WebhookDependencies,
  app: AppRef,
  eventId: string,
): Promise<void> {
  assertNotPaused(await getEndpoint(dependencies, app))
  await store.replayEvent(dependencies.database.of(app.companyId), app.appId, eventId)
  dependencies.nudgeEvents()
}

export async function replayFailed(
  dependencies: WebhookDependencies,
  app: AppRef,
  since: Date,
): Promise<number> {
  assertNotPaused(await getEndpoint(dependencies, app))
  const count = await store.replayFailed(dependencies.database.of(app.companyId), app.appId, since.getTime())
  dependencies.nudgeEvents()
  return count
}

export async function listEvents(
  { database }: Pick<WebhookDependencies, 'database'>,
  app: AppRef,
  { cursor: before, limit, status }: PageRequest & { readonly status: store.EventStatus | null },
): Promise<Page<store.ListedEvent>> {
  await getApp({ database }, app)
  return readPage(
    limit,
    (limit) => store.listEvents(database.of(app.companyId), app.appId, { before, status, limit }),
    ({ eventId }) => eventId,
  )
}

function assertNotPaused({ status }: Endpoint): void {
  if (status === 'paused') throw new AppError('ConflictError', 'The endpoint is paused. Enable it first.')
}

function seal({ keyring: readKeyring, clock }: WebhookDependencies, appId: AppId, secret: string): Buffer {
  const keyring = readKeyring()
  return keyring.seal(keyring.current(clock.nowMs()), secret, secretContext(appId))
}
