/** Reads the last hour and the last day of an app, each bounded by a number of rows. */
import type { ChannelName } from '@countersign/contract'
import type { Tenant } from '../../../platform/database.ts'
import { type AppId, lowestId } from '../../../platform/ids.ts'

const minuteMs = 60_000
const mostMessages = 5_000
const mostVerifications = 5_000
const mostEntries = 20_000

export interface ProviderRecord {
  readonly providerId: string
  readonly channel: ChannelName
  /** Messages of the last quarter of an hour. */
  readonly recent: { readonly ended: number; readonly failed: number }
  /** Messages of the last hour. */
  readonly hour: { readonly ended: number; readonly failed: number }
  readonly failedSince: Date | null
  /** Messages that no provider has taken for more than a minute. */
  readonly waiting: number
  readonly waitingSince: Date | null
  /** Messages that are old enough for a receipt to have come. */
  readonly settled: number
  readonly delivered: number
  readonly firstAt: Date
}

/** Codes of failures that the service has decided itself, not a provider. */
const ours = `('superseded', 'finished', 'erased')`

export async function readProviderRecords(
  tenant: Tenant,
  appId: AppId,
  nowMs: number,
): Promise<ProviderRecord[]> {
  const failed = `status = 'failed' and error_code not in ${ours}`
  const recent = `created_at > now() - interval '15 minutes'`
  const waiting = `status = 'queued' and created_at < now() - interval '1 minute'`
  const found = await tenant.query<{
    provider_id: string
    channel: ChannelName
    recent_ended: number
    recent_failed: number
    hour_ended: number
    hour_failed: number
    failed_since: Date | null
    waiting: number
    waiting_since: Date | null
    settled: number
    delivered: number
    first_at: Date
  }>({
    text: `select provider_id, channel,
                  count(*) filter (where status <> 'queued' and ${recent})::integer as recent_ended,
                  count(*) filter (where ${failed} and ${recent})::integer as recent_failed,
                  count(*) filter (where status <> 'queued')::integer as hour_ended,
                  count(*) filter (where ${failed})::integer as hour_failed,
                  min(updated_at) filter (where ${failed}) as failed_since,
                  count(*) filter (where ${waiting})::integer as waiting,
                  min(created_at) filter (where ${waiting}) as waiting_since,
                  count(*) filter (where status <> 'queued' and created_at < now() - interval '5 minutes')::integer as settled,
                  count(*) filter (where status = 'delivered')::integer as delivered,
                  min(created_at) as first_at
             from (select provider_id, channel, status, error_code, created_at, updated_at from deliveries
                    where company_id = $1 and app_id = $2 and delivery_id >= $3 order by delivery_id desc limit ${mostMessages}) message
            group by 1, 2 order by 1, 2`,
    values: [appId, lowestId('delivery', nowMs - 60 * minuteMs)],
  })
  return found.rows.map((row) => ({
    providerId: row.provider_id,
    channel: row.channel,
    recent: { ended: row.recent_ended, failed: row.recent_failed },
    hour: { ended: row.hour_ended, failed: row.hour_failed },
    failedSince: row.failed_since,
    waiting: row.waiting,
    waitingSince: row.waiting_since,
    settled: row.settled,
    delivered: row.delivered,
    firstAt: row.first_at,
  }))
}

/** Whether anybody who began in the last hour was approved. */
export async function hasApprovals(tenant: Tenant, appId: AppId, nowMs: number): Promise<boolean> {
  const found = await tenant.query<{ has_some: boolean }>({
    text: `select exists (
             select 1 from (select verified_at from verifications where company_id = $1 and app_id = $2 and otp_id >= $3
                             order by otp_id desc limit ${mostVerifications}) started
              where verified_at is not null) as has_some`,
    values: [appId, lowestId('verification', nowMs - 60 * minuteMs)],
  })
  return found.rows[0]?.has_some ?? false
}

export interface FundsAndSpend {
  readonly isMetered: boolean
  readonly balanceMicros: bigint
  /** What the company's apps cost in the last day; a little too low if very many were sent in the last hours. */
  readonly spentMicros: bigint
}

export async function readFundsAndSpend(
  tenant: Tenant,
  gatheredToMs: number,
): Promise<FundsAndSpend | undefined> {
  const found = await tenant.query<{ metered: boolean; balance_micros: bigint; spent_micros: bigint }>({
    text: `
      with gathered as (
        select coalesce(sum(f.cost_micros), 0) as micros
          from apps a
          join figures f on f.company_id = $1 and f.app_id = a.app_id and f.span = 'hour'
                        and f.starts_at > now() - interval '1 day'
         where a.company_id = $1
      ), fresh as (
        select coalesce(-sum(amount_micros) filter (where kind in ('reserve', 'return')), 0) as micros
          from (select kind, amount_micros from ledger where company_id = $1 and entry_id >= $2
                 order by entry_id desc limit ${mostEntries}) entry
      )
      select c.metered, c.balance_micros, (gathered.micros + fresh.micros)::bigint as spent_micros
        from companies c, gathered, fresh where c.company_id = $1`,
    values: [lowestId('entry', gatheredToMs)],
  })
  const row = found.rows[0]
  return row && { isMetered: row.metered, balanceMicros: row.balance_micros, spentMicros: row.spent_micros }
}

export interface Conversion {
  /** A channel, or a country. */
  readonly name: string
  readonly recent: { readonly sends: number; readonly approvals: number }
  /** Figures of a week, up to three hours ago. */
  readonly usual: { readonly sends: number; readonly approvals: number }
}

export interface ConversionRow {
  readonly name: string
  readonly recent_sends: number
  readonly recent_approvals: number
  readonly usual_sends: bigint
  readonly usual_approvals: bigint
}

export const conversionOf = (row: ConversionRow): Conversion => ({
  name: row.name,
  recent: { sends: row.recent_sends, approvals: row.recent_approvals },
  usual: { sends: Number(row.usual_sends), approvals: Number(row.usual_approvals) },
})

/** Reads the hour that ended ten minutes ago: by now everybody who got a code has entered it. */
export async function readConversions(tenant: Tenant, appId: AppId, nowMs: number): Promise<Conversion[]> {
  const found = await tenant.query<ConversionRow>({
    text: `
      with recent as (
        select coalesce(channel, country) as name, count(*)::integer as sends, count(verified_at)::integer as approvals
          from (select channel, coalesce(country, 'none') as country, verified_at from verifications
                 where company_id = $1 and app_id = $2 and otp_id >= $3 and otp_id < $4
                 order by otp_id desc limit ${mostVerifications}) started
         group by grouping sets ((channel), (country))
      ), usual as (
        select coalesce(channel, country) as name, sum(sends)::bigint as sends, sum(approvals)::bigint as approvals
          from figures
         where company_id = $1 and app_id = $2 and span = 'hour' and starts_at > now() - interval '7 days'
           and starts_at < now() - interval '3 hours'
         group by grouping sets ((channel), (country))
      )
      select name, recent.sends as recent_sends, recent.approvals as recent_approvals,
             usual.sends as usual_sends, usual.approvals as usual_approvals
        from recent join usual using (name) order by name`,
    values: [
      appId,
      lowestId('verification', nowMs - 70 * minuteMs),
      lowestId('verification', nowMs - 10 * minuteMs),
    ],
  })
  return found.rows.map(conversionOf)
}
