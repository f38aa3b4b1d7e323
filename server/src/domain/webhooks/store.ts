/** Endpoints and events as management sees them. */
import type { EventType } from '@countersign/contract'
import type { Tenant } from '../../platform/database.ts'
import { type AppId, lowestId } from '../../platform/ids.ts'
import { type Endpoint, type EndpointStatus, previousSecretHours } from './endpoint.ts'
import type { NewEvent } from './event.ts'

interface EndpointRow {
  app_id: AppId
  url: string
  status: EndpointStatus
  paused_at: Date | null
  reason: string | null
  held: number
}

/** More than this many are counted as this many. */
const maxCounted = 100_000

export async function findEndpoint(tenant: Tenant, appId: AppId): Promise<Endpoint | undefined> {
  const found = await tenant.query<EndpointRow>({
    text: `select app_id, url, status, paused_at, reason,
                  (select count(*)::integer from (select 1 from events where company_id = $1 and app_id = $2 and status = 'waiting' limit ${maxCounted}) waiting) as held
             from webhook_endpoints where company_id = $1 and app_id = $2`,
    values: [appId],
  })
  const row = found.rows[0]
  return (
    row && {
      appId: row.app_id,
      url: row.url,
      status: row.status,
      pausedAt: row.paused_at,
      reason: row.reason,
      held: row.status === 'paused' ? row.held : 0,
    }
  )
}

export async function countUnsent(tenant: Tenant, appId: AppId): Promise<number> {
  const found = await tenant.query<{ count: number }>({
    text: `select count(*)::integer as count
             from (select 1 from events where company_id = $1 and app_id = $2 and status = 'waiting'
                   union all
                   select 1 from events where company_id = $1 and app_id = $2 and status = 'sending' limit ${maxCounted}) unsent`,
    values: [appId],
  })
  return found.rows[0]?.count ?? 0
}

/** A later one keeps the secret and the state. In a transaction the row stays locked. */
export async function putEndpoint(
  tenant: Tenant,
  appId: AppId,
  url: string,
  secret: Buffer,
): Promise<{ isNew: boolean; secret: Buffer }> {
  const put = await tenant.query<{ is_new: boolean; secret: Buffer }>({
    text: `insert into webhook_endpoints as w (company_id, app_id, url, secret, status) values ($1, $2, $3, $4, 'active')
           on conflict (company_id, app_id) do update set url = excluded.url
           returning w.secret = $4 as is_new, w.secret`,
    values: [appId, url, secret],
  })
  const [row] = put.rows
  return { isNew: row?.is_new ?? false, secret: row?.secret ?? secret }
}

/** What still waits goes to nobody: the sender settles it as skipped. */
export async function deleteEndpoint(tenant: Tenant, appId: AppId): Promise<boolean> {
  const deleted = await tenant.query({
    text: 'delete from webhook_endpoints where company_id = $1 and app_id = $2',
    values: [appId],
  })
  return deleted.rowCount === 1
}

export async function enableEndpoint(tenant: Tenant, appId: AppId): Promise<void> {
  await tenant.query({
    text: `update webhook_endpoints set status = 'probing', paused_at = null, reason = null, failures = 0
            where company_id = $1 and app_id = $2 and status = 'paused'`,
    values: [appId],
  })
}

/** The secret before the last rotation signs beside the new one for a day; an older one no more. */
export async function rotateSecret(tenant: Tenant, appId: AppId, secret: Buffer): Promise<boolean> {
  const rotated = await tenant.query({
    text: `update webhook_endpoints
              set previous_secret = secret, previous_until = clock_timestamp() + ${previousSecretHours} * interval '1 hour', secret = $3
            where company_id = $1 and app_id = $2`,
    values: [appId, secret],
  })
  return rotated.rowCount === 1
}

export async function insertTestEvent(
  tenant: Tenant,
  appId: AppId,
  otpId: string,
  event: NewEvent,
): Promise<void> {
  await tenant.query({
    text: `insert into events (company_id, app_id, event_id, type, otp_id, body, is_test)
           select company_id, app_id, $3, 'otp.approved', $4, $5, true from apps where company_id = $1 and app_id = $2`,
    values: [appId, event.eventId, otpId, event.body],
  })
}

export interface ListedAttempt {
  readonly at: Date
  readonly status: number | null
  readonly latencyMs: number
  readonly answer: string | null
  readonly error: string | null
}

export type EventStatus = 'waiting' | 'sending' | 'delivered' | 'failed' | 'expired' | 'skipped'

export interface ListedEvent {
  readonly eventId: string
  readonly type: EventType
  readonly otpId: string
  readonly deliveryId: string | null
  readonly createdAt: Date
  readonly status: EventStatus
  readonly nextAttemptAt: Date | null
  readonly isTest: boolean
  readonly attempts: readonly ListedAttempt[]
}

export interface EventFilter {
  readonly before: string | null
  readonly status: EventStatus | null
  readonly limit: number
}

interface EventRow {
  event_id: string
  type: EventType
  otp_id: string
  delivery_id: string | null
  created_at: Date
  status: EventStatus
  next_attempt_at: Date
  is_test: boolean
  attempts:
    | {
        at: string
        status: number | null
        latency_ms: number
        answer: string | null
        error: string | null
      }[]
    | null
}

const eventColumns = `e.event_id, e.type, e.otp_id, e.delivery_id, e.created_at, e.status, e.next_attempt_at, e.is_test,
  (select json_agg(json_build_object('at', a.at, 'status', a.status, 'latency_ms', a.latency_ms,
                                     'answer', a.answer, 'error', a.error) order by a.at)
     from (select at, status, latency_ms, answer, error from event_attempts
            where company_id = $1 and app_id = e.app_id and event_id = e.event_id
            union all
           select e.taken_at, e.taken_status, e.taken_ms, e.taken_answer, null where e.taken_at is not null) a) as attempts`

export async function listEvents(
  tenant: Tenant,
  appId: AppId,
  { before, status, limit }: EventFilter,
): Promise<ListedEvent[]> {
  const found = await tenant.query<EventRow>({
    text: `select ${eventColumns} from events e
            where e.company_id = $1 and e.app_id = $2 and ($3::text is null or e.event_id < $3) and ($4::text is null or e.status = $4)
            order by e.event_id desc limit $5`,
    values: [appId, before, status, limit],
  })
  return found.rows.map(eventOf)
}

export async function findEvent(
  tenant: Tenant,
  appId: AppId,
  eventId: string,
): Promise<ListedEvent | undefined> {
  const found = await tenant.query<EventRow>({
    text: `select ${eventColumns} from events e where e.company_id = $1 and e.app_id = $2 and e.event_id = $3`,
    values: [appId, eventId],
  })
  return found.rows.map(eventOf)[0]
}

const eventOf = (row: EventRow): ListedEvent => ({
  eventId: row.event_id,
  type: row.type,
  otpId: row.otp_id,
  deliveryId: row.delivery_id,
  createdAt: row.created_at,
  status: row.status,
  nextAttemptAt: row.status === 'waiting' ? row.next_attempt_at : null,
  isTest: row.is_test,
  attempts: (row.attempts ?? []).map((attempt) => ({
    at: new Date(attempt.at),
    status: attempt.status,
    latencyMs: attempt.latency_ms,
    answer: attempt.answer,
    error: attempt.error,
  })),
})

/** What is under way already is left alone. */
export async function replayEvent(tenant: Tenant, appId: AppId, eventId: string): Promise<void> {
  await tenant.query({
    text: `update events
              set next_attempt_at = clock_timestamp(), is_retry = false,
                  is_retried = is_retried and status = 'waiting', status = 'waiting'
            where company_id = $1 and app_id = $2 and event_id = $3 and status <> 'sending'`,
    values: [appId, eventId],
  })
}

/** All that was given up since a time; returns how many. */
export async function replayFailed(tenant: Tenant, appId: AppId, sinceMs: number): Promise<number> {
  const replayed = await tenant.query({
    text: `update events set status = 'waiting', next_attempt_at = clock_timestamp(), is_retry = false, is_retried = false
            where company_id = $1 and app_id = $2 and status in ('failed', 'expired') and event_id >= $3 and created_at >= to_timestamp($4::float8 / 1000)`,
    values: [appId, lowestId('event', sinceMs - 60_000), sinceMs],
  })
  return replayed.rowCount ?? 0
}
