/** Regular work over all apps: expires events that have waited too long, and counts paused endpoints. */
import type { Queryable } from '../../platform/database.ts'

const daysHeld = 7

/** An event that has waited for a week is not sent any more, unless somebody has asked for it since. */
export async function expireEvents(queryable: Queryable, limit: number): Promise<number> {
  const expired = await queryable.query({
    text: `with week as (select clock_timestamp() - ${daysHeld} * interval '1 day' as ago)
           update events set status = 'expired' /* every company: upkeep */
            where status = 'waiting' and (company_id, app_id, event_id, endpoint_id) in (
                  select company_id, app_id, event_id, endpoint_id from events, week
                   where status = 'waiting' and created_at < week.ago and (is_retried or next_attempt_at < week.ago)
                   limit $1 for update of events skip locked)`,
    values: [limit],
  })
  return expired.rowCount ?? 0
}

export async function countPaused(queryable: Queryable): Promise<number> {
  const found = await queryable.query<{ count: number }>({
    text: `select count(*)::integer as count from webhook_endpoints /* every company: a figure of the node's */
            where status = 'paused'`,
  })
  return found.rows[0]?.count ?? 0
}
