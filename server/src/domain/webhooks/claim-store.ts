/** The statements that claim events. An event is claimed with a lease, and its outcome counts only for that claim. */
import { bulkOf, type Columns } from '../../platform/bulk.ts'
import { type Database, type Transaction, timeNow } from '../../platform/database.ts'
import type { EndpointId } from '../../platform/ids.ts'
import { leaseSeconds } from '../../platform/pulse.ts'
import { Tally } from '../../platform/tally.ts'
import type { AppRef } from '../tenancy/index.ts'
import { type EndpointRef, failuresToPause, maxRetriesInFlight } from './endpoint.ts'
import { type LockedEndpoint, lockEndpoints } from './lock-store.ts'
import { isOf } from './of-endpoint.ts'
import { firstWindow } from './windows.ts'

export interface DueEvent extends EndpointRef {
  readonly eventId: string
  readonly body: string
  readonly attempt: number
  readonly isRetried: boolean
  /** The event is tried alone: its outcome decides whether the rest follows. */
  readonly isProbe: boolean
  readonly url: string
  readonly secret: Buffer
  readonly previousSecret: Buffer | null
}

export interface Room {
  /** How many events are to be claimed. */
  readonly wanted: number
  /** How many events may be under way, over all nodes. */
  readonly window: number
}

export interface Claims {
  readonly events: DueEvent[]
  /** Endpoints of these apps that are not paused, except the full ones. */
  readonly endpoints: EndpointRef[]
  /** Endpoints that another node had locked: they may have more to send. */
  readonly passedOver: EndpointRef[]
  /** Endpoints whose waiting events were all claimed: nothing follows when one of their events ends. */
  readonly emptied: ReadonlySet<EndpointId>
}

/** What a sender asks for. */
export interface Wanted {
  readonly workerId: string
  readonly apps: readonly AppRef[]
  /** Endpoints that have no room, and are skipped. */
  readonly full: readonly string[]
  readonly roomOf: (endpointId: EndpointId) => Room
  /**
   * The ids to search between: no event that is due has a later one, so days ahead are not searched; and most claims
   * leave out days that are long over.
   */
  readonly ids: { readonly fromId: string; readonly beforeId: string }
}

/**
 * The endpoints' rows are locked before their events are counted and claimed, so that the bound on events under way
 * holds over all nodes. The bound shrinks with failures in a row, so that no attempt begins after the failure that
 * pauses the endpoint. Nothing here waits for a lock.
 */
export async function claimEvents(
  database: Database,
  { workerId, apps, full, roomOf, ids }: Wanted,
): Promise<Claims> {
  const { endpoints, passedOver, due, oldest } = await database.inTwoTrips({
    read: (transaction) => lockEndpoints(transaction, apps, full),
    write: (transaction, found) => {
      const seen = found.endpoints.map((endpoint) => ({ ...endpoint, ...roomOf(endpoint.endpointId) }))
      const due = claimDue(transaction, workerId, seen.flatMap(activeRoom), ids)
      const oldest = claimOldest(
        transaction,
        workerId,
        seen.filter(({ status, wanted }) => status === 'probing' && wanted > 0),
      )
      return { statements: [due, oldest], result: { ...found, due, oldest } }
    },
  })
  const { claimed: claimedDue, emptied } = await due
  const claimed = [...claimedDue, ...(await oldest)]
  const ofId = new Map(endpoints.map((endpoint) => [endpoint.endpointId, endpoint]))
  return {
    events: claimed.flatMap((row) => dueOf(row, ofId.get(row.endpoint_id))),
    endpoints: [...endpoints, ...passedOver],
    passedOver,
    emptied,
  }
}

interface BoundRoom extends EndpointRef {
  readonly wanted: number
  readonly bound: number
  readonly enabledAt: Date | null
}

function activeRoom({ status, failures, window, wanted, ...endpoint }: LockedEndpoint & Room): BoundRoom[] {
  if (status !== 'active' || wanted <= 0) return []
  const bound = failures === 0 ? window : Math.min(window, failuresToPause - failures)
  return [{ ...endpoint, wanted, bound }]
}

const endpointColumns: Columns<EndpointRef> = {
  company_id: ['text', (row) => row.companyId],
  app_id: ['text', (row) => row.appId],
  endpoint_id: ['text', (row) => row.endpointId],
}
const endpoint = bulkOf<EndpointRef>(endpointColumns, 1)
const room = bulkOf<BoundRoom>(
  {
    ...endpointColumns,
    wanted: ['integer', (row) => row.wanted],
    bound: ['integer', (row) => row.bound],
    enabled_at: ['timestamptz', (row) => row.enabledAt],
  },
  1,
)

interface ClaimedRow {
  endpoint_id: EndpointId
  event_id: string
  body: string
  attempt: number
  is_retried: boolean
  is_probe: boolean
}

/** Claims `chosen`, which the statement has locked. Written by an upsert along the key, as guesses are. */
const claimChosen = (isProbe: boolean, worker: number, rooms = '') => `
  claimed as (
    insert into events as e (company_id, app_id, event_id, endpoint_id, type, otp_id, body)
    select company_id, app_id, event_id, endpoint_id, type, otp_id, body from chosen
    on conflict (company_id, app_id, event_id, endpoint_id) do update
       set status = 'sending', held_by = $${worker}, attempt = e.attempt + 1, next_attempt_at = clock_timestamp() + ${leaseSeconds} * interval '1 second'
    returning e.endpoint_id, e.event_id, e.body, e.attempt, e.is_retried
  )
  select endpoint_id, event_id, body, attempt, is_retried, ${isProbe} as is_probe, null::integer as slots from claimed ${rooms} order by event_id`

/** Also returns how much room each endpoint had, in rows of their own after the claimed ones. */
const andRooms = 'union all select endpoint_id, null, null, null, null, null, slots from room'

interface RoomRow {
  endpoint_id: EndpointId
  event_id: null
  slots: number
}

/**
 * After an endpoint is enabled again, its backlog may be too much at once: while any of it waits, few events are under
 * way, whatever a node has seen the endpoint take before.
 */
const boundOf = (from: number, before: number) => `
  case when wanted.enabled_at is not null and exists (
         select 1 from events e
          where ${isOf('e', 'wanted')} and e.status = 'waiting' and not e.is_retry and e.next_attempt_at < wanted.enabled_at
            and e.event_id >= $${from} and e.event_id < $${before})
       then least(wanted.bound, ${firstWindow}) else wanted.bound end`

/** Claims first attempts before retries. Retries leave room, so that a first attempt does not wait for them to end. */
async function claimDue(
  transaction: Transaction,
  workerId: string,
  rooms: readonly BoundRoom[],
  { fromId, beforeId }: Wanted['ids'],
): Promise<{ claimed: ClaimedRow[]; emptied: ReadonlySet<EndpointId> }> {
  if (rooms.length === 0) return { claimed: [], emptied: new Set() }
  const due = (isRetry: string, limit: string) => `
        select e.* from room cross join lateral (
               select e.* from events e
                where ${isOf('e', 'room')} and e.status = 'waiting' and ${isRetry} and e.next_attempt_at <= ${timeNow}
                  and e.event_id >= $${room.next + 3} and e.event_id < $${room.next + 1}
                order by e.next_attempt_at, e.event_id limit greatest(0, ${limit}) for update skip locked) e`
  const found = await transaction.query<ClaimedRow | RoomRow>({
    name: 'claim-due',
    text: `
      with wanted as ( /* every company: a sender's round, each endpoint held to its own company */
        select * from ${room.source} limit $${room.next}
      ), room as materialized (
        select wanted.company_id, wanted.app_id, wanted.endpoint_id, least(wanted.wanted, ${boundOf(room.next + 3, room.next + 1)} - under_way.count) as slots,
               ${maxRetriesInFlight} - under_way.retries as retry_slots
          from wanted cross join lateral (
               select count(*)::integer as count, count(*) filter (where is_retry)::integer as retries
                 from events e where ${isOf('e', 'wanted')} and e.status = 'sending' and e.event_id < $${room.next + 1}) under_way
      ), first as materialized (${due('not e.is_retry', 'room.slots')}
      ), retry as materialized (${due('e.is_retry', `least(room.slots - (select count(*) from first where ${isOf('first', 'room')}), room.retry_slots)`)}
      ), chosen as (select * from first union all select * from retry
      ), ${claimChosen(false, room.next + 2, andRooms)}`,
    values: [...room.values(rooms), rooms.length, beforeId, workerId, fromId],
  })
  const claimed = found.rows.filter((row) => row.event_id !== null)
  const counts = new Tally()
  for (const { endpoint_id } of claimed) counts.add(endpoint_id, 1)
  const emptied = found.rows.flatMap((row) =>
    row.event_id === null && counts.of(row.endpoint_id) < row.slots ? [row.endpoint_id] : [],
  )
  return { claimed, emptied: new Set(emptied) }
}

/** The probe goes alone, so nothing is claimed while anything is still under way. */
async function claimOldest(
  transaction: Transaction,
  workerId: string,
  endpoints: readonly EndpointRef[],
): Promise<ClaimedRow[]> {
  if (endpoints.length === 0) return []
  const claimed = await transaction.query<ClaimedRow>({
    name: 'claim-oldest',
    text: `
      with wanted as ( /* every company: a sender's round, each endpoint held to its own company */
        select * from ${endpoint.source} limit $${endpoint.next}
      ), chosen as materialized (
        select e.* from wanted cross join lateral (
               select e.* from events e
                where ${isOf('e', 'wanted')} and e.status = 'waiting'
                  and not exists (select 1 from events s where ${isOf('s', 'wanted')} and s.status = 'sending')
                order by e.event_id limit 1 for update skip locked) e
      ), ${claimChosen(true, endpoint.next + 1)}`,
    values: [...endpoint.values(endpoints), endpoints.length, workerId],
  })
  return claimed.rows
}

function dueOf(row: ClaimedRow, locked: LockedEndpoint | undefined): DueEvent[] {
  if (!locked) return []
  const { status: _, failures: __, enabledAt: ___, ...endpoint } = locked
  return [
    {
      ...endpoint,
      eventId: row.event_id,
      body: row.body,
      attempt: row.attempt,
      isRetried: row.is_retried,
      isProbe: row.is_probe,
    },
  ]
}
