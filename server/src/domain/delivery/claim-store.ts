/**
 * The statements by which a worker takes what is due. A delivery that is taken names the worker that holds it.
 * Another may take it over once its lease has run out and its holder has not been heard of for as long.
 *
 * What waits and what is held are found along an index each, in which nothing else is: not what another worker has in
 * hand, and not what is done.
 */
import type { ChannelName } from '@countersign/contract'
import { bulkOf } from '../../platform/bulk.ts'
import { type Queryable, timeNow } from '../../platform/database.ts'
import { type AppId, type CompanyId, lowestId, type OtpId } from '../../platform/ids.ts'
import { isHeardOut, leaseSeconds, livingWorkers } from '../../platform/pulse.ts'
import type { DueDelivery } from './delivery.ts'

export interface Line {
  readonly companyId: CompanyId
  readonly providerId: string
}

/** Ids of deliveries between two times: few partitions to look at. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

const boundsOf = ({ fromMs, toMs }: Span) =>
  [lowestId('delivery', fromMs), lowestId('delivery', toMs)] as const

/**
 * Who waits for which account, after this one: a walk along the index, one step for each company and account and
 * not one for each message. It has no name, and so is planned at each call, when it is known which partitions
 * there are to look at.
 */
export async function listLines(
  queryable: Queryable,
  after: Line | null,
  span: Span,
  limit: number,
): Promise<(Line & { readonly isDue: boolean })[]> {
  const waiting = `${isFree} and d.delivery_id >= $3 and d.delivery_id < $4`
  const nextAfter = (companyId: string, providerId: string) => `
    select d.company_id, d.provider_id from deliveries d
     where ${waiting} and (d.company_id, d.provider_id) > (${companyId}, ${providerId})
     order by d.company_id, d.provider_id limit 1`
  const found = await queryable.query<{ company_id: CompanyId; provider_id: string; is_due: boolean }>({
    text: `
      /* every company: a worker serves all of them, each in its turn */
      with recursive walk as (
        (${nextAfter('$1', '$2')})
        union all
        select step.company_id, step.provider_id
          from walk cross join lateral (${nextAfter('walk.company_id', 'walk.provider_id')}) step
      )
      select company_id, provider_id,
             (select d.next_attempt_at <= ${timeNow} from deliveries d
               where ${waiting} and d.company_id = walk.company_id and d.provider_id = walk.provider_id
               order by d.next_attempt_at limit 1) as is_due
        from walk limit $5`,
    values: [after?.companyId ?? '', after?.providerId ?? '', ...boundsOf(span), limit],
  })
  return found.rows.map((row) => ({
    companyId: row.company_id,
    providerId: row.provider_id,
    isDue: row.is_due,
  }))
}

/** As the index of what waits says it. */
const isFree = 'd.next_attempt_at is not null and d.held_by is null'

interface DueRow {
  app_id: AppId
  delivery_id: string
  company_id: CompanyId
  otp_id: OtpId
  channel: ChannelName
  provider_id: string
  tried: string[]
  reply_to: Buffer | null
  attempt: number
  code_version: number
  recipient: Buffer | null
  country: string | null
  locale: string
  called: string | null
  data_key: number
  code_length: number
  stale_reason: DueDelivery['staleReason']
  ttl_s: number
  is_taken_over: boolean
  was_taken_over: boolean
}

const standing = `
            case when d.give_up_at <= clock_timestamp() then 'expired'
                 when v.status <> 'pending' then 'finished'
                 when v.code_version <> d.code_version then 'superseded' end as stale_reason,
            extract(epoch from d.give_up_at - clock_timestamp())::integer as ttl_s`

/**
 * `$1` is the worker, `$2` to `$5` bound the days of deliveries and verifications. Three steps, each of which finds its
 * rows by the whole key: joined at once, PostgreSQL would look for deliveries by the verification and walk the day.
 */
const take = (reason: string, due: string) => `
  /* every company: ${reason} */
  with ${due}, taken as (
    update deliveries d
       set attempt = d.attempt + 1, held_by = $1,
           next_attempt_at = clock_timestamp() + ${leaseSeconds} * interval '1 second',
           taken_over_at = case when due.is_taken_over then coalesce(d.taken_over_at, clock_timestamp()) else d.taken_over_at end
      from due
     where d.company_id = due.company_id and d.app_id = due.app_id and d.otp_id = due.otp_id and d.delivery_id = due.delivery_id
       and d.delivery_id >= $2 and d.delivery_id < $3
    returning d.app_id, d.delivery_id, d.company_id, d.otp_id, d.channel, d.provider_id, d.tried, d.reply_to, d.attempt,
              d.code_version, d.give_up_at, due.is_taken_over, due.taken_over_at is not null as was_taken_over
  )
  select d.app_id, d.delivery_id, d.company_id, d.otp_id, d.channel, d.provider_id, d.tried, d.reply_to, d.attempt,
         d.code_version, d.is_taken_over, d.was_taken_over, v.recipient, v.country, v.locale, v.called, v.data_key, v.code_length, ${standing}
    from taken d
    left join lateral (
      select * from verifications v
       where v.company_id = d.company_id and v.app_id = d.app_id and v.otp_id = d.otp_id and v.otp_id >= $4 and v.otp_id < $5
       limit 1) v on true`

const found = (isTakenOver: boolean) =>
  `d.company_id, d.app_id, d.delivery_id, d.otp_id, d.taken_over_at, ${isTakenOver} as is_taken_over`
/** Within the days, and still to be handed over. */
const isOpen = `d.delivery_id >= $2 and d.delivery_id < $3 and d.status = 'queued'`

const valuesOf = (workerId: string, span: Span) => [
  workerId,
  ...boundsOf(span),
  lowestId('verification', span.fromMs),
  lowestId('verification', span.toMs),
]

export interface Claim {
  readonly workerId: string
  readonly rooms: readonly (Line & { readonly room: number })[]
  readonly span: Span
}

/** Takes for each company and account what there is room for. */
export async function claimDue(
  queryable: Queryable,
  { workerId, rooms, span }: Claim,
): Promise<DueDelivery[]> {
  const claimed = await queryable.query<DueRow>({
    text: take(
      'a worker serves all of them, each has its share',
      `due as (
         select found.* from unnest($7::text[], $8::text[], $9::integer[]) line (company_id, provider_id, room)
          cross join lateral (
           select ${found(false)} from deliveries d
            where ${isFree} and ${isOpen} and d.company_id = line.company_id and d.provider_id = line.provider_id
              and d.next_attempt_at <= ${timeNow}
            order by d.next_attempt_at limit line.room for update skip locked) found
          -- No more than the rooms together, and said so that rows are looked up one by one.
          limit $6
       )`,
    ),
    values: [
      ...valuesOf(workerId, span),
      rooms.reduce((sum, { room }) => sum + room, 0),
      rooms.map((line) => line.companyId),
      rooms.map((line) => line.providerId),
      rooms.map((line) => line.room),
    ],
  })
  return claimed.rows.map(dueOf)
}

/** Sorts after the name of every worker. */
const lastName = '~'

/**
 * Takes over what was held by workers that have not been heard of, once their leases are over: what stands in the
 * index between the names of the living. A restart of PostgreSQL keeps every worker from taking over for a while.
 */
export async function takeOver(
  queryable: Queryable,
  { workerId, span, limit }: { readonly workerId: string; readonly span: Span; readonly limit: number },
): Promise<DueDelivery[]> {
  const taken = await queryable.query<DueRow>({
    text: take(
      'a worker that died held messages of any of them',
      `living as (
         ${livingWorkers} or worker_id = $1
       ), gap as (
         select name as after, lead(name, 1, '${lastName}') over (order by name) as before
           from (select '' as name union select worker_id from living union select $1) named
       ), due as (
         select found.* from gap cross join lateral (
           select ${found(true)} from deliveries d
            where d.held_by > gap.after and d.held_by < gap.before and d.next_attempt_at <= ${timeNow} and ${isOpen}
              and ${isHeardOut}
            limit $6 for update skip locked) found
          limit $6
       )`,
    ),
    values: [...valuesOf(workerId, span), limit],
  })
  return taken.rows.map(dueOf)
}

/** A delivery that a worker holds by the table, at one attempt. */
export interface Stray
  extends Pick<DueDelivery, 'companyId' | 'appId' | 'otpId' | 'deliveryId' | 'attempt'> {}

const heldRows = bulkOf<Stray>(
  {
    company_id: ['text', (row) => row.companyId],
    app_id: ['text', (row) => row.appId],
    otp_id: ['text', (row) => row.otpId],
    delivery_id: ['text', (row) => row.deliveryId],
    attempt: ['integer', (row) => row.attempt],
  },
  6,
)

/**
 * What this worker holds by the table and does not have in hand, held since then: of a claim or a commit whose answer
 * never came. Only listed: one that is being accepted at this moment may be among them, and is in hand when this is heard.
 */
export async function listStrays(
  queryable: Queryable,
  look: {
    readonly workerId: string
    readonly span: Span
    readonly limit: number
    readonly held: readonly string[]
    readonly sinceMs: number
  },
): Promise<Stray[]> {
  const [from, to] = boundsOf(look.span)
  const listed = await queryable.query<
    Pick<DueRow, 'company_id' | 'app_id' | 'otp_id' | 'delivery_id' | 'attempt'>
  >({
    text: `/* every company: what a worker holds may be of any of them */
           select d.company_id, d.app_id, d.otp_id, d.delivery_id, d.attempt from deliveries d
            where d.held_by = $1 and d.next_attempt_at >= $6 and not d.delivery_id = any($5) and ${isOpen}
            limit $4`,
    values: [look.workerId, from, to, look.limit, look.held, new Date(look.sinceMs)],
  })
  return listed.rows.map((row) => ({
    companyId: row.company_id,
    appId: row.app_id,
    otpId: row.otp_id,
    deliveryId: row.delivery_id,
    attempt: row.attempt,
  }))
}

/** Takes those of them that are as they were. Nothing was done with them, and nobody else may take them. */
export async function takeStrays(
  queryable: Queryable,
  { workerId, span }: { readonly workerId: string; readonly span: Span },
  strays: readonly Stray[],
): Promise<DueDelivery[]> {
  const taken = await queryable.query<DueRow>({
    text: take(
      'what a worker holds may be of any of them',
      `due as (
         select ${found(false)} from ${heldRows.lookedUp}
           join deliveries d on d.company_id = row.company_id and d.app_id = row.app_id and d.otp_id = row.otp_id
            and d.delivery_id = row.delivery_id and d.attempt = row.attempt
          where d.held_by = $1 and ${isOpen}
          for update of d skip locked
       )`,
    ),
    values: [...valuesOf(workerId, span), ...heldRows.values(strays)],
  })
  return taken.rows.map(dueOf)
}

/** How things stand now with what this worker has in hand; nothing for what it does not hold any more. */
export async function readHeld(
  queryable: Queryable,
  { workerId, span }: { readonly workerId: string; readonly span: Span },
  dues: readonly DueDelivery[],
): Promise<Map<string, DueDelivery>> {
  type Row = Pick<DueRow, 'delivery_id' | 'recipient' | 'stale_reason' | 'ttl_s'>
  const read = await queryable.query<Row>({
    text: `/* every company: what a worker has in hand may be of any of them */
           select d.delivery_id, v.recipient, ${standing}
             from ${heldRows.lookedUp}
             join deliveries d on d.company_id = row.company_id and d.app_id = row.app_id and d.otp_id = row.otp_id
              and d.delivery_id = row.delivery_id and d.delivery_id >= $2 and d.delivery_id < $3
             left join lateral (
               select * from verifications v
                where v.company_id = d.company_id and v.app_id = d.app_id and v.otp_id = d.otp_id and v.otp_id >= $4 and v.otp_id < $5
                limit 1) v on true
            where d.held_by = $1 and d.attempt = row.attempt and d.status = 'queued'`,
    values: [...valuesOf(workerId, span), ...heldRows.values(dues)],
  })
  const rows = new Map(read.rows.map((row) => [row.delivery_id, row]))
  return new Map(
    dues.flatMap((due) => {
      const row = rows.get(due.deliveryId)
      if (!row) return []
      const { recipient, stale_reason: staleReason, ttl_s: ttlSeconds } = row
      return [[due.deliveryId, { ...due, recipient, staleReason, ttlSeconds }]]
    }),
  )
}

const dueOf = (row: DueRow): DueDelivery => ({
  appId: row.app_id,
  deliveryId: row.delivery_id,
  companyId: row.company_id,
  otpId: row.otp_id,
  channel: row.channel,
  providerId: row.provider_id,
  tried: row.tried,
  replyTo: row.reply_to,
  attempt: row.attempt,
  codeVersion: row.code_version,
  recipient: row.recipient,
  plain: null,
  country: row.country,
  locale: row.locale,
  called: row.called,
  dataKey: row.data_key,
  codeLength: row.code_length,
  staleReason: row.stale_reason,
  ttlSeconds: row.ttl_s,
  takenOver: row.is_taken_over
    ? row.was_taken_over
      ? 'again'
      : 'once'
    : row.was_taken_over
      ? 'before'
      : 'no',
})
