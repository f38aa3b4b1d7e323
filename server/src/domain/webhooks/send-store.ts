/** The statements of the sender. An event is claimed with a lease, and finishing is good only for that claim. */
import { type Database, isStill, type Queryable, type Tenant, timeNow } from '../../platform/database.ts'
import type { AppId, CompanyId } from '../../platform/ids.ts'
import { partitionOf } from '../../platform/partitions.ts'
import type { AppRef } from '../tenancy/index.ts'
import { type EndpointStatus, failuresToPause, maxInFlight, maxRetriesInFlight } from './endpoint.ts'

/** Longer than the deadline of an attempt, so that a living sender always finishes before another takes over. */
const leaseSeconds = 30

export interface DueEvent extends AppRef {
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
    text: `update events set status = 'waiting' /* every company: a lease is the sender's, whoever the event is of */
            where status = 'sending' and next_attempt_at <= ${timeNow}`,
  })
}

/**
 * Apps after this one that have something to send or to settle: a walk along the index, one step per app and
 * not one per event. A paused endpoint has nothing to send, however much waits for it.
 */
export async function listDueApps(
  queryable: Queryable,
  after: AppRef | null,
  limit: number,
): Promise<AppRef[]> {
  const nextAfter = (companyId: string, appId: string) =>
    `select e.company_id, e.app_id from events e where e.status = 'waiting' and (e.company_id, e.app_id) > (${companyId}, ${appId})
      order by e.company_id, e.app_id limit 1`
  const isDue = (isRetry: string) => `
    exists (select 1 from events e where e.company_id = walk.company_id and e.app_id = walk.app_id
               and e.status = 'waiting' and ${isRetry} and e.next_attempt_at <= ${timeNow})`
  const found = await queryable.query<{ company_id: CompanyId; app_id: AppId }>({
    name: 'list-due-apps',
    text: `
      with recursive walk as ( /* every company: a sender goes from app to app */
        (${nextAfter('$1', '$2')})
        union all
        select next.company_id, next.app_id from walk cross join lateral (${nextAfter('walk.company_id', 'walk.app_id')}) next
      )
      select walk.company_id, walk.app_id
        from walk left join webhook_endpoints w on w.company_id = walk.company_id and w.app_id = walk.app_id
       where w.status is null or w.status = 'probing'
          or w.status = 'active' and (${isDue('not e.is_retry')} or ${isDue('e.is_retry')})
       limit $3`,
    values: [after?.companyId ?? '', after?.appId ?? '', limit],
  })
  return found.rows.map((row) => ({ companyId: row.company_id, appId: row.app_id }))
}

/** What has no endpoint to go to is settled in bites. */
export async function skipWithoutEndpoint(tenant: Tenant, appId: AppId, limit: number): Promise<number> {
  const skipped = await tenant.query({
    name: 'skip-without-endpoint',
    text: `update events set status = 'skipped'
            where company_id = $1 and app_id = $2 and status = 'waiting' and not exists (select 1 from webhook_endpoints where company_id = $1 and app_id = $2)
              and event_id in (select event_id from events where company_id = $1 and app_id = $2 and status = 'waiting' limit $3 for update skip locked)`,
    values: [appId, limit],
  })
  return skipped.rowCount ?? 0
}

interface DueRow {
  company_id: CompanyId
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
export async function claimEvents(
  database: Database,
  { companyId, appId }: AppRef,
  wanted: number,
): Promise<DueEvent[]> {
  return database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    const locked = await tenant.query<{ status: EndpointStatus; failures: number }>({
      name: 'lock-endpoint',
      text: `select status, failures from webhook_endpoints where company_id = $1 and app_id = $2 and status <> 'paused' for update skip locked`,
      values: [appId],
    })
    const endpoint = locked.rows[0]
    if (!endpoint) return []
    if (endpoint.status === 'probing') return claimOldest(tenant, appId)
    return claimDue(tenant, appId, wanted, Math.min(maxInFlight, failuresToPause - endpoint.failures))
  })
}

/** `chosen` is SQL for the ids to claim. */
const claim = (chosen: string) => `
  , claimed as (
    update events e
       set status = 'sending', attempt = e.attempt + 1, next_attempt_at = clock_timestamp() + ${leaseSeconds} * interval '1 second'
      from webhook_endpoints w
     where e.company_id = $1 and e.app_id = $2 and w.company_id = $1 and w.app_id = $2 and e.event_id in (${chosen})
    returning e.company_id, e.app_id, e.event_id, e.body, e.attempt, e.is_retried, w.url, w.secret,
              case when w.previous_until > clock_timestamp() then w.previous_secret end as previous_secret
  )
  select * from claimed order by event_id`

/** First attempts before retries; and retries leave room, so that a first attempt need not wait for them to end. */
async function claimDue(tenant: Tenant, appId: AppId, wanted: number, bound: number): Promise<DueEvent[]> {
  const due = (isRetry: string, limit: string) => `
        select event_id from events
         where company_id = $1 and app_id = $2 and status = 'waiting' and ${isRetry} and next_attempt_at <= ${timeNow}
         order by next_attempt_at, event_id limit (select greatest(0, ${limit}) from room) for update skip locked`
  const claimed = await tenant.query<DueRow>({
    name: 'claim-due',
    text: `
      with room as (
        select least($3::integer, $4::integer - count(*)::integer) as slots,
               ${maxRetriesInFlight} - count(*) filter (where is_retry)::integer as retry_slots
          from events where company_id = $1 and app_id = $2 and status = 'sending'
      ), first as (${due('not is_retry', 'slots')}
      ), retry as (${due('is_retry', 'least(slots - (select count(*) from first), retry_slots)')}
      )${claim('select event_id from first union all select event_id from retry')}`,
    values: [appId, wanted, bound],
  })
  return claimed.rows.map((row) => dueOf(row, false))
}

/** Alone: what was in flight before is waited for. */
async function claimOldest(tenant: Tenant, appId: AppId): Promise<DueEvent[]> {
  const claimed = await tenant.query<DueRow>({
    name: 'claim-oldest',
    text: `
      with oldest as (
        select event_id from events
         where company_id = $1 and app_id = $2 and status = 'waiting'
           and not exists (select 1 from events where company_id = $1 and app_id = $2 and status = 'sending')
         order by event_id limit 1 for update
      )${claim('select event_id from oldest')}`,
    values: [appId],
  })
  return claimed.rows.map((row) => dueOf(row, true))
}

const dueOf = (row: DueRow, isProbe: boolean): DueEvent => ({
  companyId: row.company_id,
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
  insert into event_attempts (company_id, app_id, event_id, attempt, at, status, latency_ms, answer, error)
  values ($1, $2, $3, $4, clock_timestamp(), $5, $6, $7, $8)`

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
   where company_id = $1 and app_id = $2 and status = 'waiting' and is_retry`

export async function markTaken(
  tenant: Tenant,
  due: DueEvent,
  attempt: Attempt,
  nowMs: number,
): Promise<void> {
  const table = partitionOf('events', due.eventId, nowMs)
  await tenant.query({
    name: `mark-${due.isProbe ? 'probe-' : ''}taken ${table}`,
    text: `
      with attempt as (${recordAttempt}),
      done as (
        update ${table} set status = 'delivered'
         where company_id = $1 and app_id = $2 and event_id = $3 and attempt = $4 and ${isStill('sending')}
      ), endpoint as (
        update webhook_endpoints
           set failures = 0, last_success_at = clock_timestamp(),
               status = case when $9 and status = 'probing' then 'active' else status end
         where company_id = $1 and app_id = $2 and (failures > 0 or $9 or coalesce(last_success_at < clock_timestamp() - ${successStep}, true))
      )
      ${due.isProbe ? makeDue : 'select'}`,
    values: [...attemptValues(due, attempt), due.isProbe],
  })
}

/** Judged on the endpoint's row as it is when it is written, so that the twentieth failure in a row is the twentieth. */
const pauseReason = `
  case when $10 then 'the endpoint answered 410'
       when w.status = 'probing' and $12 then 'the first event after it was enabled was not taken'
       when w.failures + 1 >= ${failuresToPause} then '${failuresToPause} attempts in a row failed'
       when event.status = 'failed' and $11 and coalesce(w.last_success_at + ${successStep} < event.created_at, true)
         then 'an event was given up with no success since'
  end`

/** `delaySeconds` null: the event is given up. Returns why the endpoint was paused by this, if it was. */
export async function markFailed(
  tenant: Tenant,
  due: DueEvent,
  attempt: Attempt,
  { delaySeconds, isGone }: { readonly delaySeconds: number | null; readonly isGone: boolean },
): Promise<string | null> {
  const marked = await tenant.query<{ reason: string }>({
    name: 'mark-event-failed',
    text: `
      with attempt as (${recordAttempt}),
      event as (
        update events
           set status = case when $9::float8 is null then 'failed' else 'waiting' end, is_retry = true,
               next_attempt_at = clock_timestamp() + coalesce($9::float8, 0) * interval '1 second'
         where company_id = $1 and app_id = $2 and event_id = $3 and attempt = $4 and ${isStill('sending')}
        returning created_at, status
      ), endpoint as (
        update webhook_endpoints w
           set failures = w.failures + 1,
               status = case when (${pauseReason}) is null then w.status else 'paused' end,
               paused_at = case when (${pauseReason}) is null then w.paused_at else clock_timestamp() end,
               reason = coalesce(${pauseReason}, w.reason)
          from event
         where w.company_id = $1 and w.app_id = $2 and w.status <> 'paused'
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
           update events set status = 'expired' /* every company: upkeep */
            where status = 'waiting' and (company_id, app_id, event_id) in (
                  select company_id, app_id, event_id from events, week
                   where status = 'waiting' and created_at < week.ago and (is_retried or next_attempt_at < week.ago)
                   limit $1 for update of events skip locked)`,
    values: [limit],
  })
  return expired.rowCount ?? 0
}

/** For the operator's eyes, over all apps. */
export async function countPaused(queryable: Queryable): Promise<number> {
  const found = await queryable.query<{ count: number }>({
    text: `select count(*)::integer as count from webhook_endpoints /* every company: a figure of the node's */
            where status = 'paused'`,
  })
  return found.rows[0]?.count ?? 0
}
