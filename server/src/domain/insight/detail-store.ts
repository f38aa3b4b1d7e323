import type { EventType, ListedEventStatus } from '@countersign/contract'
import type { Tenant } from '../../platform/database.ts'
import type { AppId } from '../../platform/ids.ts'
import { operatorOwner } from '../../platform/tenant.ts'

export interface EventOfVerification {
  readonly eventId: string
  readonly type: EventType
  readonly deliveryId: string | null
  readonly status: ListedEventStatus
  readonly createdAt: Date
}

export async function readEvents(
  tenant: Tenant,
  appId: AppId,
  eventIds: readonly string[],
): Promise<EventOfVerification[]> {
  if (eventIds.length === 0) return []
  const found = await tenant.query<{
    event_id: string
    type: EventType
    delivery_id: string | null
    status: ListedEventStatus
    created_at: Date
  }>({
    text: `select e.event_id, e.type, e.delivery_id, e.created_at,
                  case when e.status = 'waiting' and w.status = 'paused' then 'held' else e.status end as status
             from unnest($3::text[]) wanted (event_id)
            cross join lateral (select * from events where company_id = $1 and app_id = $2 and event_id = wanted.event_id limit 1) e
             left join webhook_endpoints w on w.company_id = $1 and w.app_id = $2
            order by e.event_id`,
    values: [appId, eventIds],
  })
  return found.rows.map((row) => ({
    eventId: row.event_id,
    type: row.type,
    deliveryId: row.delivery_id,
    status: row.status,
    createdAt: row.created_at,
  }))
}

/** As their owners call them: the company's own, and the operator's, which carry for every company. */
export async function readAccountNames(
  tenant: Tenant,
  providerIds: readonly string[],
): Promise<Map<string, string>> {
  const found = await tenant.query<{ provider_id: string; name: string }>({
    text: `select provider_id, name from providers
            where company_id in ($1, '${operatorOwner}') and provider_id = any($2) and name is not null`,
    values: [providerIds],
  })
  return new Map(found.rows.map((row) => [row.provider_id, row.name]))
}
