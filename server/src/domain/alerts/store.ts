/** Settings, states and notices of alerts. Their owner is a company, or 'operator'. */
import type { AlertRuleName } from '@countersign/contract'
import { bulkOf } from '../../platform/bulk.ts'
import type { Queryable } from '../../platform/database.ts'
import type { Owner, Tenant } from '../../platform/tenant.ts'
import { previousSecretHours } from '../webhooks/index.ts'
import type { Alert, Finding } from './alert.ts'

export interface StoredSettings {
  readonly ownerId: Owner
  /** Sealed, since they are addresses of people, and of hooks that take whatever is posted to them. */
  readonly channels: Buffer
  readonly rules: unknown
  readonly secret: Buffer | null
  /** Also null once it no longer signs. */
  readonly previousSecret: Buffer | null
}

interface SettingsRow {
  company_id: Owner
  channels: Buffer
  rules: unknown
  secret: Buffer | null
  previous_secret: Buffer | null
}

const stillSigns =
  'case when s.previous_until > clock_timestamp() then s.previous_secret end as previous_secret'
const columns = `s.company_id, s.channels, s.rules, s.secret, ${stillSigns}`

const settingsOf = (row: SettingsRow): StoredSettings => ({
  ownerId: row.company_id,
  channels: row.channels,
  rules: row.rules,
  secret: row.secret,
  previousSecret: row.previous_secret,
})

export async function findSettings(tenant: Tenant<Owner>): Promise<StoredSettings | undefined> {
  const found = await tenant.query<SettingsRow>({
    text: `select ${columns} from alert_settings s where s.company_id = $1`,
  })
  return found.rows[0] && settingsOf(found.rows[0])
}

/**
 * Whether there is still somebody to be told. Until the caller's transaction ends, nobody removes the last channel, or
 * the states that the caller writes would stay after those of the removal were deleted.
 */
export async function holdChannels(tenant: Tenant<Owner>): Promise<boolean> {
  const found = await tenant.query({
    text: 'select 1 from alert_settings where company_id = $1 and has_channels for share',
  })
  return found.rowCount === 1
}

/** If nobody is to be told, the checks do not run, and stored states would be out of date. */
export async function forgetStates(tenant: Tenant<Owner>): Promise<void> {
  await tenant.query({ text: 'delete from alert_states where company_id = $1' })
}

/** Called when a company is closed: notices that are being sent find no channel. */
export async function forgetOwner(tenant: Tenant): Promise<void> {
  // First and by itself: it waits for a look under way, whose states the statements after it then see.
  await tenant.query({ text: 'delete from alert_settings where company_id = $1' })
  await forgetStates(tenant)
  await tenant.query({ text: 'delete from alert_notices where company_id = $1' })
}

/** Keeps an existing secret. Returns whether the given one was taken. */
export async function putSettings(
  tenant: Tenant<Owner>,
  settings: Omit<StoredSettings, 'ownerId' | 'previousSecret'> & { readonly hasChannels: boolean },
): Promise<boolean> {
  const put = await tenant.query<{ is_taken: boolean }>({
    text: `insert into alert_settings as s (company_id, channels, rules, secret, has_channels)
           values ($1, $2, $3, $4, $5)
           on conflict (company_id) do update
              set channels = excluded.channels, rules = excluded.rules, secret = coalesce(s.secret, excluded.secret),
                  has_channels = excluded.has_channels, next_at = clock_timestamp()
           returning secret = $4 as is_taken`,
    values: [settings.channels, JSON.stringify(settings.rules), settings.secret, settings.hasChannels],
  })
  return put.rows[0]?.is_taken ?? false
}

/** False if there is no secret yet. The previous secret also signs for a day; an older one does not. */
export async function rotateSecret(tenant: Tenant<Owner>, secret: Buffer): Promise<boolean> {
  const rotated = await tenant.query({
    text: `update alert_settings
              set previous_secret = secret, previous_until = clock_timestamp() + ${previousSecretHours} * interval '1 hour', secret = $2
            where company_id = $1 and secret is not null`,
    values: [secret],
  })
  return rotated.rowCount === 1
}

/** Claims the owners whose turn it is, so that each is looked at by one node at a time. */
export async function takeTurns(
  queryable: Queryable,
  { everySeconds, most }: { readonly everySeconds: number; readonly most: number },
): Promise<StoredSettings[]> {
  const taken = await queryable.query<SettingsRow>({
    text: `update alert_settings s set next_at = clock_timestamp() + $1 * interval '1 second'
             from (select company_id from alert_settings /* every company: whose turn it is to be looked at */
                    where has_channels and next_at <= clock_timestamp() order by next_at limit $2
                      for update skip locked) due
            where s.company_id = due.company_id returning ${columns}`,
    values: [everySeconds, most],
  })
  return taken.rows.map(settingsOf)
}

/** False if alerts were tested as often as they may be. It is one statement, so that calls at once do not race. */
export async function takeTest(
  tenant: Tenant<Owner>,
  { most, windowSeconds }: { readonly most: number; readonly windowSeconds: number },
): Promise<boolean> {
  const recent = `array(select at from unnest(tested_at) at where at > clock_timestamp() - $2 * interval '1 second')`
  const taken = await tenant.query({
    text: `update alert_settings set tested_at = ${recent} || clock_timestamp()
            where company_id = $1 and cardinality(${recent}) < $3`,
    values: [windowSeconds, most],
  })
  return taken.rowCount === 1
}

interface AlertRow {
  rule: AlertRuleName
  subject: string
  severity: Alert['severity']
  message: string
  since: Date
}

export async function listAlerts(tenant: Tenant<Owner>): Promise<Alert[]> {
  const found = await tenant.query<AlertRow>({
    text: `select rule, subject, severity, message, since from alert_states where company_id = $1
            order by since desc, rule, subject limit 1000`,
  })
  return found.rows
}

const findings = bulkOf<Finding>(
  {
    rule: ['text', (row) => row.rule],
    subject: ['text', (row) => row.subject],
    severity: ['text', (row) => row.severity],
    message: ['text', (row) => row.message],
  },
  2,
)

/** Returns which states have begun and which are over. If two nodes find a state at once, only one of them is told. */
export async function changeStates(
  tenant: Tenant<Owner>,
  found: readonly Finding[],
  clearSeconds: number,
): Promise<{ begun: Alert[]; over: Alert[] }> {
  const changed = await tenant.query<AlertRow & { is_begun: boolean }>({
    text: `
      with row as (select ${findings.names} from ${findings.source}),
      seen as (
        insert into alert_states as s (company_id, rule, subject, severity, message)
        select $1, rule, subject, severity, message from row order by rule, subject
        on conflict (company_id, rule, subject) do update
           set seen_at = clock_timestamp(), severity = excluded.severity, message = excluded.message
        returning s.*, xmax = 0 as is_begun
      ), over as (
        delete from alert_states s
         where s.company_id = $1 and s.seen_at < clock_timestamp() - $${findings.next} * interval '1 second'
           and not exists (select 1 from row where row.rule = s.rule and row.subject = s.subject)
        returning s.*
      )
      select rule, subject, severity, message, since, true as is_begun from seen where is_begun
       union all
      select rule, subject, severity, message, since, false from over`,
    values: [...findings.values(found), clearSeconds],
  })
  const begun = changed.rows.filter(({ is_begun }) => is_begun)
  return { begun, over: changed.rows.filter(({ is_begun }) => !is_begun) }
}

export interface Notice {
  readonly noticeId: string
  readonly rule: string
  readonly subject: string
  readonly isRecovery: boolean
  /** False for a recovery that only cancels a notice which was not sent yet. */
  readonly isToBeSent: boolean
  /** The channel, sealed. */
  readonly channel: Buffer
  /** Equal for the same channel, to find the notice that a recovery cancels. */
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
  readonly channelKey: string
  readonly body: string
  readonly attempt: number
  readonly secret: Buffer | null
  readonly previousSecret: Buffer | null
  /** The channels that are set now, sealed; null if none are set any more. */
  readonly channels: Buffer | null
}

/** Claims notices with a lease: if the node dies, another one tries again. */
export async function claimNotices(
  queryable: Queryable,
  { leaseSeconds, most }: { readonly leaseSeconds: number; readonly most: number },
): Promise<DueNotice[]> {
  const claimed = await queryable.query<{
    company_id: Owner
    notice_id: string
    channel: Buffer
    channel_key: string
    body: string
    attempt: number
    secret: Buffer | null
    previous_secret: Buffer | null
    channels: Buffer | null
  }>({
    text: `
      with due as (
        select company_id, notice_id from alert_notices /* every company: what is to be told now */
         where next_attempt_at <= clock_timestamp() order by next_attempt_at limit $2 for update skip locked
      )
      update alert_notices n
         set attempt = n.attempt + 1, next_attempt_at = clock_timestamp() + $1 * interval '1 second'
        from due left join alert_settings s on s.company_id = due.company_id
       where n.company_id = due.company_id and n.notice_id = due.notice_id
      returning n.company_id, n.notice_id, n.channel, n.channel_key, n.body, n.attempt,
                s.secret, ${stillSigns}, s.channels`,
    values: [leaseSeconds, most],
  })
  return claimed.rows.map((row) => ({
    ownerId: row.company_id,
    noticeId: row.notice_id,
    channel: row.channel,
    channelKey: row.channel_key,
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
