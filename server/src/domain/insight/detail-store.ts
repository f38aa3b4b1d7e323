import type { EventType, ListedEventStatus } from '@countersign/contract'
import type { Queryable } from '../../platform/database.ts'
import { type AppId, boundsNear, type CompanyId, type OtpId } from '../../platform/ids.ts'

export interface Owner {
  readonly appId: AppId
  readonly companyId: CompanyId
}

/** By id alone: management names a verification without its app. The id leads to one day's partition. */
export async function findOwner(queryable: Queryable, otpId: OtpId): Promise<Owner | undefined> {
  const found = await queryable.query<{ app_id: AppId; company_id: CompanyId }>({
    text: 'select app_id, company_id from verifications where otp_id = $1',
    values: [otpId],
  })
  const row = found.rows[0]
  return row && { appId: row.app_id, companyId: row.company_id }
}

export interface EventOfVerification {
  readonly eventId: string
  readonly type: EventType
  readonly deliveryId: string | null
  readonly status: ListedEventStatus
  readonly createdAt: Date
}

const mostEvents = 100

export async function listEventsOf(
  queryable: Queryable,
  appId: AppId,
  otpId: OtpId,
): Promise<EventOfVerification[]> {
  const found = await queryable.query<{
    event_id: string
    type: EventType
    delivery_id: string | null
    status: ListedEventStatus
    created_at: Date
  }>({
    text: `select e.event_id, e.type, e.delivery_id, e.created_at,
                  case when e.status = 'waiting' and w.status = 'paused' then 'held' else e.status end as status
             from events e left join webhook_endpoints w on w.app_id = e.app_id
            where e.app_id = $1 and e.otp_id = $2 and e.event_id >= $3 and e.event_id < $4
            order by e.event_id limit ${mostEvents}`,
    values: [appId, otpId, ...boundsNear('event', otpId)],
  })
  return found.rows.map((row) => ({
    eventId: row.event_id,
    type: row.type,
    deliveryId: row.delivery_id,
    status: row.status,
    createdAt: row.created_at,
  }))
}
