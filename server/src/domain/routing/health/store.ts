/** Facts and counts of accounts: added by every node, read by all. */
import type { ProviderError } from '../../../channels/channel.ts'
import { bulkOf } from '../../../platform/bulk.ts'
import { correctedMs } from '../../../platform/clock.ts'
import { type Queryable, timeNow } from '../../../platform/database.ts'
import type { Owner, Tenant } from '../../../platform/tenant.ts'
import type { AccountRef, Noted } from './book.ts'
import { type AccountFacts, errorsToFail, type HourOfAccount, quietMs } from './health.ts'

/** A node repeats the state of its connections every few seconds; an older state is not believed. */
const linkSeconds = 20
const factsDays = 30
/** After this long without an error, a broken account that takes messages counts as up, proven or not. */
const doubtMinutes = 10

const rows = bulkOf<Noted>(
  {
    company_id: ['text', (row) => row.ownerId],
    provider_id: ['text', (row) => row.providerId],
    revision: ['integer', (row) => row.revision],
    sent: ['integer', (row) => row.sent],
    failed: ['integer', (row) => row.failed],
    accepted: ['integer', (row) => row.accepted],
    accept_ms: ['bigint', (row) => Math.round(row.acceptMs)],
    delivered: ['integer', (row) => row.delivered],
    timed: ['integer', (row) => row.timed],
    deliver_ms: ['bigint', (row) => Math.round(row.deliverMs)],
    errors: ['integer', (row) => row.errors],
    has_answered: ['boolean', (row) => row.hasAnswered],
    is_proven: ['boolean', (row) => row.isProven],
    is_broken: ['boolean', (row) => row.isBroken],
    error_code: ['text', (row) => row.lastError?.code ?? null],
    error_message: ['text', (row) => row.lastError?.message ?? null],
    link: ['text', (row) => row.link],
    is_link_new: ['boolean', (row) => row.isLinkNew],
  },
  1,
)

/** If nodes disagree, one without a connection is believed, until it has one again or is silent. */
const isBelieved = `(excluded.link is not null and (excluded.link = 'down' or excluded.is_link_new or s.link is distinct from 'down'
                      or s.link_at < excluded.link_at - interval '${linkSeconds} seconds'))`

/**
 * If the answer to a commit is lost, something may be counted twice. These are only figures on a page, and not worth a
 * row for each message.
 */
export async function addToFacts(queryable: Queryable, noted: readonly Noted[]): Promise<void> {
  await queryable.query({
    name: 'add-to-account-facts',
    text: `
      with given as materialized (
        select ${rows.names}, clock_timestamp() as at /* every company: what its accounts did, written together */
          from ${rows.source}
      ), noted as materialized (
        select given.*, has_answered and (is_proven or doubted.company_id is null) as is_up
          from given left join provider_states doubted
            on doubted.company_id = given.company_id and doubted.provider_id = given.provider_id and doubted.revision = given.revision
           and doubted.is_broken and doubted.error_at > at - interval '${doubtMinutes} minutes'
      ), counted as (
        insert into provider_minutes as m (company_id, provider_id, since, sent, failed, accepted, accept_ms, delivered, timed, deliver_ms, expires_at)
        select company_id, provider_id, date_trunc('minute', at), sent, failed, accepted, accept_ms, delivered, timed, deliver_ms,
               at + interval '2 hours'
          from noted where sent + failed + delivered > 0 order by company_id, provider_id
        on conflict (company_id, provider_id, since) do update
           set sent = m.sent + excluded.sent, failed = m.failed + excluded.failed, accepted = m.accepted + excluded.accepted,
               accept_ms = m.accept_ms + excluded.accept_ms, delivered = m.delivered + excluded.delivered,
               timed = m.timed + excluded.timed, deliver_ms = m.deliver_ms + excluded.deliver_ms
      )
      insert into provider_states as s (company_id, provider_id, revision, link, link_since, link_at, is_link_new, errors,
             first_error_at, is_broken, answered_at, up_since, error_code, error_message, error_at, expires_at)
      select company_id, provider_id, revision, link, case when link is not null then at end, case when link is not null then at end,
             is_link_new, errors, case when errors > 0 then at end, is_broken, case when is_up then at end,
             case when is_up then at end, error_code, error_message, case when error_code is not null then at end,
             at + interval '${factsDays} days'
        from noted
       where link is not null or errors > 0 or is_up or error_code is not null
       order by company_id, provider_id
      on conflict (company_id, provider_id, revision) do update
         set link = case when ${isBelieved} then excluded.link else s.link end,
             link_since = case when ${isBelieved} and s.link is distinct from excluded.link then excluded.link_since
                               else s.link_since end,
             link_at = case when ${isBelieved} then excluded.link_at else s.link_at end,
             is_link_new = excluded.is_link_new,
             errors = case when excluded.answered_at is null then s.errors + excluded.errors else excluded.errors end,
             first_error_at = case when excluded.answered_at is null then coalesce(s.first_error_at, excluded.first_error_at)
                                   else excluded.first_error_at end,
             is_broken = case when excluded.answered_at is null then s.is_broken or excluded.is_broken else excluded.is_broken end,
             answered_at = coalesce(excluded.answered_at, s.answered_at),
             up_since = case when excluded.answered_at is null then s.up_since
                             when s.is_broken or s.errors >= ${errorsToFail} or s.up_since is null
                               or s.first_error_at > s.answered_at + interval '${quietMs} milliseconds' then excluded.up_since
                             else s.up_since end,
             error_code = coalesce(excluded.error_code, s.error_code),
             error_message = case when excluded.error_code is null then s.error_message else excluded.error_message end,
             error_at = coalesce(excluded.error_at, s.error_at),
             expires_at = excluded.expires_at`,
    values: rows.values(noted),
  })
}

interface FactsRow {
  provider_id: string
  revision: number
  link: AccountFacts['link']
  link_since: Date | null
  errors: number
  first_error_at: Date | null
  is_broken: boolean
  answered_at: Date | null
  up_since: Date | null
  error_code: string | null
  error_message: string | null
  error_at: Date | null
}

const lastErrorOf = (row: FactsRow): AccountFacts['lastError'] => {
  const error: ProviderError | null =
    row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' }
  return error && row.error_at && { ...error, at: row.error_at }
}

const factsOf = (row: FactsRow): AccountFacts => ({
  link: row.link,
  linkSince: row.link_since,
  errors: row.errors,
  firstErrorAt: row.first_error_at,
  isBroken: row.is_broken,
  answeredAt: row.answered_at,
  upSince: row.up_since,
  lastError: lastErrorOf(row),
})

export type FactsByAccount = ReadonlyMap<string, AccountFacts>
export const accountKey = ({ providerId, revision }: Pick<AccountRef, 'providerId' | 'revision'>) =>
  `${providerId} ${revision}`

const factsColumns = `provider_id, revision, errors, first_error_at, is_broken, answered_at, up_since, error_code, error_message, error_at,
  case when link_at >= ${timeNow} - interval '${linkSeconds} seconds' then link end as link, link_since`

const byAccount = (rows: readonly FactsRow[]): FactsByAccount =>
  new Map(
    rows.map((row) => [accountKey({ providerId: row.provider_id, revision: row.revision }), factsOf(row)]),
  )

export async function readFacts(tenant: Tenant<Owner>): Promise<FactsByAccount> {
  const found = await tenant.query<FactsRow>({
    text: `select ${factsColumns} from provider_states where company_id = $1`,
  })
  return byAccount(found.rows)
}

export async function readAllFacts(queryable: Queryable): Promise<FactsByAccount> {
  const found = await queryable.query<FactsRow>({
    text: `select ${factsColumns} from provider_states /* every company: the operator's list */`,
  })
  return byAccount(found.rows)
}

interface HourRow {
  provider_id: string
  sent: bigint
  failed: bigint
  delivered: bigint
  accept_ms: number | null
  deliver_ms: number | null
}

const hourColumns = `provider_id, sum(sent)::bigint as sent, sum(failed)::bigint as failed, sum(delivered)::bigint as delivered,
  (sum(accept_ms) / nullif(sum(accepted), 0))::float8 as accept_ms, (sum(deliver_ms) / nullif(sum(timed), 0))::float8 as deliver_ms`
const lastHour = `since > ${timeNow} - interval '1 hour'`

export type HoursByAccount = ReadonlyMap<string, HourOfAccount>

const hoursOf = (rows: readonly HourRow[]): HoursByAccount =>
  new Map(
    rows.map((row) => [
      row.provider_id,
      {
        sent: Number(row.sent),
        failed: Number(row.failed),
        delivered: Number(row.delivered),
        acceptMs: row.accept_ms,
        deliverMs: row.deliver_ms,
      },
    ]),
  )

export async function readHours(tenant: Tenant<Owner>): Promise<HoursByAccount> {
  const found = await tenant.query<HourRow>({
    text: `select ${hourColumns} from provider_minutes where company_id = $1 and ${lastHour} group by provider_id`,
  })
  return hoursOf(found.rows)
}

export async function readAllHours(queryable: Queryable): Promise<HoursByAccount> {
  const found = await queryable.query<HourRow>({
    text: `select ${hourColumns} from provider_minutes /* every company: the operator's list */
            where ${lastHour} group by provider_id`,
  })
  return hoursOf(found.rows)
}

/** False if the account was tested as often as it may be. It is one statement, so that calls at once do not race. */
export async function takeTest(
  tenant: Tenant<Owner>,
  providerId: string,
  { most, windowSeconds }: { readonly most: number; readonly windowSeconds: number },
): Promise<boolean> {
  const recent = `array(select at from unnest(tested_at) at where at > clock_timestamp() - $3 * interval '1 second' and at <= clock_timestamp() + ${correctedMs} * interval '1 ms')`
  const taken = await tenant.query({
    text: `update providers set tested_at = ${recent} || clock_timestamp()
            where company_id = $1 and provider_id = $2 and cardinality(${recent}) < $4`,
    values: [providerId, windowSeconds, most],
  })
  return taken.rowCount === 1
}
