/** Reads refusals: pages of an app, those of one recipient, and how many there were. */
import type { BlockAnswer, ChannelName } from '@countersign/contract'
import type { Tenant } from '../../platform/database.ts'
import { type AppId, boundsNear, type OtpId } from '../../platform/ids.ts'
import { severalCountries } from '../verification/index.ts'

export interface RecordedRefusal {
  readonly appId: string
  readonly refusalId: string
  readonly kind: 'send' | 'resend'
  readonly otpId: string | null
  readonly errorType: string
  readonly rule: string
  readonly facts: Record<string, unknown>
  readonly maskedRecipient: string
  readonly country: string | null
  readonly channel: ChannelName | null
  readonly keyId: string | null
  readonly clientIp: string | null
  readonly priceMicros: bigint | null
  readonly count: number
  readonly createdAt: Date
}

interface RefusalRow {
  readonly app_id: string
  readonly refusal_id: string
  readonly kind: 'send' | 'resend'
  readonly otp_id: string | null
  readonly error_type: string
  readonly rule: string
  readonly facts: Record<string, unknown>
  readonly masked_recipient: string
  readonly country: string | null
  readonly channel: ChannelName | null
  readonly key_id: string | null
  readonly client_ip: string | null
  readonly price_micros: bigint | null
  readonly count: bigint
  readonly created_at: Date
}

const refusalOf = (row: RefusalRow): RecordedRefusal => ({
  appId: row.app_id,
  refusalId: row.refusal_id,
  kind: row.kind,
  otpId: row.otp_id,
  errorType: row.error_type,
  rule: row.rule,
  facts: row.facts,
  maskedRecipient: row.masked_recipient,
  country: row.country,
  channel: row.channel,
  keyId: row.key_id,
  clientIp: row.client_ip,
  priceMicros: row.price_micros,
  count: Number(row.count),
  createdAt: row.created_at,
})

const columns = `app_id, refusal_id, kind, otp_id, error_type, rule, facts, masked_recipient, country, channel, key_id,
                 host(client_ip) as client_ip, price_micros, count, created_at`

export interface RefusalPageRequest {
  /** Ids from here on, this one included. */
  readonly since: string
  /** Ids below this one. */
  readonly before: string
  readonly rule: string | null
  readonly errorType: string | null
  readonly country: string | null
  readonly limit: number
  readonly mostLookedAt: number
}

/** Each filter has an index in the order of ids; the search goes along that of the first filter that is set. */
const filters = [
  ['country', 'country = $7'],
  ['rule', 'rule = $8'],
  ['errorType', 'error_type = $9'],
] as const

/** As in the list of verifications, the inner limit bounds the search and the outer one the page. */
export async function readRefusals(
  tenant: Tenant,
  appId: AppId,
  request: RefusalPageRequest,
): Promise<{ rows: RecordedRefusal[]; edge: string | null }> {
  const { since, before, rule, errorType, country, limit, mostLookedAt } = request
  const narrowing = filters.find(([name]) => request[name] !== null)?.[1] ?? 'true'
  const range = `company_id = $1 and app_id = $2 and refusal_id >= $3 and refusal_id < $4 and ${narrowing}`
  const found = await tenant.query<Partial<RefusalRow> & { edge: string | null }>({
    text: `
      with page as (
        select * from (
          select ${columns} from refusals where ${range} order by refusal_id desc limit $5
        ) looked
         where ($7::text is null or country = $7) and ($8::text is null or rule = $8)
           and ($9::text is null or error_type = $9)
         order by refusal_id desc limit $6
      ), edge as (
        select refusal_id from refusals where ${range} order by refusal_id desc offset $5::integer - 1 limit 1
      )
      select page.*, case when (select count(*) from page) < $6 then (select refusal_id from edge) end as edge
        from (select 1) one left join page on true order by page.refusal_id desc`,
    values: [appId, since, before, mostLookedAt, limit, country, rule, errorType],
  })
  return { rows: found.rows.filter(isRow).map(refusalOf), edge: found.rows[0]?.edge ?? null }
}

const isRow = <Row extends Partial<RefusalRow>>(row: Row): row is Row & RefusalRow => row.refusal_id !== null

/** Reads refusals of one recipient, over all apps of the company. */
export async function readRefusalsOf(
  tenant: Tenant,
  recipientHash: Buffer,
  before: string,
  limit: number,
): Promise<RecordedRefusal[]> {
  const found = await tenant.query<RefusalRow>({
    text: `select ${columns} from refusals
            where company_id = $1 and recipient_hash = $2 and refusal_id < $3 order by refusal_id desc limit $4`,
    values: [recipientHash, before, limit],
  })
  return found.rows.map(refusalOf)
}

/** More refusals than anybody reads in the timeline of one verification. */
const mostOfVerification = 100

/** Refused resends, oldest first, in the few days in which they can be. */
export async function readRefusalsOfVerification(
  tenant: Tenant,
  appId: AppId,
  otpId: OtpId,
): Promise<RecordedRefusal[]> {
  const found = await tenant.query<RefusalRow>({
    text: `select ${columns} from refusals
            where company_id = $1 and app_id = $2 and otp_id = $3 and refusal_id >= $4 and refusal_id < $5
            order by refusal_id limit ${mostOfVerification}`,
    values: [appId, otpId, ...boundsNear('refusal', otpId)],
  })
  return found.rows.map(refusalOf)
}

export interface RefusalCount {
  readonly startsAt: Date
  readonly rule: string
  readonly count: number
  readonly priceMicros: bigint
}

export interface CountRange {
  readonly fromMs: number
  readonly toMs: number
  readonly span: 'hour' | 'day'
}

const counted = 'company_id = $1 and app_id = $2 and span = $3 and starts_at >= $4 and starts_at < $5'
const countedValues = (appId: AppId, { fromMs, toMs, span }: CountRange) => [
  appId,
  span,
  new Date(fromMs),
  new Date(toMs),
]

/** Newest first. */
export async function readRefusalCounts(
  tenant: Tenant,
  appId: AppId,
  range: CountRange,
): Promise<RefusalCount[]> {
  const found = await tenant.query<{ starts_at: Date; rule: string; count: bigint; price_micros: bigint }>({
    text: `select starts_at, rule, sum(count)::bigint as count, sum(price_micros)::bigint as price_micros
             from refusal_counts where ${counted} group by starts_at, rule order by starts_at desc, 3 desc, rule`,
    values: countedValues(appId, range),
  })
  return found.rows.map((row) => ({
    startsAt: row.starts_at,
    rule: row.rule,
    count: Number(row.count),
    priceMicros: row.price_micros,
  }))
}

export interface RefusedPlace {
  readonly rule: string
  readonly country: string | null
  /** The level of the place that the guard had closed; null if another rule refused. */
  readonly level: BlockAnswer['level'] | null
  readonly place: string | null
  /** Oldest first. */
  readonly points: readonly Omit<RefusalCount, 'rule'>[]
}

/** How many places people are shown. */
const mostPlaces = 20

interface PlaceRow extends Omit<RefusedPlace, 'points'> {
  number: number
  starts_at: Date
  count: bigint
  price_micros: bigint
}

/** The places where most was refused come first. Refusals counted for several countries together have no place. */
export async function readRefusedPlaces(
  tenant: Tenant,
  appId: AppId,
  range: CountRange,
): Promise<RefusedPlace[]> {
  const found = await tenant.query<PlaceRow>({
    // With a subquery the planner expects few groups, so that it counts in one pass without a sort.
    text: `
      with counted as materialized (
        select rule, country, level, place, starts_at, count, price_micros from refusal_counts
         where ${counted} and country <> '${severalCountries}'
      ), most as (
        select rule, country, level, place, row_number() over (order by sum(count) desc, rule, country, level, place) as number
          from (select * from counted offset 0) each group by rule, country, level, place
         order by number limit ${mostPlaces}
      )
      select most.number::integer as number, rule, nullif(country, '') as country, nullif(level, '') as level,
             nullif(place, '') as place, starts_at, count, price_micros
        from most join counted using (rule, country, level, place) order by number, starts_at`,
    values: countedValues(appId, range),
  })
  const places = new Map<number, PlaceRow[]>()
  for (const row of found.rows) places.set(row.number, [...(places.get(row.number) ?? []), row])
  return [...places.values()].flatMap((rows) => rows.slice(0, 1).map((first) => placeOf(first, rows)))
}

const placeOf = ({ rule, country, level, place }: PlaceRow, rows: readonly PlaceRow[]): RefusedPlace => ({
  rule,
  country,
  level,
  place,
  points: rows.map(({ starts_at: startsAt, count, price_micros: priceMicros }) => ({
    startsAt,
    count: Number(count),
    priceMicros,
  })),
})
