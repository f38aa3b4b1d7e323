/** Endpoints as management sees them. */
import type { EventType } from '@countersign/contract'
import type { Tenant } from '../../platform/database.ts'
import type { AppId, EndpointId } from '../../platform/ids.ts'
import { type Endpoint, type EndpointStatus, previousSecretHours } from './endpoint.ts'

interface EndpointRow {
  endpoint_id: EndpointId
  url: string
  types: EventType[] | null
  status: EndpointStatus
  paused_at: Date | null
  reason: string | null
  created_at: Date
  held: number
}

/** Events are not counted beyond this number. */
const maxCounted = 100_000

const columns = `
  w.endpoint_id, w.url, w.types, w.status, w.paused_at, w.reason, w.created_at,
  case when w.status <> 'paused' then 0 else
       (select count(*)::integer
          from (select 1 from events e
                 where e.company_id = $1 and e.app_id = $2 and e.endpoint_id = w.endpoint_id and e.status = 'waiting'
                 limit ${maxCounted}) waiting) end as held`

/** Endpoints that were made in the same instant are ordered by their ids. */
const oldestFirst = 'w.created_at, w.endpoint_id'

export async function listEndpoints(tenant: Tenant, appId: AppId): Promise<Endpoint[]> {
  const found = await tenant.query<EndpointRow>({
    text: `select ${columns} from webhook_endpoints w where w.company_id = $1 and w.app_id = $2 order by ${oldestFirst}`,
    values: [appId],
  })
  return found.rows.map(endpointOf)
}

/** Finds the app's first endpoint if none is named. */
export async function findEndpoint(
  tenant: Tenant,
  appId: AppId,
  endpointId: EndpointId | null,
): Promise<Endpoint | undefined> {
  const found = await tenant.query<EndpointRow>({
    text: `select ${columns} from webhook_endpoints w
            where w.company_id = $1 and w.app_id = $2 and ($3::text is null or w.endpoint_id = $3)
            order by ${oldestFirst} limit 1`,
    values: [appId, endpointId],
  })
  return found.rows.map(endpointOf)[0]
}

const endpointOf = (row: EndpointRow): Endpoint => ({
  endpointId: row.endpoint_id,
  url: row.url,
  types: row.types,
  status: row.status,
  pausedAt: row.paused_at,
  reason: row.reason,
  createdAt: row.created_at,
  held: row.held,
})

/** Counts over all endpoints of the app if none is named. */
export async function countUnsent(
  tenant: Tenant,
  appId: AppId,
  endpointId: EndpointId | null,
): Promise<number> {
  const isUnsent = 'company_id = $1 and app_id = $2 and ($3::text is null or endpoint_id = $3)'
  const found = await tenant.query<{ count: number }>({
    text: `select count(*)::integer as count
             from (select 1 from events where ${isUnsent} and status = 'waiting'
                   union all
                   select 1 from events where ${isUnsent} and status = 'sending' limit ${maxCounted}) unsent`,
    values: [appId, endpointId],
  })
  return found.rows[0]?.count ?? 0
}

interface NewEndpoint {
  readonly endpointId: EndpointId
  readonly url: string
  readonly types: readonly EventType[] | null
  readonly secret: Buffer
}

/** False if the app has as many as it may have. The caller has locked the app. */
export async function insertEndpoint(
  tenant: Tenant,
  appId: AppId,
  { endpointId, url, types, secret }: NewEndpoint,
  most: number,
): Promise<boolean> {
  const inserted = await tenant.query({
    text: `insert into webhook_endpoints (company_id, app_id, endpoint_id, url, types, secret, status, created_at)
           select $1, $2, $3, $4, $5, $6, 'active', clock_timestamp()
            where (select count(*) from webhook_endpoints where company_id = $1 and app_id = $2) < $7`,
    values: [appId, endpointId, url, types, secret, most],
  })
  return inserted.rowCount === 1
}

export interface EndpointChange {
  readonly url: string | undefined
  /** Undefined to keep the types. */
  readonly types: readonly EventType[] | null | undefined
}

/** Keeps the secret and the state. In a transaction the row stays locked. Undefined if there is no such endpoint. */
export async function changeEndpoint(
  tenant: Tenant,
  appId: AppId,
  endpointId: EndpointId,
  { url, types }: EndpointChange,
): Promise<{ secret: Buffer } | undefined> {
  const changed = await tenant.query<{ secret: Buffer }>({
    text: `update webhook_endpoints
              set url = coalesce($4, url), types = case when $5 then $6 else types end
            where company_id = $1 and app_id = $2 and endpoint_id = $3
           returning secret`,
    values: [appId, endpointId, url ?? null, types !== undefined, types ?? null],
  })
  return changed.rows[0]
}

/** The sender then skips events that still wait for this endpoint. */
export async function deleteEndpoint(tenant: Tenant, appId: AppId, endpointId: EndpointId): Promise<boolean> {
  const deleted = await tenant.query({
    text: 'delete from webhook_endpoints where company_id = $1 and app_id = $2 and endpoint_id = $3',
    values: [appId, endpointId],
  })
  return deleted.rowCount === 1
}

export async function enableEndpoint(tenant: Tenant, appId: AppId, endpointId: EndpointId): Promise<void> {
  await tenant.query({
    text: `update webhook_endpoints set status = 'probing', paused_at = null, reason = null, failures = 0, enabled_at = clock_timestamp()
            where company_id = $1 and app_id = $2 and endpoint_id = $3 and status = 'paused'`,
    values: [appId, endpointId],
  })
}

/** The previous secret also signs for a day; an older one does not. */
export async function rotateSecret(
  tenant: Tenant,
  appId: AppId,
  endpointId: EndpointId,
  secret: Buffer,
): Promise<boolean> {
  const rotated = await tenant.query({
    text: `update webhook_endpoints
              set previous_secret = secret, previous_until = clock_timestamp() + ${previousSecretHours} * interval '1 hour', secret = $4
            where company_id = $1 and app_id = $2 and endpoint_id = $3`,
    values: [appId, endpointId, secret],
  })
  return rotated.rowCount === 1
}
