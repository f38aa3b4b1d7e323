/** Endpoints and events of a tenant, and their state in the database. */
import assert from 'node:assert/strict'
import { otpEvent } from '../../src/domain/webhooks/index.ts'
import { newId } from '../../src/platform/ids.ts'
import type { TestDatabase } from '../harness/database.ts'
import { createTenant, started, type Tenant, until, verify } from '../harness/fixtures.ts'
import type { Node } from '../harness/node.ts'
import type { Received, Receiver } from './receiver.ts'

export interface Subscriber extends Tenant {
  readonly secret: string
}

/** A tenant whose events go to this address. */
export async function subscribe(node: Node, url: string): Promise<Subscriber> {
  const tenant = await createTenant(node)
  const put = await node.manage('PUT', `/apps/${tenant.appId}/webhook`, { url })
  assert.equal(put.status, 200, JSON.stringify(put.body))
  return { ...tenant, secret: put.body.signing_secret }
}

/** Approves a verification, which makes one event. */
export async function approve(node: Node, tenant: Tenant): Promise<string> {
  const { otpId, code } = await started(node, tenant.serverKey)
  const verified = await verify(node, tenant.serverKey, otpId, code)
  assert.equal(verified.body.status, 'approved', JSON.stringify(verified.body))
  return otpId
}

/** Sends a test event, and returns the call that brought it to its endpoint. */
export async function sendTest(node: Node, receiver: Receiver, { appId }: Tenant): Promise<Received> {
  const tested = await node.manage('POST', `/apps/${appId}/webhook/test`)
  assert.equal(tested.status, 200, JSON.stringify(tested.body))
  return until('the test event', () => receiver.calls.find(({ id }) => id === tested.body.event_id))
}

export interface EventRow {
  readonly event_id: string
  readonly status: string
  readonly attempt: number
  readonly body: string
  readonly is_retry: boolean
  readonly seconds_left: number
}

export const eventRows = (database: TestDatabase, appId: string): Promise<EventRow[]> =>
  database.query<EventRow>(
    `select event_id, status, attempt, body, is_retry,
            extract(epoch from next_attempt_at - clock_timestamp())::float8 as seconds_left
       from events where app_id = $1 order by event_id`,
    [appId],
  )

export async function countByStatus(
  database: TestDatabase,
  appId: string,
): Promise<Record<string, number | undefined>> {
  const rows = await database.query<{ status: string; count: number }>(
    'select status, count(*)::integer as count from events where app_id = $1 group by status',
    [appId],
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

export const webhook = async (node: Node, appId: string) =>
  (await node.manage('GET', `/apps/${appId}/webhook`)).body

/** Inserts events as approvals make them, many at once, for each endpoint; oldest first. Returns ids and bodies. */
export async function insertEvents(
  database: TestDatabase,
  tenant: Tenant,
  count: number,
  { ageMs = 0, isRetry = false }: { ageMs?: number; isRetry?: boolean } = {},
): Promise<Map<string, string>> {
  const firstMs = Date.now() - ageMs - count
  const made = Array.from({ length: count }, (_, index) => {
    const otpId = newId('verification', firstMs + index)
    return { otpId, ...otpEvent('approved', otpId, firstMs + index) }
  })
  await database.query(
    `insert into events (app_id, company_id, endpoint_id, type, event_id, otp_id, body, created_at, next_attempt_at, is_retry, attempt)
     select $1, $2, w.endpoint_id, 'otp.approved', event_id, otp_id, body, at, at, $7, case when $7 then 1 else 0 end
       from unnest($3::text[], $4::text[], $5::text[], $6::timestamptz[]) as made (event_id, otp_id, body, at),
            webhook_endpoints w where w.app_id = $1`,
    [
      tenant.appId,
      tenant.companyId,
      made.map(({ eventId }) => eventId),
      made.map(({ otpId }) => otpId),
      made.map(({ body }) => body),
      made.map((_, index) => new Date(firstMs + index)),
      isRetry,
    ],
  )
  return new Map(made.map(({ eventId, body }) => [eventId, body]))
}

/** Makes events due that wait for their next attempt, as if time had passed. */
export const makeDue = (database: TestDatabase, appId: string) =>
  database.query(
    "update events set next_attempt_at = clock_timestamp() - interval '1 second' where app_id = $1 and status = 'waiting'",
    [appId],
  )

export const pauseEndpoint = (database: TestDatabase, appId: string) =>
  database.query(
    "update webhook_endpoints set status = 'paused', paused_at = clock_timestamp(), reason = 'a test' where app_id = $1",
    [appId],
  )

export const enable = async (node: Node, appId: string): Promise<void> => {
  const enabled = await node.manage('POST', `/apps/${appId}/webhook/enable`)
  assert.equal(enabled.status, 200, JSON.stringify(enabled.body))
}

export const settled = (database: TestDatabase, appId: string, ms?: number) =>
  until(
    'no event to wait or be under way',
    async () => {
      const { waiting = 0, sending = 0 } = await countByStatus(database, appId)
      return waiting + sending === 0
    },
    ms,
  )

/** Ends the leases of senders that have held an event for longer than any attempt takes here, as if time had passed. */
export const endLeases = (database: TestDatabase, heldSeconds = 0) =>
  database.query(
    `update events set next_attempt_at = clock_timestamp(), held_by = null
      where status = 'sending' and next_attempt_at <= clock_timestamp() + (30 - $1) * interval '1 second'`,
    [heldSeconds],
  )
