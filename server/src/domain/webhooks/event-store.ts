/** Events as management sees them: one for each id, with its status at each endpoint. */
import type { AnswerKind, EventType, ListedEventStatus } from '@countersign/contract'
import type { Tenant } from '../../platform/database.ts'
import type { AppId, EndpointId } from '../../platform/ids.ts'
import type { NewEvent } from './event.ts'
import { type Destination, nextAttemptOf, statusOf } from './event-status.ts'

interface ListedAttempt {
  readonly endpointId: string
  readonly at: Date
  readonly status: number | null
  readonly latencyMs: number
  readonly answer: string | null
  readonly error: string | null
  /** The time and the signatures, from which the headers can be made again. */
  readonly signed: string
}

export interface ListedEvent {
  readonly eventId: string
  readonly type: EventType
  readonly otpId: string
  readonly deliveryId: string | null
  readonly body: string
  readonly createdAt: Date
  readonly isTest: boolean
  readonly status: ListedEventStatus
  readonly nextAttemptAt: Date | null
  readonly destinations: readonly Destination[]
  readonly attempts: readonly ListedAttempt[]
}

export interface EventFilter {
  readonly before: string | null
  readonly status: ListedEventStatus | null
  readonly type: EventType | null
  readonly endpointId: string | null
  readonly minAttempts: number | null
  readonly answer: AnswerKind | null
  readonly limit: number
}

/** The most rows that a search looks at. */
const mostLookedAt = 20_000

const isOfEvent =
  'a.company_id = $1 and a.app_id = $2 and a.event_id = e.event_id and a.endpoint_id = e.endpoint_id'

/** An event that waits for a paused endpoint is shown as held. */
const shownStatus = `case when e.status = 'waiting' and w.status = 'paused' then 'held' else e.status end`

const isAnswered = (status: string) =>
  `case $9 when 'none' then ${status} is null else ${status} / 100 = left($9, 1)::integer end`

export interface FoundIds {
  readonly eventIds: readonly string[]
  /** The id where the search was cut; null if it looked at everything that is left. */
  readonly edge: string | null
}

/** Events with at least one row that passes the filter, newest first. */
export async function findEventIds(tenant: Tenant, appId: AppId, filter: EventFilter): Promise<FoundIds> {
  const { before, status, type, endpointId, minAttempts, answer, limit } = filter
  const range = 'e.company_id = $1 and e.app_id = $2 and ($3::text is null or e.event_id < $3)'
  const values = [appId, before]
  const found = await tenant.query<{ event_id: string }>({
    text: `
      select distinct on (e.event_id) e.event_id from (
        select e.event_id, e.endpoint_id, e.type, e.status, e.attempt, e.taken_at, e.taken_status
          from events e where ${range} order by e.event_id desc limit ${mostLookedAt}) e
        left join webhook_endpoints w on w.company_id = $1 and w.app_id = $2 and w.endpoint_id = e.endpoint_id
       where ($4::text is null or ${shownStatus} = $4) and ($5::text is null or e.type = $5)
         and ($6::text is null or e.endpoint_id = $6) and ($7::integer is null or e.attempt >= $7)
         and ($9::text is null or e.taken_at is not null and ${isAnswered('e.taken_status')}
              or exists (select 1 from event_attempts a where ${isOfEvent} and ${isAnswered('a.status')}))
       order by e.event_id desc limit $8`,
    values: [...values, status, type, endpointId, minAttempts, limit, answer],
  })
  const eventIds = found.rows.map(({ event_id }) => event_id)
  if (eventIds.length === limit) return { eventIds, edge: null }
  const cut = await tenant.query<{ event_id: string }>({
    text: `select e.event_id from events e where ${range} order by e.event_id desc offset ${mostLookedAt - 1} limit 1`,
    values,
  })
  return { eventIds, edge: cut.rows[0]?.event_id ?? null }
}

interface EventRow {
  event_id: string
  endpoint_id: string
  type: EventType
  otp_id: string
  delivery_id: string | null
  body: string
  created_at: Date
  is_test: boolean
  url: string | null
  status: ListedEventStatus
  next_attempt_at: Date
  attempts:
    | {
        at: string
        status: number | null
        latency_ms: number
        answer: string | null
        error: string | null
        signed: string
      }[]
    | null
}

/** Returns events in the order of their ids; those that do not exist are left out. */
export async function readEvents(
  tenant: Tenant,
  appId: AppId,
  eventIds: readonly string[],
): Promise<ListedEvent[]> {
  if (eventIds.length === 0) return []
  const found = await tenant.query<EventRow>({
    text: `
      select e.event_id, e.endpoint_id, e.type, e.otp_id, e.delivery_id, e.body, e.created_at, e.is_test, w.url,
             ${shownStatus} as status, e.next_attempt_at,
             (select json_agg(json_build_object('at', a.at, 'status', a.status, 'latency_ms', a.latency_ms,
                                                'answer', a.answer, 'error', a.error, 'signed', a.signed) order by a.at)
                from (select a.at, a.status, a.latency_ms, a.answer, a.error, a.signed from event_attempts a where ${isOfEvent}
                       union all
                      select e.taken_at, e.taken_status, e.taken_ms, e.taken_answer, null, e.taken_signed where e.taken_at is not null) a) as attempts
        from unnest($3::text[]) wanted (event_id)
       cross join lateral (select * from events
                            where company_id = $1 and app_id = $2 and event_id = wanted.event_id offset 0) e
        left join webhook_endpoints w on w.company_id = $1 and w.app_id = $2 and w.endpoint_id = e.endpoint_id
       order by e.event_id, w.created_at, e.endpoint_id`,
    values: [appId, eventIds],
  })
  const rowsOf = new Map<string, EventRow[]>()
  for (const row of found.rows) rowsOf.set(row.event_id, [...(rowsOf.get(row.event_id) ?? []), row])
  return [...rowsOf.values()].flatMap(eventOf)
}

/** The rows of one event differ only in the endpoint and the outcome. */
function eventOf(rows: readonly EventRow[]): ListedEvent[] {
  const [row] = rows
  if (!row) return []
  const destinations = rows.map((one) => ({
    endpointId: one.endpoint_id,
    url: one.url,
    status: one.status,
    nextAttemptAt: one.status === 'waiting' ? one.next_attempt_at : null,
  }))
  return [
    {
      eventId: row.event_id,
      type: row.type,
      otpId: row.otp_id,
      deliveryId: row.delivery_id,
      body: row.body,
      createdAt: row.created_at,
      isTest: row.is_test,
      status: statusOf(destinations),
      nextAttemptAt: nextAttemptOf(destinations),
      destinations,
      attempts: rows.flatMap(attemptsOf).toSorted((left, right) => left.at.getTime() - right.at.getTime()),
    },
  ]
}

const attemptsOf = ({ endpoint_id, attempts }: EventRow): ListedAttempt[] =>
  (attempts ?? []).map((attempt) => ({
    endpointId: endpoint_id,
    at: new Date(attempt.at),
    status: attempt.status,
    latencyMs: attempt.latency_ms,
    answer: attempt.answer,
    error: attempt.error,
    signed: attempt.signed,
  }))

export async function insertTestEvent(
  tenant: Tenant,
  appId: AppId,
  endpointId: EndpointId,
  otpId: string,
  event: NewEvent,
): Promise<void> {
  await tenant.query({
    text: `insert into events (company_id, app_id, event_id, endpoint_id, type, otp_id, body, is_test)
           select company_id, app_id, $3, $4, 'otp.approved', $5, $6, true from apps where company_id = $1 and app_id = $2`,
    values: [appId, event.eventId, endpointId, otpId, event.body],
  })
}
