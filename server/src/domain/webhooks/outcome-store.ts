/** The statements that write how an attempt ended. */
import { bulkOf } from '../../platform/bulk.ts'
import { isStill, type Queryable, type Tenant } from '../../platform/database.ts'
import type { DueEvent } from './claim-store.ts'
import { failuresToPause } from './endpoint.ts'

export interface Attempt {
  readonly status: number | null
  readonly latencyMs: number
  readonly answer: string | null
  readonly error: string | null
  /** The time and the signatures, from which the headers can be made again. */
  readonly signed: string
}

/** Records the attempt once, even if it is written again because the first answer was lost. */
const recordAttempt = `
  insert into event_attempts (company_id, app_id, event_id, endpoint_id, attempt, at, status, latency_ms, answer, error, signed)
  select $1, $2, $3, $4, $5::integer, clock_timestamp(), $6::integer, $7::integer, $8, $9, $10
   where not exists (select 1 from event_attempts a where a.company_id = $1 and a.app_id = $2 and a.event_id = $3
                        and a.endpoint_id = $4 and a.attempt = $5 and a.signed = $10)`

const attemptValues = (due: DueEvent, attempt: Attempt) => [
  due.appId,
  due.eventId,
  due.endpointId,
  due.attempt,
  attempt.status,
  attempt.latencyMs,
  attempt.answer,
  attempt.error,
  attempt.signed,
]

/** All events of an endpoint share its row: a success this soon after another does not write it, and needs no lock. */
const successStep = "interval '1 second'"

/**
 * After a probe was taken, everything that waits is due, retries included. The probe itself is left out: it may wait
 * too, and PostgreSQL changes a row only once in a statement.
 */
const makeDue = `
  update events set next_attempt_at = created_at, is_retry = false
   where company_id = $1 and app_id = $2 and endpoint_id = $4 and event_id <> $3 and status = 'waiting' and is_retry`

/** Includes an event that was released and waits again: an event that an endpoint has taken is not sent once more. */
const isUnsettled = `(${isStill('sending')} or ${isStill('waiting')} and taken_at is null)`

const outcome = bulkOf<{ readonly due: DueEvent; readonly attempt: Attempt }>(
  {
    company_id: ['text', ({ due }) => due.companyId],
    app_id: ['text', ({ due }) => due.appId],
    event_id: ['text', ({ due }) => due.eventId],
    endpoint_id: ['text', ({ due }) => due.endpointId],
    attempt: ['integer', ({ due }) => due.attempt],
    status: ['smallint', ({ attempt }) => attempt.status],
    latency_ms: ['integer', ({ attempt }) => attempt.latencyMs],
    answer: ['text', ({ attempt }) => attempt.answer],
    signed: ['text', ({ attempt }) => attempt.signed],
  },
  1,
)

/**
 * Writes many outcomes at once, all in one day's partition (`table`). The attempt that was taken is kept in the event's
 * own row; that of a replay, or a late one that no longer holds the event, gets a row of its own. Writing it again
 * changes nothing.
 */
export async function markTaken(
  queryable: Queryable,
  table: string,
  outcomes: readonly { readonly due: DueEvent; readonly attempt: Attempt }[],
): Promise<void> {
  await queryable.query({
    name: `mark-taken ${table}`,
    text: `
      with taken as materialized ( /* every company: what endpoints took meanwhile, each event held to its own company */
        select taken.*, e.event_id is not null as is_held, coalesce(e.taken_at is null, false) as is_first, e.type, e.otp_id, e.body
          from (select * from ${outcome.source} limit $${outcome.next}) taken
          left join lateral (
               select * from ${table} e
                where e.company_id = taken.company_id and e.app_id = taken.app_id and e.event_id = taken.event_id
                  and e.endpoint_id = taken.endpoint_id and e.attempt = taken.attempt and ${isUnsettled}
                limit 1 for update) e on true
      ), done as (
        insert into ${table} as e (company_id, app_id, event_id, endpoint_id, type, otp_id, body, taken_at, taken_status, taken_ms, taken_answer, taken_signed)
        select company_id, app_id, event_id, endpoint_id, type, otp_id, body, clock_timestamp(), status, latency_ms, answer, signed from taken where is_held
        on conflict (company_id, app_id, event_id, endpoint_id) do update
           set status = 'delivered', held_by = null, taken_at = coalesce(e.taken_at, excluded.taken_at), taken_status = coalesce(e.taken_status, excluded.taken_status),
               taken_ms = coalesce(e.taken_ms, excluded.taken_ms), taken_answer = coalesce(e.taken_answer, excluded.taken_answer),
               taken_signed = coalesce(e.taken_signed, excluded.taken_signed)
      ), attempt as (
        insert into event_attempts (company_id, app_id, event_id, endpoint_id, attempt, at, status, latency_ms, answer, signed)
        select company_id, app_id, event_id, endpoint_id, attempt, clock_timestamp(), status, latency_ms, answer, signed from taken
         where not is_first
           and not exists (select 1 from ${table} e where e.company_id = taken.company_id and e.app_id = taken.app_id
                              and e.event_id = taken.event_id and e.endpoint_id = taken.endpoint_id and e.taken_signed = taken.signed)
           and not exists (select 1 from event_attempts a where a.company_id = taken.company_id and a.app_id = taken.app_id
                              and a.event_id = taken.event_id and a.endpoint_id = taken.endpoint_id and a.attempt = taken.attempt
                              and a.signed = taken.signed)
      ), good as materialized (
        select w.* from (select distinct company_id, app_id, endpoint_id from taken order by company_id, app_id, endpoint_id) one
         cross join lateral (select w.company_id, w.app_id, w.endpoint_id from webhook_endpoints w
                              where w.company_id = one.company_id and w.app_id = one.app_id and w.endpoint_id = one.endpoint_id
                                and (w.failures > 0 or coalesce(w.last_success_at < clock_timestamp() - ${successStep}, true))
                              limit 1 for update) w
      )
      update webhook_endpoints w set failures = 0, last_success_at = clock_timestamp()
        from good where w.company_id = good.company_id and w.app_id = good.app_id and w.endpoint_id = good.endpoint_id`,
    values: [...outcome.values(outcomes), outcomes.length],
  })
}

/** Ends the pause: the endpoint is active, and all that waits is due. */
export async function markProbeTaken(tenant: Tenant, due: DueEvent, attempt: Attempt): Promise<void> {
  await tenant.query({
    name: 'mark-probe-taken',
    text: `
      with attempt as (${recordAttempt}),
      done as (
        update events set status = 'delivered', held_by = null
         where company_id = $1 and app_id = $2 and event_id = $3 and endpoint_id = $4 and attempt = $5 and ${isUnsettled}
      ), endpoint as (
        update webhook_endpoints
           set failures = 0, last_success_at = clock_timestamp(),
               status = case when status = 'probing' then 'active' else status end
         where company_id = $1 and app_id = $2 and endpoint_id = $4
      )
      ${makeDue}`,
    values: attemptValues(due, attempt),
  })
}

/** Judged by the endpoint's row at the time of writing, so that failures in a row are counted exactly. */
const pauseReason = `
  case when $12 then 'the endpoint answered 410'
       when w.status = 'probing' and $14 then 'the first event after it was enabled was not taken'
       when not $15 and w.failures + 1 >= ${failuresToPause} then '${failuresToPause} attempts in a row failed'
       when event.status = 'failed' and $13 and coalesce(w.last_success_at + ${successStep} < event.created_at, true)
         then 'an event was given up with no success since'
  end`

interface Failed {
  /** Null if the event is given up. */
  readonly delaySeconds: number | null
  readonly isGone: boolean
  /** Not counted as a failure: restarting a proxy cuts off all attempts under way, which would be many in a row. */
  readonly isCutOff: boolean
}

/** Returns the reason if this paused the endpoint. */
export async function markFailed(
  tenant: Tenant,
  due: DueEvent,
  attempt: Attempt,
  { delaySeconds, isGone, isCutOff }: Failed,
): Promise<string | null> {
  const marked = await tenant.query<{ reason: string }>({
    name: 'mark-event-failed',
    text: `
      with attempt as (${recordAttempt}),
      event as (
        update events
           set status = case when $11::float8 is null then 'failed' else 'waiting' end, held_by = null, is_retry = true,
               next_attempt_at = clock_timestamp() + coalesce($11::float8, 0) * interval '1 second'
         where company_id = $1 and app_id = $2 and event_id = $3 and endpoint_id = $4 and attempt = $5 and ${isStill('sending')}
        returning created_at, status
      ), endpoint as (
        update webhook_endpoints w
           set failures = w.failures + case when $15 then 0 else 1 end,
               status = case when (${pauseReason}) is null then w.status else 'paused' end,
               paused_at = case when (${pauseReason}) is null then w.paused_at else clock_timestamp() end,
               reason = coalesce(${pauseReason}, w.reason)
          from event
         where w.company_id = $1 and w.app_id = $2 and w.endpoint_id = $4 and w.status <> 'paused'
        returning w.status, w.reason
      )
      select reason from endpoint where status = 'paused'`,
    values: [...attemptValues(due, attempt), delaySeconds, isGone, due.isRetried, due.isProbe, isCutOff],
  })
  return marked.rows[0]?.reason ?? null
}
