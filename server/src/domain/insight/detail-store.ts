import type { EventType, ListedEventStatus } from '@countersign/contract'
import type { Queryable } from '../../platform/database.ts'
import type { AppId, OtpId } from '../../platform/ids.ts'

/** By id alone: management names a verification without its app. The id leads to one day's partition and its index. */
export async function findOwner(queryable: Queryable, otpId: OtpId): Promise<AppId | undefined> {
  const found = await queryable.query<{ app_id: AppId }>({
    text: 'select app_id from verifications where otp_id = $1 and substr(otp_id, 5) = substr($1, 5)',
    values: [otpId],
  })
  return found.rows[0]?.app_id
}

export interface EventOfVerification {
  readonly eventId: string
  readonly type: EventType
  readonly deliveryId: string | null
  readonly status: ListedEventStatus
  readonly createdAt: Date
}

export async function readEvents(
  queryable: Queryable,
  appId: AppId,
  eventIds: readonly string[],
): Promise<EventOfVerification[]> {
  if (eventIds.length === 0) return []
  const found = await queryable.query<{
    event_id: string
    type: EventType
    delivery_id: string | null
    status: ListedEventStatus
    created_at: Date
  }>({
    text: `select e.event_id, e.type, e.delivery_id, e.created_at,
                  case when e.status = 'waiting' and w.status = 'paused' then 'held' else e.status end as status
             from unnest($2::text[]) wanted (event_id)
            cross join lateral (select * from events where app_id = $1 and event_id = wanted.event_id limit 1) e
             left join webhook_endpoints w on w.app_id = $1
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
