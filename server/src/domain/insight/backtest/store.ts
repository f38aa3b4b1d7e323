/** Recorded sends in the order of time, a bite at a time: what a backtest reads is bounded by the rows it may look at. */
import type { KeyKind, RecipientType, RuleFacts } from '@countersign/contract'
import type { Tenant } from '../../../platform/database.ts'
import type { AppId } from '../../../platform/ids.ts'
import type { Recorded } from './recorded.ts'

export interface Bite {
  readonly recorded: readonly Recorded[]
  /** The last one that was read; null where nothing is left. */
  readonly last: string | null
}

interface Row {
  decision_id: string
  otp_id: string
  kind: 'send' | 'resend'
  key_kind: KeyKind | null
  created_at: Date
  /** Null where retention has taken the verification. */
  recipient_type: RecipientType | null
  country: string | null
  masked_recipient: string
  recipient_hash: Buffer | null
  recipient: Buffer | null
  ip_key: string | null
  is_approved: boolean
  routing: RuleFacts['routing'] | null
  reputation: RuleFacts['ip_reputation'] | null
  spend_micros: bigint | null
  is_returned: boolean | null
}

/** A message has the time of its decision in its id. */
const sameTime = `'dlv_' || substr(d.decision_id, 5, 10)`

export async function readBite(
  tenant: Tenant,
  appId: AppId,
  { after, before, limit, hasNumber }: { after: string; before: string; limit: number; hasNumber: boolean },
): Promise<Bite> {
  const found = await tenant.query<Row>({
    text: `
      select d.decision_id, d.otp_id, d.kind, d.key_kind, d.created_at, v.recipient_type, v.country, v.masked_recipient,
             v.recipient_hash, ${hasNumber ? 'v.recipient' : 'null::bytea as recipient'}, v.ip_key, v.status = 'approved' as is_approved,
             jsonb_path_query_first(j.rules, '$[*] ? (@.rule == "routing").facts') as routing,
             jsonb_path_query_first(j.rules, '$[*] ? (@.rule == "ip_reputation").facts') as reputation,
             m.spend_micros, m.charge = 'returned' as is_returned
        from (select * from decisions
               where company_id = $1 and app_id = $2 and decision_id > $3 and decision_id < $4
               order by decision_id limit $5) d
       cross join lateral (select d.rules::jsonb as rules) j
        left join lateral (
          select * from verifications where company_id = $1 and app_id = $2 and otp_id = d.otp_id limit 1) v on true
        left join lateral (
          select spend_micros, charge from deliveries
           where company_id = $1 and app_id = $2 and otp_id = d.otp_id
             and delivery_id >= ${sameTime} and delivery_id < ${sameTime} || '~' limit 1) m on true
       order by d.decision_id`,
    values: [appId, after, before, limit],
  })
  const last = found.rows.length < limit ? null : (found.rows.at(-1)?.decision_id ?? null)
  return { recorded: found.rows.flatMap(recordedOf), last }
}

const recordedOf = ({ recipient_type: recipientType, ...row }: Row): Recorded[] =>
  recipientType === null
    ? []
    : [
        {
          decisionId: row.decision_id,
          kind: row.kind,
          otpId: row.otp_id,
          atMs: row.created_at.getTime(),
          keyKind: row.key_kind,
          recipientType,
          country: row.country,
          maskedRecipient: row.masked_recipient,
          recipientHash: row.recipient_hash,
          recipient: row.recipient,
          ipKey: row.ip_key,
          reputation: row.reputation,
          routing: row.routing,
          priceMicros: row.spend_micros,
          costMicros: row.is_returned ? 0n : (row.spend_micros ?? 0n),
          isApproved: row.is_approved,
        },
      ]

/** The id that is `rows` before this one, or the first: how far back so many rows reach. */
export async function findBefore(
  tenant: Tenant,
  appId: AppId,
  { id, since, rows }: { readonly id: string; readonly since: string; readonly rows: number },
): Promise<string> {
  const found = await tenant.query<{ decision_id: string }>({
    text: `select decision_id from decisions
            where company_id = $1 and app_id = $2 and decision_id < $3 and decision_id >= $4
            order by decision_id desc offset $5 limit 1`,
    values: [appId, id, since, rows],
  })
  return found.rows[0]?.decision_id ?? since
}

/** When each of these people was first approved in the app, of what is kept. */
export async function readFirstApprovals(
  tenant: Tenant,
  appId: AppId,
  hashes: readonly Buffer[],
): Promise<Map<string, number>> {
  const found = await tenant.query<{ recipient_hash: Buffer; first: Date | null }>({
    text: `select wanted.recipient_hash, approved.first
             from unnest($3::bytea[]) wanted (recipient_hash)
            cross join lateral (select min(verified_at) as first from verifications v
                                 where v.company_id = $1 and v.recipient_hash = wanted.recipient_hash
                                   and v.app_id = $2 and v.status = 'approved') approved`,
    values: [appId, hashes],
  })
  return new Map(
    found.rows.flatMap((row) =>
      row.first ? [[row.recipient_hash.toString('base64'), row.first.getTime()]] : [],
    ),
  )
}
