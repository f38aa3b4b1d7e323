/** Reads what the operator should know of all companies. */
import { type Queryable, timeNow } from '../../../platform/database.ts'
import type { AppId, CompanyId } from '../../../platform/ids.ts'
import { isAlarmOn } from '../../guard/index.ts'
import { type Conversion, type ConversionRow, conversionOf } from './store.ts'

/** A tenth of a unit of money: next to nothing at any price. */
export const nearlyNothingMicros = 100_000n

export interface Trouble {
  readonly companyId: CompanyId
  readonly companyName: string
  readonly kind: 'wrong_codes' | 'webhook_paused' | 'low_balance' | 'no_balance'
  readonly appId: AppId | null
  readonly since: Date | null
}

const mostTroubles = 500

/** Over all companies, for the operator. In each table few rows match and an index finds them, or it is small. */
export async function listTroubles(queryable: Queryable, daysLeft: number): Promise<Trouble[]> {
  const found = await queryable.query<{
    company_id: CompanyId
    name: string
    kind: Trouble['kind']
    app_id: AppId | null
    since: Date | null
  }>({
    text: `
      with trouble as ( /* every company: what the operator should know of */
        select company_id, app_id, 'wrong_codes' as kind, raised_at as since from guess_alarms where ${isAlarmOn}
         union all
        select company_id, app_id, 'webhook_paused', min(paused_at) from webhook_endpoints where status = 'paused' group by 1, 2
         union all
        select c.company_id, null, case when c.balance_micros < $1 then 'no_balance' else 'low_balance' end, null
          from companies c
          join (select a.company_id, coalesce(sum(f.cost_micros), 0) as spent_micros
                  from apps a
                  left join figures f on f.company_id = a.company_id and f.app_id = a.app_id and f.span = 'hour'
                                     and f.starts_at > ${timeNow} - interval '1 day'
                 where a.deleted_at is null group by 1) spend using (company_id)
         where c.metered and c.closed_at is null
           and (c.balance_micros < $1 or c.balance_micros < spend.spent_micros * $2::numeric)
      )
      select t.company_id, c.name, t.kind, t.app_id, t.since
        from trouble t join companies c using (company_id) left join apps a using (company_id, app_id)
       where c.closed_at is null and a.deleted_at is null order by t.kind, t.company_id, t.app_id limit ${mostTroubles}`,
    values: [nearlyNothingMicros, daysLeft],
  })
  return found.rows.map((row) => ({
    companyId: row.company_id,
    companyName: row.name,
    kind: row.kind,
    appId: row.app_id,
    since: row.since,
  }))
}

export interface ConversionOfApp extends Conversion {
  readonly companyId: CompanyId
  readonly companyName: string
  readonly appId: AppId
  readonly appName: string
}

interface ConversionOfAppRow extends ConversionRow {
  readonly company_id: CompanyId
  readonly company_name: string
  readonly app_id: AppId
  readonly app_name: string
}

const mostConversions = 10_000

/** Over all companies, from gathered figures: the last two hours, and the seven days before today. */
export async function readAllConversions(queryable: Queryable): Promise<ConversionOfApp[]> {
  const found = await queryable.query<ConversionOfAppRow>({
    text: `
      select c.company_id, c.name as company_name, a.app_id, a.name as app_name, coalesce(f.channel, f.country) as name,
             sum(f.sends) filter (where f.span = 'hour')::integer as recent_sends,
             sum(f.approvals) filter (where f.span = 'hour')::integer as recent_approvals,
             coalesce(sum(f.sends) filter (where f.span = 'day'), 0)::bigint as usual_sends,
             coalesce(sum(f.approvals) filter (where f.span = 'day'), 0)::bigint as usual_approvals
        from companies c join apps a using (company_id) /* every company: what the operator should know of */
        join lateral (
          select * from figures where company_id = a.company_id and app_id = a.app_id and span = 'hour'
                                  and starts_at > ${timeNow} - interval '2 hours'
           union all
          select * from figures where company_id = a.company_id and app_id = a.app_id and span = 'day'
                                  and starts_at >= date_trunc('day', ${timeNow}, 'UTC') - interval '7 days'
                                  and starts_at < date_trunc('day', ${timeNow}, 'UTC')) f on true
       where c.closed_at is null and a.deleted_at is null
       group by c.company_id, c.name, a.app_id, a.name, grouping sets ((f.channel), (f.country))
      having sum(f.sends) filter (where f.span = 'hour') > 0
       order by a.app_id, 5 limit ${mostConversions}`,
  })
  return found.rows.map((row) => ({
    companyId: row.company_id,
    companyName: row.company_name,
    appId: row.app_id,
    appName: row.app_name,
    ...conversionOf(row),
  }))
}
