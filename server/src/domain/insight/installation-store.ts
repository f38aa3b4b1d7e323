/** Figures of all companies at once, for operators. Gathered figures are read app by app, along the key. */
import { type Queryable, timeNow } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import { boundsOf, charged, type FreshRange } from './figures/fresh-range.ts'

export interface CompanyFigures {
  readonly companyId: CompanyId
  readonly name: string
  readonly metered: boolean
  readonly balanceMicros: bigint
  readonly apps: number
  readonly sends: number
  readonly approvals: number
  readonly refusals: number
  readonly costMicros: bigint
}

const mostCompanies = 1_000

/** Figures of the last day, in whole hours: gathered up to the mark, counted since. */
export async function readCompanies(queryable: Queryable, range: FreshRange): Promise<CompanyFigures[]> {
  const [otpFrom, otpTo] = boundsOf('verification', range)
  const [deliveryFrom, deliveryTo] = boundsOf('delivery', range)
  const found = await queryable.query<{
    company_id: CompanyId
    name: string
    metered: boolean
    balance_micros: bigint
    apps: number
    sends: bigint
    approvals: bigint
    refusals: bigint
    cost_micros: bigint
  }>({
    text: `
      with gathered as ( /* every company: what operators see of all of them */
        select a.company_id, count(distinct a.app_id)::integer as apps, coalesce(sum(f.sends), 0)::bigint as sends,
               coalesce(sum(f.approvals), 0)::bigint as approvals, coalesce(sum(f.cost_micros), 0)::bigint as cost_micros
          from apps a
          left join figures f on f.company_id = a.company_id and f.app_id = a.app_id and f.span = 'hour'
                             and f.starts_at > ${timeNow} - interval '1 day'
         where a.deleted_at is null group by 1
      ), started as (
        select company_id, count(*)::bigint as sends, count(verified_at)::bigint as approvals from verifications
         where otp_id >= $1 and otp_id < $3 and substr(otp_id, 5) >= substr($1, 5) group by 1
      ), carried as (
        select company_id, sum(${charged})::bigint as cost_micros
          from deliveries where delivery_id >= $2 and delivery_id < $4 group by 1
      ), refused as (
        select a.company_id, sum(r.count)::bigint as refusals
          from apps a
          join refusal_counts r on r.company_id = a.company_id and r.app_id = a.app_id and r.span = 'hour'
                               and r.starts_at > ${timeNow} - interval '1 day'
         where a.deleted_at is null group by 1
      )
      select c.company_id, c.name, c.metered, c.balance_micros, coalesce(g.apps, 0) as apps,
             coalesce(g.sends, 0) + coalesce(s.sends, 0) as sends,
             coalesce(g.approvals, 0) + coalesce(s.approvals, 0) as approvals,
             coalesce(r.refusals, 0) as refusals, coalesce(g.cost_micros, 0) + coalesce(d.cost_micros, 0) as cost_micros
        from companies c
        left join gathered g using (company_id) left join started s using (company_id)
        left join carried d using (company_id) left join refused r using (company_id)
       where c.closed_at is null
       order by sends desc, lower(c.name), c.company_id limit ${mostCompanies}`,
    values: [otpFrom, deliveryFrom, otpTo, deliveryTo],
  })
  return found.rows.map((row) => ({
    companyId: row.company_id,
    name: row.name,
    metered: row.metered,
    balanceMicros: row.balance_micros,
    apps: row.apps,
    sends: Number(row.sends),
    approvals: Number(row.approvals),
    refusals: Number(row.refusals),
    costMicros: row.cost_micros,
  }))
}
