/** An invented past: any number of verifications and messages, written directly into the tables. */
import { randomBytes } from 'node:crypto'
import { type IdKind, lowestId, newId } from '../../src/platform/ids.ts'
import type { TestDatabase } from './database.ts'

const dayMs = 86_400_000
const idKinds: Readonly<Record<string, IdKind>> = {
  verifications: 'verification',
  deliveries: 'delivery',
  events: 'event',
  decisions: 'decision',
  event_attempts: 'event',
}

/** Makes partitions for past days; a node only makes those from yesterday on. */
export async function makePastDays(database: TestDatabase, days: number): Promise<void> {
  const today = Math.floor(Date.now() / dayMs) * dayMs
  for (let day = -days; day < -1; day++) await makePastDay(database, today + day * dayMs)
}

export async function makePastDay(database: TestDatabase, start: number): Promise<void> {
  const suffix = new Date(start).toISOString().slice(0, 10).replaceAll('-', '')
  for (const [table, idKind] of Object.entries(idKinds)) {
    await database.query(
      `create table if not exists ${table}_${suffix} partition of ${table}
         for values from ('${lowestId(idKind, start)}') to ('${lowestId(idKind, start + dayMs)}')`,
    )
  }
}

export interface Seeded {
  readonly atMs: number
  readonly channel?: string
  readonly country?: string | null
  readonly status?: 'pending' | 'approved' | 'failed'
  readonly approvedAfterMs?: number
  /** Null means that there is no message. */
  readonly message?: { readonly status: string; readonly priceMicros: number; readonly atMs?: number } | null
  readonly messageChannel?: string
  readonly providerId?: string
  readonly errorCode?: string
}

const rowsAtOnce = 10_000
const countryOf = ({ country }: Seeded) => (country === undefined ? 'GB' : country)

/** Returns the ids in the given order. */
export async function seedVerifications(
  database: TestDatabase,
  owner: { readonly companyId: string; readonly appId: string },
  seeded: readonly Seeded[],
): Promise<string[]> {
  const rows = seeded.map((one) => ({ ...one, otpId: newId('verification', one.atMs) }))
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const part = rows.slice(start, start + rowsAtOnce)
    await database.query(
      `insert into verifications (app_id, otp_id, company_id, status, recipient_type, recipient_hash, masked_recipient,
              country, locale, channel, data_key, code_version, code_length, code_mac, max_attempts, max_sends,
              created_at, expires_at, resend_at, verified_at, event_id)
       select $1, otp_id, $2, status, 'phone', recipient_hash, '+44****00', country, 'en', channel, 1, 1, 6, '\\x00', 5, 5,
              at, at + interval '10 minutes', at, case when status = 'approved' then coalesce(verified_at, at) end,
              case when status <> 'pending' then 'evt_' || substr(otp_id, 5) end
         from unnest($3::text[], $4::text[], $5::bytea[], $6::text[], $7::text[], $8::timestamptz[], $9::timestamptz[])
              row (otp_id, status, recipient_hash, country, channel, at, verified_at)`,
      [
        owner.appId,
        owner.companyId,
        part.map((row) => row.otpId),
        part.map((row) => row.status ?? (row.approvedAfterMs === undefined ? 'pending' : 'approved')),
        part.map(() => randomBytes(16)),
        part.map(countryOf),
        part.map((row) => row.channel ?? 'sms'),
        part.map((row) => new Date(row.atMs)),
        part.map((row) =>
          row.approvedAfterMs === undefined ? null : new Date(row.atMs + row.approvedAfterMs),
        ),
      ],
    )
    const sent = part.filter((row) => row.message)
    await database.query(
      `insert into deliveries (app_id, delivery_id, company_id, otp_id, channel, country, provider_id, code_version, status,
              next_attempt_at, give_up_at, price_micros, charge, error_code, created_at, updated_at, event_id)
       select $1, delivery_id, $2, otp_id, channel, country, provider_id, 1, status, case when status = 'queued' then at end, at, price_micros,
              case status when 'queued' then 'reserved' when 'failed' then 'returned' else 'captured' end, error_code, at, at,
              case when status in ('delivered', 'failed') then 'evt_' || substr(delivery_id, 5) end
         from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[], $10::timestamptz[], $11::text[])
              row (delivery_id, otp_id, channel, provider_id, status, price_micros, error_code, at, country)`,
      [
        owner.appId,
        owner.companyId,
        sent.map((row) => newId('delivery', row.message?.atMs ?? row.atMs)),
        sent.map((row) => row.otpId),
        sent.map((row) => row.messageChannel ?? row.channel ?? 'sms'),
        sent.map((row) => row.providerId ?? 'capture-sms'),
        sent.map((row) => row.message?.status),
        sent.map((row) => row.message?.priceMicros),
        sent.map((row) => row.errorCode ?? (row.message?.status === 'failed' ? 'refused' : null)),
        sent.map((row) => new Date(row.message?.atMs ?? row.atMs)),
        sent.map(countryOf),
      ],
    )
  }
  return rows.map((row) => row.otpId)
}
