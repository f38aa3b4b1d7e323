/** The statements that find endpoints with something to send or settle, and events that nobody has in hand. */
import { type Queryable, type Tenant, timeNow } from '../../platform/database.ts'
import type { AppId, CompanyId, EndpointId } from '../../platform/ids.ts'
import { isGraceOver, livingWorkers } from '../../platform/pulse.ts'
import type { DueEvent } from './claim-store.ts'
import type { EndpointRef } from './endpoint.ts'
import { isOf } from './of-endpoint.ts'

/** The worker that looks, the names (`nameOf`) of what it has in hand, and whether it may take over from others. */
export interface Releasing {
  readonly workerId: string
  readonly names: readonly string[]
  readonly mayTakeOver: boolean
}

export const nameOf = ({ eventId, endpointId }: Pick<DueEvent, 'eventId' | 'endpointId'>) =>
  `${eventId} ${endpointId}`

/**
 * Events whose lease ran out wait again if nobody knows their outcome: their sender has not been heard of, or is this
 * one and does not have them in hand. Runs over all apps, since few events are ever under way. Returns how many were
 * released.
 */
export async function releaseAbandoned(
  queryable: Queryable,
  { workerId, names, mayTakeOver }: Releasing,
): Promise<number> {
  const released = await queryable.query({
    name: 'release-abandoned',
    text: `update events set status = 'waiting', held_by = null /* every company: a lease is the sender's, whoever the event is of */
            where status = 'sending' and next_attempt_at <= ${timeNow}
              and case when held_by = $1 then not event_id || ' ' || endpoint_id = any($2)
                       else held_by is null or $3 and ${isGraceOver} and not held_by in (${livingWorkers}) end`,
    values: [workerId, names, mayTakeOver],
  })
  return released.rowCount ?? 0
}

export interface DueEndpoint extends EndpointRef {
  /** False for an endpoint that was removed: events that wait for it are skipped. */
  readonly isThere: boolean
}

/**
 * Endpoints after this one that have something to send or to settle: a walk along the index, with one step for each
 * endpoint, not for each event. A paused endpoint has nothing to send, however much waits for it.
 */
export async function listDueEndpoints(
  queryable: Queryable,
  after: EndpointRef | null,
  limit: number,
): Promise<DueEndpoint[]> {
  const nextAfter = (companyId: string, appId: string, endpointId: string) =>
    `select e.company_id, e.app_id, e.endpoint_id from events e
      where e.status = 'waiting' and (e.company_id, e.app_id, e.endpoint_id) > (${companyId}, ${appId}, ${endpointId})
      order by e.company_id, e.app_id, e.endpoint_id limit 1`
  const isDue = (isRetry: string) => `
    exists (select 1 from events e where ${isOf('e', 'walk')}
               and e.status = 'waiting' and ${isRetry} and e.next_attempt_at <= ${timeNow})`
  const found = await queryable.query<{
    company_id: CompanyId
    app_id: AppId
    endpoint_id: EndpointId
    is_there: boolean
  }>({
    name: 'list-due-endpoints',
    text: `
      with recursive walk as ( /* every company: a sender goes from endpoint to endpoint */
        (${nextAfter('$1', '$2', '$3')})
        union all
        select next.* from walk cross join lateral (${nextAfter('walk.company_id', 'walk.app_id', 'walk.endpoint_id')}) next
      )
      select walk.*, w.status is not null as is_there
        from walk left join webhook_endpoints w on ${isOf('w', 'walk')}
       where w.status is null or w.status = 'probing'
          or w.status = 'active' and (${isDue('not e.is_retry')} or ${isDue('e.is_retry')})
       limit $4`,
    values: [after?.companyId ?? '', after?.appId ?? '', after?.endpointId ?? '', limit],
  })
  return found.rows.map((row) => ({
    companyId: row.company_id,
    appId: row.app_id,
    endpointId: row.endpoint_id,
    isThere: row.is_there,
  }))
}

/** Skips events whose endpoint was removed, at most `limit` of them. */
export async function skipWithoutEndpoint(
  tenant: Tenant,
  { appId, endpointId }: EndpointRef,
  limit: number,
): Promise<number> {
  const isOfEndpoint = 'company_id = $1 and app_id = $2 and endpoint_id = $3'
  const skipped = await tenant.query({
    name: 'skip-without-endpoint',
    text: `update events set status = 'skipped'
            where ${isOfEndpoint} and status = 'waiting' and not exists (select 1 from webhook_endpoints where ${isOfEndpoint})
              and event_id in (select event_id from events where ${isOfEndpoint} and status = 'waiting' limit $4 for update skip locked)`,
    values: [appId, endpointId, limit],
  })
  return skipped.rowCount ?? 0
}
