/** The statements of the sender. An event is claimed with a lease, and finishing is good only for that claim. */
import { type Database, isStill, type Queryable, type Transaction, timeNow } from '../../platform/database.ts'
import type { AppId } from '../../platform/ids.ts'
import { partitionOf } from '../../platform/partitions.ts'
import { type EndpointStatus, failuresToPause, maxInFlight, maxRetriesInFlight } from './endpoint.ts'

/** Longer than the deadline of an attempt, so that a living sender always finishes before another takes over. */
const leaseSeconds = 30

export interface DueEvent {
  readonly appId: AppId
  readonly eventId: string
  readonly body: string
  readonly attempt: number
  readonly isRetried: boolean
  /** Tried alone: what comes of it decides whether the rest follows. */
  readonly isProbe: boolean
  readonly url: string
  readonly secret: Buffer
  readonly previousSecret: Buffer | null
}

/** A lease that ran out: its sender is gone, and the event waits again. Over all apps, for few are ever under way. */
export async function releaseAbandoned(queryable: Queryable): Promise<void> {
  await queryable.query({
    name: 'release-abandoned',
    text: `update events set status = 'waiting' where status = 'sending' and next_attempt_at <= ${timeNow}`,
  })
}

/**
 * Apps after this one that have something to send or to settle: a walk along the index, one step per app and
 * not one per event. A paused endpoint has nothing to send, however much waits for it.
 */
export async function listDueApps(queryable: Queryable, after: string, limit: number): Promise<AppId[]> {
  const nextAfter = (appId: string) =>
    `select e.app_id from events e where e.status = 'waiting' and e.app_id > ${appId} order by e.app_id limit 1`
  const found = await queryable.query<{ app_id: AppId }>({
    name: 'list-due-apps',
    text: `
      with recursive walk as (
        (${nextAfter('$1')})
        union all
        select (${nextAfter('walk.app_id')}) from walk where walk.app_id is not null
      )
      select walk.app_id from walk left join webhook_endpoints w on w.app_id = walk.app_id
       where walk.app_id is not null
         and (w.status is null or w.status = 'probing' or w.status = 'active' and (
               exists (select 1 from events e where e.app_id = walk.app_id and e.status = 'waiting'
                          and not e.is_retry and e.next_attempt_at <= ${timeNow})
            or exists (select 1 from events e where e.app_id = walk.app_id and e.status = 'waiting'
                          and e.is_retry and e.next_attempt_at <= ${timeNow})))
       limit $2`,
    values: [after, limit],
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
              and event_id in (select event_id from events where app_id = $1 and status = 'waiting' limit $2 for update skip locked)`,
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
 * the bound are in flight. The bound shrinks with each failure in a row: the attempt that pauses is the last.
 */
export async function claimEvents(database: Database, appId: AppId, wanted: number): Promise<DueEvent[]> {
  return database.transaction(async (transaction) => {
    const locked = await transaction.query<{ status: EndpointStatus; failures: number }>({
      name: 'lock-endpoint',
      text: `select status, failures from webhook_endpoints where app_id = $1 and status <> 'paused' for update skip locked`,
      values: [appId],
    })
    const endpoint = locked.rows[0]
    if (!endpoint) return []
    if (endpoint.status === 'probing') return claimOldest(transaction, appId)
    return claimDue(transaction, appId, wanted, Math.min(maxInFlight, failuresToPause - endpoint.failures))
  })
}

/** `chosen` is SQL for the ids to claim. */
const claim = (chosen: string) => `
  , claimed as (
    update events e
       set status = 'sending', attempt = e.attempt + 1, next_attempt_at = clock_timestamp() + ${leaseSeconds} * interval '1 second'
      from webhook_endpoints w
     where e.app_id = $1 and w.app_id = $1 and e.event_id in (${chosen})
    returning e.app_id, e.event_id, e.body, e.attempt, e.is_retried, w.url, w.secret,
              case when w.previous_until > clock_timestamp() then w.previous_secret end as previous_secret
  )
  select * from claimed order by event_id`

/** First attempts before retries; and retries leave room, so that a first attempt need not wait for them to end. */
async function claimDue(
  transaction: Transaction,
  appId: AppId,
  wanted: number,
  bound: number,
): Promise<DueEvent[]> {
  const due = (isRetry: string, limit: string) => `
        select event_id from events
         where app_id = $1 and status = 'waiting' and ${isRetry} and next_attempt_at <= ${timeNow}
         order by next_attempt_at, event_id limit (select greatest(0, ${limit}) from room) for update skip locked`
  const claimed = await transaction.query<DueRow>({
    name: 'claim-due',
    text: `
      with room as (
        select least($2::integer, $3::integer - count(*)::integer) as slots,
               ${maxRetriesInFlight} - count(*) filter (where is_retry)::integer as retry_slots
          from events where app_id = $1 and status = 'sending'
      ), first as (${due('not is_retry', 'slots')}
      ), retry as (${due('is_retry', 'least(slots - (select count(*) from first), retry_slots)')}
      )${claim('select event_id from first union all select event_id from retry')}`,
    values: [appId, wanted, bound],
  })
  return claimed.rows.map((row) => dueOf(row, false))
}

/** Alone: what was in flight before is waited for. */
async function claimOldest(transaction: Transaction, appId: AppId): Promise<DueEvent[]> {
  const claimed = await transaction.query<DueRow>({
    name: 'claim-oldest',
    text: `
      with oldest as (
        select event_id from events
         where app_id = $1 and status = 'waiting'
           and not exists (select 1 from events where app_id = $1 and status = 'sending')
         order by event_id limit 1 for update
      )${claim('select event_id from oldest')}`,
    values: [appId],
  })
  return claimed.rows.map((row) => dueOf(row, true))
}

const dueOf = (row: DueRow, isProbe: boolean): DueEvent => ({
  appId: row.app_id,
  eventId: row.event_id,
  body: row.body,
  attempt: row.attempt,
  isRetried: row.is_retried,
  isProbe,
  url: row.url,
  secret: row.secret,
  previousSecret: row.previous_secret,
})

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

/** The endpoint's row is one for all its events: a success so soon after another leaves it alone, and waits for nobody. */
const successStep = "interval '1 second'"

/** All that waits follows, oldest first: what had its retry put off is due. */
const makeDue = `
  update events set next_attempt_at = created_at, is_retry = false
   where app_id = $1 and status = 'waiting' and is_retry`

export async function markTaken(
  queryable: Queryable,
  due: DueEvent,
  attempt: Attempt,
  nowMs: number,
): Promise<void> {
  const table = partitionOf('events', due.eventId, nowMs)
  await queryable.query({
    name: `mark-${due.isProbe ? 'probe-' : ''}taken ${table}`,
    text: `
      with attempt as (${recordAttempt}),
      done as (
        update ${table} set status = 'delivered'
         where app_id = $1 and event_id = $2 and attempt = $3 and ${isStill('sending')}
      ), endpoint as (
        update webhook_endpoints
           set failures = 0, last_success_at = clock_timestamp(),
               status = case when $8 and status = 'probing' then 'active' else status end
         where app_id = $1 and (failures > 0 or $8 or coalesce(last_success_at < clock_timestamp() - ${successStep}, true))
      )
      ${due.isProbe ? makeDue : 'select'}`,
    values: [...attemptValues(due, attempt), due.isProbe],
  })
}

/** Judged on the endpoint's row as it is when it is written, so that the twentieth failure in a row is the twentieth. */
const pauseReason = `
  case when $9 then 'the endpoint answered 410'
       when w.status = 'probing' and $11 then 'the first event after it was enabled was not taken'
       when w.failures + 1 >= ${failuresToPause} then '${failuresToPause} attempts in a row failed'
       when event.status = 'failed' and $10 and coalesce(w.last_success_at + ${successStep} < event.created_at, true)
         then 'an event was given up with no success since'
  end`

/** `delaySeconds` null: the event is given up. Returns why the endpoint was paused by this, if it was. */
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
           set status = case when $8::float8 is null then 'failed' else 'waiting' end, is_retry = true,
               next_attempt_at = clock_timestamp() + coalesce($8::float8, 0) * interval '1 second'
         where app_id = $1 and event_id = $2 and attempt = $3 and ${isStill('sending')}
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
    values: [...attemptValues(due, attempt), delaySeconds, isGone, due.isRetried, due.isProbe],
  })
  return marked.rows[0]?.reason ?? null
}

const daysHeld = 7

/** What has waited for a week goes to nobody any more, unless a person has asked for it since; over all apps, in bites. */
export async function expireEvents(queryable: Queryable, limit: number): Promise<number> {
  const expired = await queryable.query({
    text: `with week as (select clock_timestamp() - ${daysHeld} * interval '1 day' as ago)
           update events set status = 'expired'
            where status = 'waiting' and (app_id, event_id) in (
                  select app_id, event_id from events, week
                   where status = 'waiting' and created_at < week.ago and (is_retried or next_attempt_at < week.ago)
                   limit $1 for update of events skip locked)`,
    values: [limit],
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
