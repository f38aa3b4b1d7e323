/** Rows of refusals, and how many there were by hour and day: one statement, both or none. */
import { bulkOf, type Columns } from '../../../platform/bulk.ts'
import type { Queryable } from '../../../platform/database.ts'
import { isOfLivingApp } from '../../tenancy/index.ts'
import type { Noted } from './notes.ts'

/** Hours are looked at for weeks, days for a year, as other figures are. */
const hoursKeptDays = 60
const daysKeptDays = 400
/** In the place of a country, where a row stands for several. */
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
/** What is only counted by. */
const rows = bulkOf<Noted>(
  {
    ...kept,
    counted_country: ['text', ({ where }) => (where ? (where.country ?? '') : severalCountries)],
    level: ['text', ({ where }) => where?.level ?? ''],
    place: ['text', ({ where }) => where?.place ?? ''],
  },
  1,
)

const countedBy = 'company_id, app_id, span, starts_at, rule, country, level, place'

/**
 * A row comes with its whole count. What it adds to the hour and the day is the difference from what stood there
 * before, so that a row which is written again, because nobody heard that it was, counts once. Sorted, so that two
 * nodes that write at once wait for each other and no more.
 */
const writeText = `
  with noted as ( /* every company: what a node has refused in a moment, of all its apps */
    select * from ${rows.source} where ${isOfLivingApp}
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

export async function writeRefusals(queryable: Queryable, noted: readonly Noted[]): Promise<void> {
  await queryable.query({ name: 'write-refusals', text: writeText, values: rows.values(noted) })
}
