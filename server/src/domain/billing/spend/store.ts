/** The statements of the caps. All but the notes run under the lock of the company's row, or promise nothing. */
import type { Tenant } from '../../../platform/database.ts'
import type { Source } from '../../../platform/source.ts'
import { startOf } from './caps.ts'
import { type Counter, type LoadedSpend, type Note, nameOf, type Spend } from './spend.ts'

export interface WantedSpend {
  readonly appId: string
  readonly country: string | null
}

const historyDays = 14
/** Today's row, and the fourteen that were before it. */
const keptDays = historyDays + 2
/** More than come between two batches; what is left is taken by the next. */
const mostNotes = 5_000

interface CounterRow {
  kind: 'counter'
  app_id: string
  name: string
  at_ms: bigint
  spent_micros: bigint
  approved_micros: bigint
  best_micros: bigint
  is_stored: boolean
}
interface NoteRow {
  kind: 'note'
  app_id: string
  name: string | null
  at_ms: bigint
  spent_micros: bigint
  approved_micros: bigint
}

/**
 * A counter that is not there yet brings the best of the days before with it, once per period; afterwards that
 * stands in its row. `isTaken` false: a look, for previews; the notes stay for the next batch.
 */
export async function readSpend(
  tenant: Tenant,
  wanted: readonly WantedSpend[],
  nowMs: number,
  isTaken: boolean,
): Promise<LoadedSpend> {
  const counters = wanted.flatMap(({ appId, country }) =>
    (['day', 'hour'] as const).map((period) => ({
      appId,
      name: nameOf(period, country),
      since: new Date(startOf(period, nowMs)),
    })),
  )
  const found = await tenant.query<CounterRow | NoteRow>({
    name: isTaken ? 'take-spend' : 'read-spend',
    text: `
      with note as (
        ${isTaken ? 'delete from' : 'select * from'} spend_notes
         where company_id = $1 and ctid = any(array(select ctid from spend_notes where company_id = $1 and app_id = any($2)
                                 order by app_id, otp_id, delivery_id limit ${mostNotes}))
        ${isTaken ? 'returning *' : ''}
      ), wanted as (
        select app_id, name, since from unnest($3::text[], $4::text[], $5::timestamptz[]) listed (app_id, name, since)
         union
        select app_id, 'day:' || coalesce(country, ''), date_trunc('day', sent_at, 'UTC') from note
         union
        select app_id, 'hour', date_trunc('hour', sent_at, 'UTC') from note
      )
      select 'counter' as kind, wanted.app_id, wanted.name, (extract(epoch from wanted.since) * 1000)::bigint as at_ms,
             coalesce(stored.spent_micros, 0) as spent_micros, coalesce(stored.approved_micros, 0) as approved_micros,
             coalesce(stored.best_micros,
                      (select max(past.approved_micros) from spend_counters past
                        where past.company_id = $1 and past.app_id = wanted.app_id and past.name = wanted.name
                          and past.since >= date_trunc('day', wanted.since, 'UTC') - interval '${historyDays} days'
                          and past.since < date_trunc('day', wanted.since, 'UTC')), 0) as best_micros,
             stored.best_micros is not null as is_stored
        from wanted
        left join lateral (select c.spent_micros, c.approved_micros, c.best_micros from spend_counters c
                            where c.company_id = $1 and c.app_id = wanted.app_id and c.name = wanted.name and c.since = wanted.since limit 1) stored
               on true
       union all
      select 'note', app_id, country, (extract(epoch from sent_at) * 1000)::bigint, spent_micros, approved_micros, null, null
        from note`,
    values: [
      [...new Set(wanted.map((entry) => entry.appId))],
      counters.map((entry) => entry.appId),
      counters.map((entry) => entry.name),
      counters.map((entry) => entry.since),
    ],
  })
  return {
    counters: found.rows.flatMap((row) => (row.kind === 'counter' ? [counterOf(row)] : [])),
    notes: found.rows.flatMap((row) => (row.kind === 'note' ? [noteOf(row)] : [])),
  }
}

const counterOf = (row: CounterRow): Counter => ({
  appId: row.app_id,
  name: row.name,
  sinceMs: Number(row.at_ms),
  spentMicros: row.spent_micros,
  approvedMicros: row.approved_micros,
  bestMicros: row.best_micros,
  isStored: row.is_stored,
})

const noteOf = (row: NoteRow): Note => ({
  appId: row.app_id,
  country: row.name,
  sentAtMs: Number(row.at_ms),
  spentMicros: row.spent_micros,
  approvedMicros: row.approved_micros,
})

export async function writeSpend(tenant: Tenant, spend: Spend): Promise<void> {
  const counters = spend.changed()
  if (counters.length === 0) return
  await tenant.query({
    name: 'write-spend',
    text: `
      insert into spend_counters as stored (company_id, app_id, name, since, spent_micros, approved_micros, best_micros, expires_at)
      select $1, app_id, name, since, spent_micros, approved_micros, best_micros, since + interval '${keptDays} days'
        from unnest($2::text[], $3::text[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::bigint[])
             row (app_id, name, since, spent_micros, approved_micros, best_micros)
      on conflict (company_id, app_id, name, since) do update
         set spent_micros = excluded.spent_micros, approved_micros = excluded.approved_micros`,
    values: [
      counters.map((row) => row.appId),
      counters.map((row) => row.name),
      counters.map((row) => new Date(row.sinceMs)),
      counters.map((row) => row.spentMicros),
      counters.map((row) => row.approvedMicros),
      counters.map((row) => row.bestMicros),
    ],
  })
}

/** The countries that an app has sent to today. */
export async function listSpendCountries(
  tenant: Tenant,
  appId: string,
): Promise<{ nowMs: number; countries: (string | null)[] }> {
  const found = await tenant.query<{ now_ms: bigint; name: string | null }>({
    text: `select (extract(epoch from time.now) * 1000)::bigint as now_ms, c.name
             from (select clock_timestamp() as now) time
             left join spend_counters c
               on c.company_id = $1 and c.app_id = $2 and c.name like 'day:%' and c.since = date_trunc('day', time.now, 'UTC')
            order by c.name limit ${mostCountries}`,
    values: [appId],
  })
  return {
    nowMs: Number(found.rows[0]?.now_ms),
    countries: found.rows.flatMap(({ name }) => (name === null ? [] : [name.slice('day:'.length) || null])),
  }
}
/** More than there are countries. */
const mostCountries = 300

const noteKept = `interval '${keptDays} days'`

/** A clause of the statement that approves: what was spent on the verification is no longer unverified. */
export const approvedSpend = ({
  name,
}: Source<'company_id' | 'app_id' | 'otp_id' | 'country' | 'spend_at' | 'spend_micros'>) => `
        insert into spend_notes (company_id, app_id, otp_id, delivery_id, country, sent_at, spent_micros, approved_micros, expires_at)
        select company_id, app_id, otp_id, '', country, spend_at, 0, spend_micros, clock_timestamp() + ${noteKept}
          from ${name} where spend_micros > 0
        on conflict do nothing`

const isSameHour = "date_trunc('hour', v.spend_at, 'UTC') = date_trunc('hour', failed.created_at, 'UTC')"

/**
 * Clauses of the statement that fails deliveries (`failed`), no two of one verification: it has cost less, and so has
 * the app.
 * Joined with what has changed the balance (`paid`), so that the company is locked before the verification,
 * as in a batch.
 */
export const returnedSpend = (
  failed: Source<'company_id' | 'app_id' | 'otp_id' | 'delivery_id' | 'spend_micros' | 'created_at'>,
  paid: string,
) => `
    lowered as (
      update verifications v
         set spend_micros = case when ${isSameHour} then greatest(0, v.spend_micros - failed.spend_micros) else v.spend_micros end
        from (select ${failed.name}.* from ${failed.name} left join ${paid} on true) failed
       where v.company_id = failed.company_id and v.app_id = failed.app_id and v.otp_id = failed.otp_id and failed.spend_micros > 0
      returning failed.company_id, failed.app_id, failed.otp_id, failed.delivery_id, v.country, failed.created_at, failed.spend_micros,
                v.status = 'approved' and ${isSameHour} as is_approved
    ), noted as (
      insert into spend_notes (company_id, app_id, otp_id, delivery_id, country, sent_at, spent_micros, approved_micros, expires_at)
      select company_id, app_id, otp_id, delivery_id, country, created_at, -spend_micros,
             case when is_approved then -spend_micros else 0 end, clock_timestamp() + ${noteKept}
        from lowered
      on conflict do nothing
    )`
