/** The statement that locks the endpoints a sender looks at, before their events are counted and claimed. */
import { bulkOf } from '../../platform/bulk.ts'
import type { Transaction } from '../../platform/database.ts'
import type { AppId, CompanyId, EndpointId } from '../../platform/ids.ts'
import { type AppRef, endpointsOfApp } from '../tenancy/index.ts'
import type { EndpointRef, EndpointStatus } from './endpoint.ts'
import { isOfApp } from './of-endpoint.ts'

export interface LockedEndpoint extends EndpointRef {
  readonly status: EndpointStatus
  readonly failures: number
  readonly enabledAt: Date | null
  readonly url: string
  readonly secret: Buffer
  readonly previousSecret: Buffer | null
}

interface EndpointRow {
  company_id: CompanyId
  app_id: AppId
  endpoint_id: EndpointId
  /** Null if somebody else has locked the endpoint. */
  status: EndpointStatus | null
  failures: number
  enabled_at: Date | null
  url: string
  secret: Buffer
  previous_secret: Buffer | null
}

const app = bulkOf<AppRef>(
  { company_id: ['text', (row) => row.companyId], app_id: ['text', (row) => row.appId] },
  1,
)

/** `passedOver` are endpoints that another node has locked; one that was removed is in neither list. */
export async function lockEndpoints(
  transaction: Transaction,
  apps: readonly AppRef[],
  full: readonly string[],
): Promise<{ endpoints: LockedEndpoint[]; passedOver: EndpointRef[] }> {
  const found = await transaction.query<EndpointRow>({
    name: 'lock-endpoints',
    text: `select wanted.company_id, wanted.app_id, one.endpoint_id, w.* /* every company: a sender's round, each app held to its own company */
             from (select * from ${app.source} limit $${app.next}) wanted
            cross join lateral (select w.endpoint_id from webhook_endpoints w
                                 where ${isOfApp('w', 'wanted')} and w.status <> 'paused' and not w.endpoint_id = any($${app.next + 1}::text[])
                                 limit ${endpointsOfApp.most}) one
             left join lateral (
                  select w.status, w.failures, w.enabled_at, w.url, w.secret,
                         case when w.previous_until > clock_timestamp() then w.previous_secret end as previous_secret
                    from webhook_endpoints w
                   where ${isOfApp('w', 'wanted')} and w.endpoint_id = one.endpoint_id and w.status <> 'paused'
                   limit 1 for update skip locked) w on true`,
    values: [...app.values(apps), apps.length, full],
  })
  const refOf = (row: EndpointRow): EndpointRef => ({
    companyId: row.company_id,
    appId: row.app_id,
    endpointId: row.endpoint_id,
  })
  return {
    endpoints: found.rows.flatMap(({ status, ...row }) =>
      status === null
        ? []
        : [
            {
              ...refOf({ status, ...row }),
              status,
              failures: row.failures,
              enabledAt: row.enabled_at,
              url: row.url,
              secret: row.secret,
              previousSecret: row.previous_secret,
            },
          ],
    ),
    passedOver: found.rows.flatMap((row) => (row.status === null ? [refOf(row)] : [])),
  }
}
