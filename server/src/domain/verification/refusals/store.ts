/** Writes refusals and their counts by hour and day, in one statement. */
import { bulkOf, type Columns } from '../../../platform/bulk.ts'
import type { Database, Tenant, Transaction } from '../../../platform/database.ts'
import { limitKeyOf } from '../../guard/index.ts'
import { isOfLivingApp } from '../../tenancy/index.ts'
import type { Noted } from './notes.ts'

/** People look at hours for weeks, and at days for a year, as with other figures. */
const hoursKeptDays = 60
const daysKeptDays = 400
/** Used instead of a country in a row that stands for several. */
export const severalCountries = '*'

const kept: Columns<Noted> = {
  company_id: ['text', ({ refusal }) => refusal.companyId],
  app_id: ['text', ({ refusal }) => refusal.appId],
  refusal_id: ['text', ({ refusalId }) => refusalId],
  kind: ['text', ({ refusal }) => refusal.kind],
  otp_id: ['text', ({ refusal }) => refusal.otpId],
  error_type: ['text', ({ refusal }) => refusal.errorType],
  rule: ['text', ({ refusal }) => refusal.decided.rule],
  facts: ['json', ({ refusal }) => JSON.stringify(refusal.decided.facts)],
  masked_recipient: ['text', ({ refusal }) => refusal.maskedRecipient],
  recipient_hash: ['bytea', ({ refusal }) => refusal.recipientHash],
  country: ['text', ({ refusal }) => refusal.country],
  channel: ['text', ({ refusal }) => refusal.channel],
  key_id: ['text', ({ refusal }) => refusal.keyId],
  client_ip: ['inet', ({ refusal }) => refusal.clientIp],
  price_micros: ['bigint', ({ priceMicros }) => priceMicros],
  count: ['bigint', ({ count }) => count],
  created_at: ['timestamptz', ({ refusal }) => new Date(refusal.atMs)],
}

const names = Object.keys(kept).join(', ')
/** Columns as they are written for somebody who was erased between the refusal and its write. */
const ofErased: Readonly<Record<string, string>> = {
  masked_recipient: "'****'",
  recipient_hash: 'null',
  client_ip: 'null',
}
const shown = Object.keys(kept).map((name) =>
  ofErased[name]
    ? `case when erased.is_erased then ${ofErased[name]} else row.${name} end as ${name}`
    : `row.${name}`,
)

const erasedKey = (hash: Buffer) => limitKeyOf('erased', hash)
/** Longer than a node keeps notes, unless it cannot write them for that long. */
const erasedHours = 24

/** The stored columns, and others that are only used for counting and lookups. */
const rows = bulkOf<Noted>(
  {
    ...kept,
    erased_key: ['bytea', ({ refusal }) => refusal.recipientHash && erasedKey(refusal.recipientHash)],
    counted_country: ['text', ({ where }) => (where ? (where.country ?? '') : severalCountries)],
    level: ['text', ({ where }) => where?.level ?? ''],
    place: ['text', ({ where }) => where?.place ?? ''],
  },
  1,
)

const countedBy = 'company_id, app_id, span, starts_at, rule, country, level, place'

/**
 * A row comes with its whole count. It adds to the hour and the day the difference from the count that was stored, so
 * that a row which is written again, because the first answer was lost, counts once. Rows are sorted, so that two nodes
 * that write at once wait for each other instead of deadlocking.
 */
const writeText = `
  with noted as ( /* every company: what a node has refused in a moment, of all its apps */
    select ${shown.join(', ')}, row.counted_country, row.level, row.place
      from ${rows.source}
      left join lateral (
        select true as is_erased from limits l
         where l.company_id = row.company_id and l.limit_key = row.erased_key
           and l.state[1] >= extract(epoch from row.created_at) * 1000 limit 1) erased on true
     where ${isOfLivingApp()}
  ), added as (
    select n.company_id, n.app_id, n.rule, n.counted_country as country, n.level, n.place, n.created_at,
           n.count - coalesce(before.count, 0) as count, coalesce(n.price_micros, 0) - coalesce(before.price_micros, 0) as price_micros
      from noted n
      left join lateral (
        select r.count, r.price_micros from refusals r
         where r.company_id = n.company_id and r.app_id = n.app_id and r.refusal_id = n.refusal_id limit 1) before on true
  ), written as (
    insert into refusals as stored (${names}) select ${names} from noted
    on conflict (company_id, app_id, refusal_id) do update
       set count = excluded.count, price_micros = excluded.price_micros
  )
  insert into refusal_counts as stored (${countedBy}, count, price_micros, expires_at)
  select company_id, app_id, span, date_trunc(span, created_at, 'UTC') as starts_at, rule, country, level, place,
         sum(count), sum(price_micros), date_trunc(span, created_at, 'UTC') + days * interval '1 day'
    from added cross join (values ('hour', ${hoursKeptDays}), ('day', ${daysKeptDays})) spans (span, days)
   group by ${countedBy}, days
   order by ${countedBy}
  on conflict (${countedBy}) do update
     set count = stored.count + excluded.count, price_micros = stored.price_micros + excluded.price_micros`

/** An advisory lock shared by all nodes that write, so that an erasure waits for them and sees their rows. */
const writingLock = 7_304_003

export const writeRefusals = (database: Database, noted: readonly Noted[]): Promise<void> =>
  database.inTwoTrips({
    read: async (transaction) => {
      await transaction.query({
        name: 'lock-refusals',
        text: 'select pg_advisory_xact_lock_shared($1)',
        values: [writingLock],
      })
    },
    write: (transaction) => ({
      statements: [
        transaction.query({ name: 'write-refusals', text: writeText, values: rows.values(noted) }),
      ],
      result: undefined,
    }),
  })

/** Holds the lock until the transaction ends: earlier writes are in the table, and later ones see who was erased. */
export async function holdRefusals(transaction: Transaction): Promise<void> {
  await transaction.query({ text: 'select pg_advisory_xact_lock($1)', values: [writingLock] })
}

/** Marks the recipient as erased, so that refusals from before now are written without it. */
export async function markErased(tenant: Tenant, hash: Buffer): Promise<void> {
  await tenant.query({
    text: `insert into limits (company_id, limit_key, state, expires_at)
           select $1, $2, array[(extract(epoch from at) * 1000)::bigint], at + ${erasedHours} * interval '1 hour'
             from clock_timestamp() at
           on conflict (company_id, limit_key) do update set state = excluded.state, expires_at = excluded.expires_at`,
    values: [erasedKey(hash)],
  })
}
