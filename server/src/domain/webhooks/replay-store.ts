/** The statements that send events again. */
import type { Tenant } from '../../platform/database.ts'
import type { AppId, EndpointId } from '../../platform/ids.ts'

/** The columns of a row that are copied for another endpoint. */
const copied = 'company_id, app_id, event_id, type, otp_id, delivery_id, body, created_at, is_test'
const copiedFrom = copied
  .split(', ')
  .map((column) => `e.${column}`)
  .join(', ')

/**
 * Sends an event again to the endpoint that is named, or to each that takes its type and is not paused. Rows that are
 * under way are left alone. The row without an endpoint is removed. Returns how many endpoints the event goes to.
 */
export async function replayEvent(
  tenant: Tenant,
  appId: AppId,
  eventId: string,
  endpointId: EndpointId | null,
): Promise<number> {
  const replayed = await tenant.query<{ count: number }>({
    text: `
      with event as (
        select * from events where company_id = $1 and app_id = $2 and event_id = $3 limit 1
      ), target as (
        select w.endpoint_id from webhook_endpoints w, event
         where w.company_id = $1 and w.app_id = $2 and w.status <> 'paused'
           and case when $4::text is null then w.types is null or event.type = any(w.types) else w.endpoint_id = $4 end
      ), untaken as (
        delete from events where company_id = $1 and app_id = $2 and event_id = $3 and endpoint_id = '' and exists (select 1 from target)
      ), again as (
        insert into events as stored (${copied}, endpoint_id, is_retried)
        select ${copiedFrom}, target.endpoint_id, false from event e, target order by target.endpoint_id
        on conflict (company_id, app_id, event_id, endpoint_id) do update
           set next_attempt_at = clock_timestamp(), is_retry = false,
               is_retried = stored.is_retried and stored.status = 'waiting', status = 'waiting'
         where stored.status <> 'sending'
      )
      select count(*)::integer as count from target`,
    values: [appId, eventId, endpointId],
  })
  return replayed.rows[0]?.count ?? 0
}

export interface Slice {
  /** The rows between these ids are looked at, the second not included. */
  readonly from: string
  readonly before: string
  readonly rows: number
  readonly since: Date
  readonly openIds: readonly EndpointId[]
}

/**
 * Among this many rows, sends events again that were given up since a time at open endpoints. Those given up at an
 * endpoint that is gone go to the open ones, unless they went there before. Returns how many attempts that makes, and
 * where the next slice begins: all rows of an event are in one slice.
 */
export async function replayFailed(
  tenant: Tenant,
  appId: AppId,
  { from, before, rows, since, openIds }: Slice,
): Promise<{ count: number; next: string | null }> {
  const isGivenUp = `e.company_id = $1 and e.app_id = $2 and e.status in ('failed', 'expired') and e.created_at >= $5
            and e.event_id >= $3 and e.event_id < coalesce((select event_id from edge), $4)`
  const replayed = await tenant.query<{ count: number; next: string | null }>({
    text: `
      with edge as (
        select e.event_id from events e where e.company_id = $1 and e.app_id = $2 and e.event_id > $3 and e.event_id < $4
         order by e.event_id offset $7 limit 1
      ), endpoint as (
        select w.endpoint_id, w.types, w.endpoint_id = any($6) as is_open
          from webhook_endpoints w where w.company_id = $1 and w.app_id = $2
      ), again as (
        update events e set status = 'waiting', next_attempt_at = clock_timestamp(), is_retry = false, is_retried = false
          from endpoint where ${isGivenUp} and endpoint.endpoint_id = e.endpoint_id and endpoint.is_open
        returning 1
      ), orphan as (
        select distinct on (e.event_id) e.* from events e
         where ${isGivenUp} and not exists (select 1 from endpoint where endpoint.endpoint_id = e.endpoint_id)
         order by e.event_id
      ), moved as (
        insert into events (${copied}, endpoint_id, is_retried)
        select ${copiedFrom}, endpoint.endpoint_id, false from orphan e join endpoint
            on endpoint.is_open and (endpoint.types is null or e.type = any(endpoint.types))
        on conflict do nothing
        returning 1
      )
      select (select count(*)::integer from again) + (select count(*)::integer from moved) as count,
             (select event_id from edge) as next`,
    values: [appId, from, before, since, openIds, rows],
  })
  return replayed.rows[0] ?? { count: 0, next: null }
}
