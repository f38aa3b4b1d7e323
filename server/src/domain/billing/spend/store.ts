/** The statements of the caps. All but the notes run under the lock of the company's row, or only read. */
import { heldBulkOf, onceEach, withHeld } from '../../../platform/bulk.ts'
import { type Held, type Tenant, timeNow } from '../../../platform/database.ts'
import type { CompanyId } from '../../../platform/ids.ts'
import type { Source } from '../../../platform/source.ts'
import { timeOfHold } from '../hold-store.ts'
import type { Period } from './caps.ts'
import { type Counter, type LoadedSpend, type Note, nameOf, type Spend } from './spend.ts'

export interface WantedSpend {
  readonly companyId: CompanyId
  readonly appId: string
  readonly country: string | null
}

const historyDays = 14
/** Today's row, and those of the fourteen days before it. */
const keptDays = historyDays + 2
/** The most notes that a batch takes: more than come between two batches. The next one takes the rest. */
const mostNotes = 5_000

interface CounterRow {
  kind: 'counter'
  app_id: string
  name: string
  at_ms: bigint
  spent_micros: bigint
  approved_micros: bigint
  best_micros: bigint
  best_spent_micros: bigint
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

const periods: readonly Period[] = ['day', 'hour']

const app = heldBulkOf<WantedSpend>(({ companyId }) => companyId, { app_id: ['text', (row) => row.appId] }, 1)
const counter = heldBulkOf<WantedSpend & { readonly period: Period }>(
  ({ companyId }) => companyId,
  {
    app_id: ['text', (row) => row.appId],
    name: ['text', (row) => nameOf(row.period, row.country)],
    period: ['text', (row) => row.period],
  },
  app.next + 1,
)

/**
 * For a counter that does not exist yet, the best of the days before is read, once for each period; from then on it is
 * in the row. What the best period has cost is taken from the cheapest period that was nearly as good, so that an
 * attack during the best one does not count. Without `isTaken`, for previews, the notes stay for the next batch.
 */
export async function readSpend(
  held: Held,
  wanted: readonly WantedSpend[],
  isTaken: boolean,
): Promise<LoadedSpend> {
  const counters = wanted.flatMap((entry) => periods.map((period) => ({ ...entry, period })))
  const found = await held.query<CounterRow | NoteRow>({
    name: isTaken ? 'take-spend' : 'read-spend',
    text: `
      with ${withHeld}, /* every company: those that the transaction holds */
      noted as materialized (
        select one.* from ${app.lookedUp} app
         cross join lateral (select n.*, n.ctid as place from spend_notes n where n.company_id = app.company_id and n.app_id = app.app_id
                              order by n.otp_id, n.delivery_id limit ${mostNotes}) one
      ), note as (
        ${isTaken ? 'delete from spend_notes taken using noted where taken.ctid = noted.place returning taken.*' : 'select * from noted'}
      ), wanted as (
        select company_id, app_id, name, date_trunc(period, ${timeOfHold}, 'UTC') as since from ${counter.lookedUp} listed
         union
        select company_id, app_id, 'day:' || coalesce(country, ''), date_trunc('day', sent_at, 'UTC') from note
         union
        select company_id, app_id, 'hour', date_trunc('hour', sent_at, 'UTC') from note
      )
      select 'counter' as kind, wanted.app_id, wanted.name, (extract(epoch from wanted.since) * 1000)::bigint as at_ms,
             coalesce(stored.spent_micros, 0) as spent_micros, coalesce(stored.approved_micros, 0) as approved_micros,
             coalesce(stored.best_micros, best.approved_micros, 0) as best_micros,
             coalesce(stored.best_spent_micros, best.spent_micros, 0) as best_spent_micros,
             stored.best_micros is not null as is_stored
        from wanted
        left join lateral (select c.spent_micros, c.approved_micros, c.best_micros, c.best_spent_micros from spend_counters c
                            where c.company_id = wanted.company_id and c.app_id = wanted.app_id and c.name = wanted.name and c.since = wanted.since limit 1) stored
               on true
        left join lateral (select max(most) as approved_micros, (max(most) * min(spent_micros::numeric / approved_micros))::bigint as spent_micros
                             from (select past.approved_micros, past.spent_micros, max(past.approved_micros) over () as most
                                     from spend_counters past
                                    where stored.best_micros is null and past.company_id = wanted.company_id and past.app_id = wanted.app_id
                                      and past.name = wanted.name and past.since < date_trunc('day', wanted.since, 'UTC')
                                      and past.since >= date_trunc('day', wanted.since, 'UTC') - interval '${historyDays} days') past
                            where approved_micros > 0 and 2 * approved_micros >= most) best
               on true
       union all
      select 'note', app_id, country, (extract(epoch from sent_at) * 1000)::bigint, spent_micros, approved_micros, null, null, null
        from note`,
    values: [
      ...app.lookUpValues(
        onceEach(wanted, ({ appId }) => appId),
        held,
      ),
      ...counter.lookUpValues(onceEach(counters, keyOf), held),
    ],
  })
  return {
    counters: found.rows.flatMap((row) => (row.kind === 'counter' ? [counterOf(row)] : [])),
    notes: found.rows.flatMap((row) => (row.kind === 'note' ? [noteOf(row)] : [])),
  }
}

const keyOf = ({ appId, country, period }: WantedSpend & { readonly period: Period }) =>
  `${appId} ${nameOf(period, country)}`

const counterOf = (row: CounterRow): Counter => ({
  appId: row.app_id,
  name: row.name,
  sinceMs: Number(row.at_ms),
  spentMicros: row.spent_micros,
  approvedMicros: row.approved_micros,
  bestMicros: row.best_micros,
  bestSpentMicros: row.best_spent_micros,
  isStored: row.is_stored,
})

const noteOf = (row: NoteRow): Note => ({
  appId: row.app_id,
  country: row.name,
  sentAtMs: Number(row.at_ms),
  spentMicros: row.spent_micros,
  approvedMicros: row.approved_micros,
})

const written = heldBulkOf<Counter & { readonly companyId: CompanyId }>(
  ({ companyId }) => companyId,
  {
    app_id: ['text', (row) => row.appId],
    name: ['text', (row) => row.name],
    since: ['timestamptz', (row) => new Date(row.sinceMs)],
    spent_micros: ['bigint', (row) => row.spentMicros],
    approved_micros: ['bigint', (row) => row.approvedMicros],
    best_micros: ['bigint', (row) => row.bestMicros],
    best_spent_micros: ['bigint', (row) => row.bestSpentMicros],
  },
  1,
)

/** Resolves when all is written; runs no statement if nothing has changed. */
export async function writeSpend(
  held: Held,
  spend: Spend,
  companyOf: (appId: string) => CompanyId,
): Promise<void> {
  const counters = spend.changed().map((row) => ({ ...row, companyId: companyOf(row.appId) }))
  if (counters.length === 0) return
  await held.query({
    name: 'write-spend',
    text: `
      with ${withHeld} /* every company: those that the transaction holds */
      insert into spend_counters as stored (company_id, ${written.names}, expires_at)
      select ${written.company}, ${written.names}, since + interval '${keptDays} days' from ${written.source}
      on conflict (company_id, app_id, name, since) do update
         set spent_micros = excluded.spent_micros, approved_micros = excluded.approved_micros`,
    values: written.values(counters, held),
  })
}

/** The countries that an app has sent to today. */
export async function listSpendCountries(tenant: Tenant, appId: string): Promise<(string | null)[]> {
  const found = await tenant.query<{ name: string }>({
    text: `select name from spend_counters
            where company_id = $1 and app_id = $2 and name like 'day:%' and since = date_trunc('day', ${timeNow}, 'UTC')
            order by name limit ${mostCountries}`,
    values: [appId],
  })
  return found.rows.map(({ name }) => name.slice('day:'.length) || null)
}
/** More than there are countries. */
const mostCountries = 300

const noteKept = `interval '${keptDays} days'`

/**
 * A clause of the statement that approves: what was spent on these verifications no longer counts as unapproved.
 * Counters are kept by app, country and hour; verifications that agree in these share a note, named by the first of
 * them.
 */
export const approvedSpend = ({
  name,
}: Source<'company_id' | 'app_id' | 'otp_id' | 'country' | 'spend_at' | 'spend_micros'>) => `
        insert into spend_notes (company_id, app_id, otp_id, delivery_id, country, sent_at, spent_micros, approved_micros, expires_at)
        select company_id, app_id, min(otp_id), '', country, min(spend_at), 0, sum(spend_micros)::bigint, clock_timestamp() + ${noteKept}
          from ${name} where spend_micros > 0
         group by company_id, app_id, country, date_trunc('hour', spend_at, 'UTC')
        on conflict do nothing`

const isSameHour = "date_trunc('hour', v.spend_at, 'UTC') = date_trunc('hour', failed.created_at, 'UTC')"

/**
 * Clauses of the statement that fails deliveries (`failed`), no two of one verification: they lower what the
 * verification and the app have cost. They are joined with the clause that changes the balance (`paid`), so that the
 * company is locked before the verification, as in a batch.
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
