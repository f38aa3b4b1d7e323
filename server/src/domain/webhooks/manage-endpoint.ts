/** What an app's developers do with their endpoints. */
import { AppError, type EventType } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tenant } from '../../platform/database.ts'
import { type EndpointId, newId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import type { SafeDoor } from '../../platform/safe-post.ts'
import { noSuch, validationError } from '../answers/index.ts'
import { type AppRef, endpointsOfApp, getApp, limitReached, lockApp } from '../tenancy/index.ts'
import { type Endpoint, type EndpointRef, secretContext } from './endpoint.ts'
import * as store from './endpoint-store.ts'
import { makeSecret } from './sign.ts'

export interface WebhookDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
  readonly door: SafeDoor
  /** Tells this node's sender that there is something to send. */
  readonly nudgeEvents: () => void
}

/** `secret` is the one that this call has set: made for a new endpoint, or the customer's own. */
export interface SetEndpoint {
  readonly endpoint: Endpoint
  readonly secret: string | null
}

/** Looks the address up; the returned function makes the endpoint. */
export function prepareEndpoint(
  dependencies: WebhookDependencies,
  app: AppRef,
  made: {
    readonly url: string
    readonly types: readonly EventType[] | null
    readonly ownSecret: string | null
  },
): Promise<(database: Database) => Promise<SetEndpoint>> {
  return prepare(dependencies, app, made.url, (tenant) => insert(dependencies, tenant, app, made))
}

/** Looks the address up; the returned function changes the first endpoint, or makes it if there is none. */
export function prepareFirstEndpoint(
  dependencies: WebhookDependencies,
  app: AppRef,
  { url, ownSecret }: { readonly url: string; readonly ownSecret: string | null },
): Promise<(database: Database) => Promise<SetEndpoint>> {
  return prepare(dependencies, app, url, async (tenant) => {
    const first = await store.findEndpoint(tenant, app.appId, null)
    if (!first) return insert(dependencies, tenant, app, { url, types: null, ownSecret })
    const ref = { ...app, endpointId: first.endpointId }
    return { ...ref, secret: await change(dependencies, tenant, ref, { url, types: undefined, ownSecret }) }
  })
}

/** Looks the address up while no connection is held; the returned function sets the endpoint under the app's lock. */
async function prepare(
  dependencies: WebhookDependencies,
  app: AppRef,
  url: string,
  set: (tenant: Tenant) => Promise<{ readonly endpointId: EndpointId; readonly secret: string | null }>,
): Promise<(database: Database) => Promise<SetEndpoint>> {
  await getApp(dependencies, app)
  await assertReachable(dependencies, url)
  return async (database) => {
    const { endpointId, secret } = await database.transaction(async (transaction) => {
      const tenant = transaction.of(app.companyId)
      if (!(await lockApp(tenant, app.appId))) throw noSuch('app')
      return set(tenant)
    })
    return { endpoint: await getEndpoint({ database }, { ...app, endpointId }), secret }
  }
}

interface Change extends store.EndpointChange {
  readonly ownSecret: string | null
}

export async function updateEndpoint(
  dependencies: WebhookDependencies,
  ref: EndpointRef,
  changed: Change,
): Promise<SetEndpoint> {
  await getEndpoint(dependencies, ref)
  if (changed.url !== undefined) await assertReachable(dependencies, changed.url)
  const secret = await dependencies.database.transaction((transaction) =>
    change(dependencies, transaction.of(ref.companyId), ref, changed),
  )
  return { endpoint: await getEndpoint(dependencies, ref), secret }
}

async function insert(
  dependencies: WebhookDependencies,
  tenant: Tenant,
  { appId }: AppRef,
  {
    url,
    types,
    ownSecret,
  }: {
    readonly url: string
    readonly types: readonly EventType[] | null
    readonly ownSecret: string | null
  },
) {
  const endpointId = newId('endpoint', dependencies.clock.nowMs())
  const secret = ownSecret ?? makeSecret()
  const made = { endpointId, url, types, secret: seal(dependencies, endpointId, secret) }
  if (!(await store.insertEndpoint(tenant, appId, made, endpointsOfApp.most)))
    throw limitReached(endpointsOfApp)
  return { endpointId, secret }
}

async function change(
  dependencies: WebhookDependencies,
  tenant: Tenant,
  { appId, endpointId }: EndpointRef,
  { ownSecret, ...changed }: Change,
): Promise<string | null> {
  const stored = await store.changeEndpoint(tenant, appId, endpointId, changed)
  if (!stored) throw noSuch('webhook endpoint')
  // Setting the same secret again must not push out the previous one.
  if (
    ownSecret !== null &&
    dependencies.keyring().open(stored.secret, secretContext(endpointId)) !== ownSecret
  )
    await store.rotateSecret(tenant, appId, endpointId, seal(dependencies, endpointId, ownSecret))
  return ownSecret
}

async function assertReachable({ door }: WebhookDependencies, url: string): Promise<void> {
  const problem = await door.findProblem(url)
  if (problem) throw validationError([{ path: 'url', message: `cannot be used: ${problem}` }])
}

type Reading = Pick<WebhookDependencies, 'database'>

export async function listEndpoints({ database }: Reading, app: AppRef): Promise<Endpoint[]> {
  await getApp({ database }, app)
  return store.listEndpoints(database.of(app.companyId), app.appId)
}

export async function getEndpoint({ database }: Reading, ref: EndpointRef): Promise<Endpoint> {
  const endpoint = await store.findEndpoint(database.of(ref.companyId), ref.appId, ref.endpointId)
  if (!endpoint) throw noSuch('webhook endpoint')
  return endpoint
}

export async function getFirstEndpoint({ database }: Reading, app: AppRef): Promise<Endpoint> {
  await getApp({ database }, app)
  const endpoint = await store.findEndpoint(database.of(app.companyId), app.appId, null)
  if (!endpoint) throw new AppError('NotFoundError', 'This app has no webhook endpoint.')
  return endpoint
}

/** Counts over all endpoints of the app if none is named. */
export async function countUnsent(
  { database }: Reading,
  app: AppRef,
  endpointId: EndpointId | null,
): Promise<number> {
  await getApp({ database }, app)
  return store.countUnsent(database.of(app.companyId), app.appId, endpointId)
}

export async function removeEndpoint({ database }: Reading, ref: EndpointRef): Promise<Endpoint> {
  const endpoint = await getEndpoint({ database }, ref)
  await store.deleteEndpoint(database.of(ref.companyId), ref.appId, ref.endpointId)
  return endpoint
}

export async function enableEndpoint(dependencies: WebhookDependencies, ref: EndpointRef): Promise<Endpoint> {
  await getEndpoint(dependencies, ref)
  await store.enableEndpoint(dependencies.database.of(ref.companyId), ref.appId, ref.endpointId)
  dependencies.nudgeEvents()
  return getEndpoint(dependencies, ref)
}

export async function rotateSecret(dependencies: WebhookDependencies, ref: EndpointRef): Promise<string> {
  const secret = makeSecret()
  const isRotated = await store.rotateSecret(
    dependencies.database.of(ref.companyId),
    ref.appId,
    ref.endpointId,
    seal(dependencies, ref.endpointId, secret),
  )
  if (!isRotated) throw noSuch('webhook endpoint')
  return secret
}

function seal(
  { keyring: readKeyring, clock }: WebhookDependencies,
  endpointId: EndpointId,
  secret: string,
): Buffer {
  const keyring = readKeyring()
  return keyring.seal(keyring.current(clock.nowMs()), secret, secretContext(endpointId))
}
