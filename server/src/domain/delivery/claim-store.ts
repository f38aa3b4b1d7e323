/**
 * The statements by which a worker takes what is due. A delivery that is taken names the worker that holds it.
 * Another may take it over once its lease has run out and its holder has not been heard of for as long.
 */
import type { ChannelName } from '@countersign/contract'
import { type Queryable, timeNow } from '../../platform/database.ts'
import { type AppId, type CompanyId, lowestId, type OtpId } from '../../platform/ids.ts'
import { aliveSeconds, type DueDelivery, graceSeconds, leaseSeconds } from './delivery.ts'

/** Says that this worker lives. While it does, nobody takes over what it holds, however long that takes. */
export async function sayAlive(queryable: Queryable, workerId: string): Promise<void> {
  await queryable.query({
    name: 'say-alive',
    text: `insert into workers (worker_id, expires_at) values ($1, clock_timestamp() + ${aliveSeconds} * interval '1 second')
           on conflict (worker_id) do update set expires_at = excluded.expires_at`,
    values: [workerId],
  })
}

export async function sayGone(queryable: Queryable, workerId: string): Promise<void> {
  await queryable.query({ text: 'delete from workers where worker_id = $1', values: [workerId] })
}

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
  const waiting = `d.status = 'queued' and d.delivery_id >= $3 and d.delivery_id < $4`
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
  data_key: number
  code_length: number
  stale_reason: DueDelivery['staleReason']
  ttl_s: number
  is_taken_over: boolean
  was_taken_over: boolean
}

export interface Claim {
  readonly workerId: string
  readonly rooms: readonly (Line & { readonly room: number })[]
  /** What this worker still has in hand: never taken by itself again, whatever the row says. */
  readonly held: readonly string[]
  /** False for a while after this node has been without the database: the holders shall write first. */
  readonly mayTakeOver: boolean
  readonly span: Span
}

/**
 * Takes for each company and account what there is room for. A claim of ours whose answer never came is taken
 * again as if it waited: nothing was done with it. A restart of PostgreSQL keeps every worker from taking over.
 */
export async function claimDue(queryable: Queryable, claim: Claim): Promise<DueDelivery[]> {
  const { workerId, rooms, held, mayTakeOver, span } = claim
  const claimed = await queryable.query<DueRow>({
    text: `
      /* every company: a worker serves all of them, each has its share */
      with due as (
        select found.* from unnest($1::text[], $2::text[], $3::integer[]) line (company_id, provider_id, room)
         cross join lateral (
          select d.company_id, d.app_id, d.delivery_id, d.otp_id, d.taken_over_at, coalesce(d.held_by <> $4, false) as is_taken_over
            from deliveries d
           where d.status = 'queued' and d.company_id = line.company_id and d.provider_id = line.provider_id
             and d.next_attempt_at <= ${timeNow} and d.delivery_id >= $5 and d.delivery_id < $6
             and (d.held_by is null or (d.held_by = $4 and not d.delivery_id = any($7))
                  or (d.held_by <> $4 and $8
                      and pg_postmaster_start_time() < clock_timestamp() - ${graceSeconds} * interval '1 second'
                      and not exists (select 1 from workers w where w.worker_id = d.held_by and w.expires_at > ${timeNow})))
           order by d.next_attempt_at limit line.room for update skip locked) found
         -- No more than the rooms together, and said so that rows are looked up one by one.
         limit $11
      )
      update deliveries d
         set attempt = d.attempt + 1, held_by = $4,
             next_attempt_at = clock_timestamp() + ${leaseSeconds} * interval '1 second',
             taken_over_at = case when due.is_taken_over then coalesce(d.taken_over_at, clock_timestamp()) else d.taken_over_at end
        from due join verifications v on v.company_id = due.company_id and v.app_id = due.app_id and v.otp_id = due.otp_id
       where d.company_id = due.company_id and d.app_id = due.app_id and d.delivery_id = due.delivery_id and d.delivery_id >= $5 and d.delivery_id < $6
         and v.otp_id >= $9 and v.otp_id < $10
      returning d.app_id, d.delivery_id, d.company_id, d.otp_id, d.channel, d.provider_id, d.tried, d.reply_to, d.attempt,
                d.code_version, v.recipient, v.country, v.locale, v.data_key, v.code_length,
                due.is_taken_over, due.taken_over_at is not null as was_taken_over,
                case when d.give_up_at <= clock_timestamp() then 'expired'
                     when v.status <> 'pending' then 'finished'
                     when v.code_version <> d.code_version then 'superseded' end as stale_reason,
                extract(epoch from d.give_up_at - clock_timestamp())::integer as ttl_s`,
    values: [
      rooms.map((line) => line.companyId),
      rooms.map((line) => line.providerId),
      rooms.map((line) => line.room),
      workerId,
      ...boundsOf(span),
      held,
      mayTakeOver,
      lowestId('verification', span.fromMs),
      lowestId('verification', span.toMs),
      rooms.reduce((sum, { room }) => sum + room, 0),
    ],
  })
  return claimed.rows.map(dueOf)
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
  country: row.country,
  locale: row.locale,
  dataKey: row.data_key,
  codeLength: row.code_length,
  staleReason: row.stale_reason,
  ttlSeconds: row.ttl_s,
  takenOver: !row.is_taken_over ? 'no' : row.was_taken_over ? 'again' : 'once',
})
