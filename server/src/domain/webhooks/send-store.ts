/** The statements of the sender. An event is claimed with a lease, and finishing is good only for that claim. */
import type { Database, Queryable, Transaction } from '../../platform/database.ts'
import type { AppId } from '../../platform/ids.ts'
import { type EndpointStatus, failuresToPause, maxInFlight } from './endpoint.ts'

/** Longer than the deadline of an attempt, so that a living sender always finishes before another takes over. */
const leaseSeconds = 30

export interface DueEvent {
  readonly appId: AppId
  readonly eventId: string
  readonly body: string
  readonly attempt: number
  readonly isRetried: boolean
  readonly url: string
  readonly secret: Buffer
  readonly previousSecret: Buffer | null
}

/** Apps that have anything waiting or under way: a walk along the index, one step per app, not one per event. */
export async function listBusyApps(queryable: Queryable, limit: number): Promise<AppId[]> {
  const walk = (status: string) => `
    (with recursive walk as (
       (select app_id from events where status = '${status}' order by app_id limit 1)
       union all
       select (select e.app_id from events e where e.status = '${status}' and e.app_id > walk.app_id order by e.app_id limit 1)
         from walk where walk.app_id is not null
     ) select app_id from walk where app_id is not null limit $1)`
  const found = await queryable.query<{ app_id: AppId }>({
    name: 'list-busy-apps',
    text: `select app_id from (${walk('waiting')} union ${walk('sending')}) busy order by random()`,
    values: [limit],
  })
  return found.rows.map((row) => row.app_id)
}

/** What has no endpoint to go to is settled in bites. */
export async function skipWithoutEndpoint(
  queryable: Queryable,
  appId: AppId,
  limit: number,
): Promise<number> {
  const skipped = await queryable.query({
    name: 'skip-without-endpoint',
    text: `update events set status = 'skipped'
            where app_id = $1 and status = 'waiting' and not exists (select 1 from webhook_endpoints where app_id = $1)
              and event_id in (select event_id from events where app_id = $1 and status = 'waiting' limit $2)`,
    values: [appId, limit],
  })
  return skipped.rowCount ?? 0
}

interface DueRow {
  app_id: AppId
  event_id: string
  body: string
  attempt: number
  is_retried: boolean
  url: string
  secret: Buffer
  previous_secret: Buffer | null
}

/**
 * The endpoint's row is locked before its events are counted and claimed, so that over all nodes no more than
 * the bound are in flight, and one alone while it is probed. A lease that ran out is due again.
 */
export async function claimEvents(database: Database, appId: AppId, wanted: number): Promise<DueEvent[]> {
  return database.transaction(async (transaction) => {
    const locked = await transaction.query<{ status: EndpointStatus }>({
      name: 'lock-endpoint',
      text: `select status from webhook_endpoints where app_id = $1 and status <> 'paused' for update skip locked`,
      values: [appId],
    })
    const status = locked.rows[0]?.status
    return status ? claim(transaction, appId, wanted, status === 'probing' ? 1 : maxInFlight) : []
  })
}

async function claim(
  transaction: Transaction,
  appId: AppId,
  wanted: number,
  bound: number,
): Promise<DueEvent[]> {
  const claimed = await transaction.query<DueRow>({
    name: 'claim-events',
    text: `
      with room as (
        select greatest(0, least($2::integer, $3::integer - count(*)::integer)) as slots from events
         where app_id = $1 and status = 'sending' and next_attempt_at > clock_timestamp()
      ), abandoned as (
        select event_id from events
         where app_id = $1 and status = 'sending' and next_attempt_at <= clock_timestamp()
         order by event_id limit (select slots from room) for update
      ), waiting as (
        select event_id from events
         where app_id = $1 and status = 'waiting' and next_attempt_at <= clock_timestamp()
         order by is_retry, next_attempt_at, event_id
         limit (select slots from room) - (select count(*) from abandoned) for update
      )
      update events e
         set status = 'sending', attempt = e.attempt + 1, next_attempt_at = clock_timestamp() + ${leaseSeconds} * interval '1 second'
        from webhook_endpoints w
       where e.app_id = $1 and w.app_id = $1
         and e.event_id in (select event_id from abandoned union all select event_id from waiting)
      returning e.app_id, e.event_id, e.body, e.attempt, e.is_retried, w.url, w.secret,
                case when w.previous_until > clock_timestamp() then w.previous_secret end as previous_secret`,
    values: [appId, wanted, bound],
  })
  return claimed.rows.map((row) => ({
    appId: row.app_id,
    eventId: row.event_id,
    body: row.body,
    attempt: row.attempt,
    isRetried: row.is_retried,
    url: row.url,
    secret: row.secret,
    previousSecret: row.previous_secret,
  }))
}

export interface Attempt {
  readonly status: number | null
  readonly latencyMs: number
  readonly answer: string | null
  readonly error: string | null
}

const recordAttempt = `
  insert into event_attempts (app_id, event_id, attempt, at, status, latency_ms, answer, error)
  values ($1, $2, $3, clock_timestamp(), $4, $5, $6, $7)`

const attemptValues = (due: DueEvent, attempt: Attempt) => [
  due.appId,
  due.eventId,
  due.attempt,
  attempt.status,
  attempt.latencyMs,
  attempt.answer,
  attempt.error,
]

/** A probe that was taken makes everything that waits due at once, oldest first. */
export async function markTaken(queryable: Queryable, due: DueEvent, attempt: Attempt): Promise<void> {
  await queryable.query({
    name: 'mark-taken',
    text: `
      with attempt as (${recordAttempt}),
      done as (
        update events set status = 'delivered', is_retried = true
         where app_id = $1 and event_id = $2 and attempt = $3 and status = 'sending'
      ), probe as (
        select 1 from webhook_endpoints where app_id = $1 and status = 'probing'
      ), endpoint as (
        update webhook_endpoints
           set failures = 0, last_success_at = clock_timestamp(),
               status = case status when 'probing' then 'active' else status end
         where app_id = $1
      )
      update events set next_attempt_at = clock_timestamp(), is_retry = false
       where app_id = $1 and status = 'waiting' and exists (select 1 from probe)`,
    values: attemptValues(due, attempt),
  })
}

/** Judged on the endpoint's row as it is when it is written, so that the twentieth failure in a row is the twentieth. */
const pauseReason = `
  case when $9 then 'the endpoint answered 410'
       when w.status = 'probing' then 'the first event after it was enabled was not taken'
       when w.failures + 1 >= ${failuresToPause} then '${failuresToPause} attempts in a row failed'
       when event.status = 'failed' and $10 and coalesce(w.last_success_at < event.created_at, true)
         then 'an event was given up with no success since'
  end`

/** Returns why the endpoint was paused by this, if it was. */
export async function markFailed(
  queryable: Queryable,
  due: DueEvent,
  attempt: Attempt,
  { delaySeconds, isGone }: { readonly delaySeconds: number | null; readonly isGone: boolean },
): Promise<string | null> {
  const marked = await queryable.query<{ reason: string }>({
    name: 'mark-event-failed',
    text: `
      with attempt as (${recordAttempt}),
      event as (
        update events
           set status = case when $8::float8 is null and not $9 then 'failed' else 'waiting' end,
               next_attempt_at = clock_timestamp() + coalesce($8::float8, 0) * interval '1 second', is_retry = true, is_retried = true
         where app_id = $1 and event_id = $2 and attempt = $3 and status = 'sending'
        returning created_at, status
      ), endpoint as (
        update webhook_endpoints w
           set failures = w.failures + 1,
               status = case when (${pauseReason}) is null then w.status else 'paused' end,
               paused_at = case when (${pauseReason}) is null then w.paused_at else clock_timestamp() end,
               reason = coalesce(${pauseReason}, w.reason)
          from event
         where w.app_id = $1 and w.status <> 'paused'
        returning w.status, w.reason
      )
      select reason from endpoint where status = 'paused'`,
    values: [...attemptValues(due, attempt), delaySeconds, isGone, due.isRetried],
  })
  return marked.rows[0]?.reason ?? null
}

const daysHeld = 7

/** What has waited for a week goes to nobody any more; over all apps, in bites. */
export async function expireEvents(queryable: Queryable, limit: number): Promise<number> {
  const expired = await queryable.query({
    text: `update events set status = 'expired'
            where status = 'waiting' and created_at < clock_timestamp() - ${daysHeld} * interval '1 day'
              and (app_id, event_id) in (
                select app_id, event_id from events
                 where status = 'waiting' and created_at < clock_timestamp() - ${daysHeld} * interval '1 day' limit ${limit})`,
  })
  return expired.rowCount ?? 0
}

/** For the operator's eyes, over all apps. */
export async function countPaused(queryable: Queryable): Promise<number> {
  const found = await queryable.query<{ count: number }>({
    text: `select count(*)::integer as count from webhook_endpoints where status = 'paused'`,
  })
  return found.rows[0]?.count ?? 0
}
