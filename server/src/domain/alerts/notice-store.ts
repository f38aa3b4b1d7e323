/** Notices of alerts that are to be sent. */
import { bulkOf } from '../../platform/bulk.ts'
import { type Queryable, timeNow } from '../../platform/database.ts'
import type { Owner, Tenant } from '../../platform/tenant.ts'
import { stillSigns } from './store.ts'

export interface Notice {
  readonly noticeId: string
  readonly rule: string
  readonly subject: string
  readonly isRecovery: boolean
  /** False for a recovery that only cancels a notice which was not sent yet. */
  readonly isToBeSent: boolean
  /** The channel, sealed. */
  readonly channel: Buffer
  /** A keyed hash of the channel, to find the notice that a recovery cancels: each time it is sealed differently. */
  readonly channelKey: string
  readonly body: string
  readonly afterMs: number
}

const notices = bulkOf<Notice>(
  {
    notice_id: ['text', (row) => row.noticeId],
    rule: ['text', (row) => row.rule],
    subject: ['text', (row) => row.subject],
    is_recovery: ['boolean', (row) => row.isRecovery],
    is_told: ['boolean', (row) => row.isToBeSent],
    channel: ['bytea', (row) => row.channel],
    channel_key: ['text', (row) => row.channelKey],
    body: ['text', (row) => row.body],
    after_ms: ['float8', (row) => row.afterMs],
  },
  2,
)

/** A recovery cancels a notice that was not sent yet, and is then not sent either. */
export async function addNotices(tenant: Tenant<Owner>, rows: readonly Notice[]): Promise<void> {
  if (rows.length === 0) return
  await tenant.query({
    text: `
      with row as (select ${notices.names} from ${notices.source}),
      taken_back as (
        delete from alert_notices n using row
         where n.company_id = $1 and row.is_recovery and not n.is_recovery and n.sent_at is null and n.attempt = 0
           and n.rule = row.rule and n.subject = row.subject and n.channel_key = row.channel_key
        returning n.rule, n.subject, n.channel_key
      )
      insert into alert_notices (company_id, notice_id, rule, subject, is_recovery, channel, channel_key, body, next_attempt_at)
      select $1, notice_id, rule, subject, is_recovery, channel, channel_key, body, clock_timestamp() + after_ms * interval '1 millisecond'
        from row
       where is_told and not exists (select 1 from taken_back t
                          where row.is_recovery and t.rule = row.rule and t.subject = row.subject and t.channel_key = row.channel_key)`,
    values: notices.values(rows),
  })
}

export interface DueNotice {
  readonly ownerId: Owner
  readonly noticeId: string
  readonly channel: Buffer
  readonly body: string
  readonly attempt: number
  readonly secret: Buffer | null
  readonly previousSecret: Buffer | null
  /** The channels that are set now, sealed; null if none are set any more. */
  readonly channels: Buffer | null
}

/** Quiet hours last for less than this, so a notice that waits for longer was made by a clock that has been put right. */
const longestHours = 25
const isDue = `(n.next_attempt_at <= ${timeNow} or n.next_attempt_at > ${timeNow} + interval '${longestHours} hours')`

/**
 * Claims notices with a lease: if the node dies, another one tries again. Owners take turns, so that one whose channels
 * take long, or who has much to be told of, delays the others by a round at most.
 */
export async function claimNotices(
  queryable: Queryable,
  { leaseSeconds, most }: { readonly leaseSeconds: number; readonly most: number },
): Promise<DueNotice[]> {
  const claimed = await queryable.query<{
    company_id: Owner
    notice_id: string
    channel: Buffer
    body: string
    attempt: number
    secret: Buffer | null
    previous_secret: Buffer | null
    channels: Buffer | null
  }>({
    text: `
      with ranked as (
        select company_id, notice_id,
               row_number() over (partition by company_id order by next_attempt_at) as turn, next_attempt_at
          from alert_notices n /* every company: what is to be told now */
         where ${isDue}
      ), due as (
        select n.company_id, n.notice_id from alert_notices n join ranked using (company_id, notice_id)
         -- Again, since another node may have claimed it meanwhile.
         where ${isDue}
         order by ranked.turn, ranked.next_attempt_at limit $2 for update of n skip locked
      )
      update alert_notices n
         set attempt = n.attempt + 1, next_attempt_at = clock_timestamp() + $1 * interval '1 second'
        from due left join alert_settings s on s.company_id = due.company_id
       where n.company_id = due.company_id and n.notice_id = due.notice_id
      returning n.company_id, n.notice_id, n.channel, n.body, n.attempt,
                s.secret, ${stillSigns}, s.channels`,
    values: [leaseSeconds, most],
  })
  return claimed.rows.map((row) => ({
    ownerId: row.company_id,
    noticeId: row.notice_id,
    channel: row.channel,
    body: row.body,
    attempt: row.attempt,
    secret: row.secret,
    previousSecret: row.previous_secret,
    channels: row.channels,
  }))
}

/** With `afterSeconds` null, the notice is sent or given up. */
export async function finishNotice(
  tenant: Tenant<Owner>,
  noticeId: string,
  { isSent, afterSeconds }: { readonly isSent: boolean; readonly afterSeconds: number | null },
): Promise<void> {
  await tenant.query({
    text: `update alert_notices
              set sent_at = case when $3 then clock_timestamp() end,
                  next_attempt_at = case when $4::float8 is null then null else clock_timestamp() + $4 * interval '1 second' end
            where company_id = $1 and notice_id = $2`,
    values: [noticeId, isSent, afterSeconds],
  })
}
