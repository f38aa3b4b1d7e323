/** The settings of alerts: who is told what. Their owner is a company, or 'operator'. */
import { correctedMs } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/database.ts'
import type { Owner, Tenant } from '../../platform/tenant.ts'
import { previousSecretHours } from '../webhooks/index.ts'
import { forgetStates } from './state-store.ts'

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

export const stillSigns =
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

/**
 * Claims the owners whose turn it is, so that each is looked at by one node at a time. A turn that is further away than
 * the next one was set by a clock that has been put right.
 */
export async function takeTurns(
  queryable: Queryable,
  { everySeconds, most }: { readonly everySeconds: number; readonly most: number },
): Promise<StoredSettings[]> {
  const taken = await queryable.query<SettingsRow>({
    text: `update alert_settings s set next_at = clock_timestamp() + $1 * interval '1 second'
             from (select company_id from alert_settings /* every company: whose turn it is to be looked at */
                    where has_channels and (next_at <= clock_timestamp() or next_at > clock_timestamp() + 2 * $1 * interval '1 second')
                    order by next_at limit $2
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
  const recent = `array(select at from unnest(tested_at) at where at > clock_timestamp() - $2 * interval '1 second' and at <= clock_timestamp() + ${correctedMs} * interval '1 ms')`
  const taken = await tenant.query({
    text: `update alert_settings set tested_at = ${recent} || clock_timestamp()
            where company_id = $1 and cardinality(${recent}) < $3`,
    values: [windowSeconds, most],
  })
  return taken.rowCount === 1
}
