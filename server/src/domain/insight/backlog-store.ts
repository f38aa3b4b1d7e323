/**
 * What waits, over all companies. It is a walk along the index of what waits, with one step for each line or endpoint
 * and a bounded number of rows in each: finished rows are never read, and a flood does not make it slow.
 */
import type { Queryable } from '../../platform/database.ts'
import { lowestId, timeOfId } from '../../platform/ids.ts'
import type { Backlog, Waiting } from '../../platform/traffic-metrics.ts'
import { nearlyNothingMicros } from './attention/operator-store.ts'

/** How many lines and endpoints are read, and rows of each: beyond that the figures are too low, never too high. */
const mostLines = 200
const mostOfLine = 2_000
const mostHeld = 20_000
const lookBackMs = 2 * 86_400_000
const lookAheadMs = 3_600_000

interface Row {
  count: number
  oldest: string | null
}

export async function readBacklog(queryable: Queryable, nowMs: number): Promise<Backlog> {
  const [deliveries, events, lowBalances] = await Promise.all([
    readDeliveries(queryable, nowMs),
    readEvents(queryable),
    countLowBalances(queryable),
  ])
  const waitingOf = (row: Row | undefined): Waiting => ({
    count: row?.count ?? 0,
    ageSeconds: row?.oldest ? Math.max(0, (nowMs - timeOfId(row.oldest)) / 1_000) : 0,
  })
  return {
    deliveries: waitingOf(deliveries),
    events: waitingOf(events.find(({ is_held }) => !is_held)),
    held: events.find(({ is_held }) => is_held)?.count ?? 0,
    lowBalances,
  }
}

/** Includes messages that workers have in hand, since these have not left either. */
async function readDeliveries(queryable: Queryable, nowMs: number): Promise<Row | undefined> {
  const isNear = 'd.delivery_id >= $1 and d.delivery_id < $2'
  const isFree = `d.next_attempt_at is not null and d.held_by is null and ${isNear}`
  const nextAfter = (after: string) => `
    select d.company_id, d.provider_id from deliveries d
     where ${isFree} and (d.company_id, d.provider_id) > (${after}) order by d.company_id, d.provider_id limit 1`
  const found = await queryable.query<Row>({
    text: `
      with recursive walk as ( /* every company: a figure of the node's */
        (${nextAfter("'', ''")})
        union all
        select step.* from walk cross join lateral (${nextAfter('walk.company_id, walk.provider_id')}) step
      ), line as (select * from walk limit ${mostLines})
      select count(*)::integer as count, min(delivery_id) as oldest from (
        select d.delivery_id from line cross join lateral (
               select d.delivery_id from deliveries d
                where ${isFree} and d.company_id = line.company_id and d.provider_id = line.provider_id
                order by d.next_attempt_at limit ${mostOfLine}) d
         union all
        (select d.delivery_id from deliveries d where d.held_by is not null and ${isNear} limit ${mostHeld})) waiting`,
    values: [lowestId('delivery', nowMs - lookBackMs), lowestId('delivery', nowMs + lookAheadMs)],
  })
  return found.rows[0]
}

async function readEvents(queryable: Queryable): Promise<(Row & { is_held: boolean })[]> {
  const nextAfter = (after: string) => `
    select e.company_id, e.app_id, e.endpoint_id from events e
     where e.status = 'waiting' and (e.company_id, e.app_id, e.endpoint_id) > (${after})
     order by e.company_id, e.app_id, e.endpoint_id limit 1`
  const found = await queryable.query<Row & { is_held: boolean }>({
    text: `
      with recursive walk as ( /* every company: a figure of the node's */
        (${nextAfter("'', '', ''")})
        union all
        select next.* from walk cross join lateral (${nextAfter('walk.company_id, walk.app_id, walk.endpoint_id')}) next
      )
      select coalesce(w.status = 'paused', false) as is_held, sum(e.count)::integer as count, min(e.oldest) as oldest
        from (select * from walk limit ${mostLines}) line
        left join webhook_endpoints w on w.company_id = line.company_id and w.app_id = line.app_id and w.endpoint_id = line.endpoint_id
       cross join lateral (
             select count(*) as count, min(event_id) as oldest from (
               select e.event_id from events e
                where e.company_id = line.company_id and e.app_id = line.app_id and e.endpoint_id = line.endpoint_id
                  and e.status = 'waiting' limit ${mostOfLine}) one) e
       group by 1`,
  })
  return found.rows
}

async function countLowBalances(queryable: Queryable): Promise<number> {
  const found = await queryable.query<{ count: number }>({
    text: `select count(*)::integer as count from companies c /* every company: a figure of the node's */
            where c.metered and c.closed_at is null and c.balance_micros < $1
              and exists (select 1 from apps a where a.company_id = c.company_id and a.deleted_at is null)`,
    values: [nearlyNothingMicros],
  })
  return found.rows[0]?.count ?? 0
}
