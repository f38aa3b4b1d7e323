/** The statements that find and claim events. An event is claimed with a lease, and finishing is good only for that claim. */
import { bulkOf } from '../../platform/bulk.ts'
import {
  type Database,
  type Queryable,
  type Tenant,
  type Transaction,
  timeNow,
} from '../../platform/database.ts'
import type { AppId, CompanyId } from '../../platform/ids.ts'
import type { AppRef } from '../tenancy/index.ts'
import { type EndpointStatus, failuresToPause, maxRetriesInFlight } from './endpoint.ts'

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

const isOf = (table: string, owner: string) =>
  `${table}.company_id = ${owner}.company_id and ${table}.app_id = ${owner}.app_id`

/** A lease that ran out: its sender is gone, and the event waits again. Over all apps, for few are ever under way. */
export async function releaseAbandoned(queryable: Queryable): Promise<void> {
  await queryable.query({
    name: 'release-abandoned',
    text: `update events set status = 'waiting' /* every company: a lease is the sender's, whoever the event is of */
            where status = 'sending' and next_attempt_at <= ${timeNow}`,
  })
}

export interface DueApp extends AppRef {
  /** Without an endpoint, what waits is skipped. */
  readonly hasEndpoint: boolean
}

/**
 * Apps after this one that have something to send or to settle: a walk along the index, one step per app and
 * not one per event. A paused endpoint has nothing to send, however much waits for it.
 */
export async function listDueApps(
  queryable: Queryable,
  after: AppRef | null,
  limit: number,
): Promise<DueApp[]> {
  const nextAfter = (companyId: string, appId: string) =>
    `select e.company_id, e.app_id from events e where e.status = 'waiting' and (e.company_id, e.app_id) > (${companyId}, ${appId})
      order by e.company_id, e.app_id limit 1`
  const isDue = (isRetry: string) => `
    exists (select 1 from events e where e.company_id = walk.company_id and e.app_id = walk.app_id
               and e.status = 'waiting' and ${isRetry} and e.next_attempt_at <= ${timeNow})`
  const found = await queryable.query<{ company_id: CompanyId; app_id: AppId; has_endpoint: boolean }>({
    name: 'list-due-apps',
    text: `
      with recursive walk as ( /* every company: a sender goes from app to app */
        (${nextAfter('$1', '$2')})
        union all
        select next.company_id, next.app_id from walk cross join lateral (${nextAfter('walk.company_id', 'walk.app_id')}) next
      )
      select walk.company_id, walk.app_id, w.status is not null as has_endpoint
        from walk left join webhook_endpoints w on w.company_id = walk.company_id and w.app_id = walk.app_id
       where w.status is null or w.status = 'probing'
          or w.status = 'active' and (${isDue('not e.is_retry')} or ${isDue('e.is_retry')})
       limit $3`,
    values: [after?.companyId ?? '', after?.appId ?? '', limit],
  })
  return found.rows.map((row) => ({
    companyId: row.company_id,
    appId: row.app_id,
    hasEndpoint: row.has_endpoint,
  }))
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

export interface Room extends AppRef {
  /** How many are to be claimed. */
  readonly wanted: number
  /** How many may be under way, over all nodes. */
  readonly window: number
}

export interface Claims {
  readonly events: DueEvent[]
  /** Apps whose endpoint somebody else was at: they may have more. */
  readonly passedOver: AppRef[]
}

/**
 * The endpoints' rows are locked before their events are counted and claimed, so that over all nodes no more than
 * the bound are in flight. It shrinks with failures in a row, so that an endpoint which has not shown how much
 * it takes is not tried after the one that pauses it. Nothing here waits for anybody.
 */
export async function claimEvents(database: Database, rooms: readonly Room[]): Promise<Claims> {
  const { endpoints, locked, due, oldest } = await database.inTwoTrips({
    read: (transaction) => lockEndpoints(transaction, rooms),
    write: (transaction, found) => {
      const seen = rooms.map((room) => ({ ...room, endpoint: found.endpoints.get(room.appId) }))
      const due = claimDue(transaction, seen.flatMap(activeRoom))
      const oldest = claimOldest(
        transaction,
        seen.filter(({ endpoint }) => endpoint?.status === 'probing'),
      )
      return { statements: [due, oldest], result: { ...found, due, oldest } }
    },
  })
  const claimed = [...(await due), ...(await oldest)]
  return {
    events: claimed.flatMap((row) => dueOf(row, endpoints.get(row.app_id))),
    passedOver: rooms.filter(({ appId }) => locked.has(appId)),
  }
}

interface LockedEndpoint {
  app_id: AppId
  status: EndpointStatus
  failures: number
  url: string
  secret: Buffer
  previous_secret: Buffer | null
}

const app = bulkOf<AppRef>(
  { company_id: ['text', (row) => row.companyId], app_id: ['text', (row) => row.appId] },
  1,
)

/** `locked` are those that somebody else has; one that was removed is in neither. */
async function lockEndpoints(
  transaction: Transaction,
  apps: readonly AppRef[],
): Promise<{ endpoints: Map<string, LockedEndpoint>; locked: Set<string> }> {
  const found = await transaction.query<LockedEndpoint | { app_id: AppId; status: null }>({
    name: 'lock-endpoints',
    text: `select one.app_id, w.* /* every company: a sender's round, each app held to its own company */
             from (select * from ${app.source} limit $${app.next}) wanted
            cross join lateral (select w.app_id from webhook_endpoints w
                                 where ${isOf('w', 'wanted')} and w.status <> 'paused' limit 1) one
             left join lateral (
                  select w.status, w.failures, w.url, w.secret,
                         case when w.previous_until > clock_timestamp() then w.previous_secret end as previous_secret
                    from webhook_endpoints w where ${isOf('w', 'wanted')} and w.status <> 'paused'
                   limit 1 for update skip locked) w on true`,
    values: [...app.values(apps), apps.length],
  })
  const endpoints = found.rows.flatMap((row) => (row.status === null ? [] : [row]))
  const locked = found.rows.flatMap((row) => (row.status === null ? [row.app_id] : []))
  return { endpoints: new Map(endpoints.map((row) => [row.app_id, row])), locked: new Set(locked) }
}

interface BoundRoom extends AppRef {
  readonly wanted: number
  readonly bound: number
}

function activeRoom({
  endpoint,
  window,
  ...room
}: Room & { readonly endpoint: LockedEndpoint | undefined }): BoundRoom[] {
  if (endpoint?.status !== 'active') return []
  const { failures } = endpoint
  return [{ ...room, bound: failures === 0 ? window : Math.min(window, failuresToPause - failures) }]
}

const room = bulkOf<BoundRoom>(
  {
    company_id: ['text', (row) => row.companyId],
    app_id: ['text', (row) => row.appId],
    wanted: ['integer', (row) => row.wanted],
    bound: ['integer', (row) => row.bound],
  },
  1,
)

interface ClaimedRow {
  company_id: CompanyId
  app_id: AppId
  event_id: string
  body: string
  attempt: number
  is_retried: boolean
  is_probe: boolean
}

/** Found row by row and written along the key, as guesses are. `chosen` is what the statement has locked. */
const claimChosen = (isProbe: boolean) => `
  claimed as (
    insert into events as e (company_id, app_id, event_id, type, otp_id, body)
    select company_id, app_id, event_id, type, otp_id, body from chosen
    on conflict (company_id, app_id, event_id) do update
       set status = 'sending', attempt = e.attempt + 1, next_attempt_at = clock_timestamp() + ${leaseSeconds} * interval '1 second'
    returning e.company_id, e.app_id, e.event_id, e.body, e.attempt, e.is_retried
  )
  select *, ${isProbe} as is_probe from claimed order by event_id`

/** First attempts before retries; and retries leave room, so that a first attempt need not wait for them to end. */
async function claimDue(transaction: Transaction, rooms: readonly BoundRoom[]): Promise<ClaimedRow[]> {
  if (rooms.length === 0) return []
  const due = (isRetry: string, limit: string) => `
        select e.* from room cross join lateral (
               select e.* from events e
                where ${isOf('e', 'room')} and e.status = 'waiting' and ${isRetry} and e.next_attempt_at <= ${timeNow}
                order by e.next_attempt_at, e.event_id limit greatest(0, ${limit}) for update skip locked) e`
  const claimed = await transaction.query<ClaimedRow>({
    name: 'claim-due',
    text: `
      with wanted as ( /* every company: a sender's round, each app held to its own company */
        select * from ${room.source} limit $${room.next}
      ), room as materialized (
        select wanted.company_id, wanted.app_id, least(wanted.wanted, wanted.bound - under_way.count) as slots,
               ${maxRetriesInFlight} - under_way.retries as retry_slots
          from wanted cross join lateral (
               select count(*)::integer as count, count(*) filter (where is_retry)::integer as retries
                 from events e where ${isOf('e', 'wanted')} and e.status = 'sending') under_way
      ), first as materialized (${due('not e.is_retry', 'room.slots')}
      ), retry as materialized (${due('e.is_retry', `least(room.slots - (select count(*) from first where ${isOf('first', 'room')}), room.retry_slots)`)}
      ), chosen as (select * from first union all select * from retry
      ), ${claimChosen(false)}`,
    values: [...room.values(rooms), rooms.length],
  })
  return claimed.rows
}

/** The probe goes alone, so nothing is claimed while anything is still under way. */
async function claimOldest(transaction: Transaction, apps: readonly AppRef[]): Promise<ClaimedRow[]> {
  if (apps.length === 0) return []
  const claimed = await transaction.query<ClaimedRow>({
    name: 'claim-oldest',
    text: `
      with wanted as ( /* every company: a sender's round, each app held to its own company */
        select * from ${app.source} limit $${app.next}
      ), chosen as materialized (
        select e.* from wanted cross join lateral (
               select e.* from events e
                where ${isOf('e', 'wanted')} and e.status = 'waiting'
                  and not exists (select 1 from events s where ${isOf('s', 'wanted')} and s.status = 'sending')
                order by e.event_id limit 1 for update skip locked) e
      ), ${claimChosen(true)}`,
    values: [...app.values(apps), apps.length],
  })
  return claimed.rows
}

function dueOf(row: ClaimedRow, endpoint: LockedEndpoint | undefined): DueEvent[] {
  if (!endpoint) return []
  return [
    {
      companyId: row.company_id,
      appId: row.app_id,
      eventId: row.event_id,
      body: row.body,
      attempt: row.attempt,
      isRetried: row.is_retried,
      isProbe: row.is_probe,
      url: endpoint.url,
      secret: endpoint.secret,
      previousSecret: endpoint.previous_secret,
    },
  ]
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

/** A figure for the operator, over all apps. */
export async function countPaused(queryable: Queryable): Promise<number> {
  const found = await queryable.query<{ count: number }>({
    text: `select count(*)::integer as count from webhook_endpoints /* every company: a figure of the node's */
            where status = 'paused'`,
  })
  return found.rows[0]?.count ?? 0
}
