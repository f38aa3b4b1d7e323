/** What the apps of a company spent on each day, as far as it is gathered. */
import type { Tenant } from '../../platform/database.ts'

export async function readSpendByDay(tenant: Tenant, fromMs: number): Promise<Map<number, bigint>> {
  const found = await tenant.query<{ day: Date; micros: bigint }>({
    text: `select f.starts_at as day, sum(f.cost_micros)::bigint as micros
             from apps a
             join figures f on f.company_id = $1 and f.app_id = a.app_id and f.span = 'day' and f.starts_at >= $2
            where a.company_id = $1 group by 1`,
    values: [new Date(fromMs)],
  })
  return new Map(found.rows.map(({ day, micros }) => [day.getTime(), micros]))
}
