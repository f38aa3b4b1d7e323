/** What the apps of a company spent on each day: gathered up to the mark, counted since. */
import type { Tenant } from '../../platform/database.ts'
import { lowestId } from '../../platform/ids.ts'

export async function readSpendByDay(
  tenant: Tenant,
  fromMs: number,
  gatheredToMs: number,
): Promise<Map<number, bigint>> {
  const found = await tenant.query<{ day: Date; micros: bigint }>({
    text: `
      select day, sum(micros)::bigint as micros from (
        select f.starts_at as day, f.cost_micros as micros
          from apps a
          join figures f on f.company_id = $1 and f.app_id = a.app_id and f.span = 'day' and f.starts_at >= $2
         where a.company_id = $1
         union all
        select date_trunc('day', d.created_at, 'UTC'), case when d.charge = 'returned' then 0 else d.price_micros end
          from apps a join deliveries d on d.company_id = $1 and d.app_id = a.app_id and d.delivery_id >= $3
         where a.company_id = $1) spent
       group by 1`,
    values: [new Date(fromMs), lowestId('delivery', Math.max(fromMs, gatheredToMs))],
  })
  return new Map(found.rows.map(({ day, micros }) => [day.getTime(), micros]))
}
