/** Recorded sends in the order of time, a chunk at a time: a backtest reads no more rows than it may look at. */
import type { ChannelName, KeyKind, RecipientType, RuleFacts } from '@countersign/contract'
import type { Tenant } from '../../../platform/database.ts'
import { type AppId, idPrefixes } from '../../../platform/ids.ts'
import { parseClientIp } from '../../guard/index.ts'
import type { Recorded } from './recorded.ts'

export interface Chunk {
  readonly recorded: readonly Recorded[]
  /** The position of the last row that was read; null if nothing is left. */
  readonly last: string | null
}

/** What lies between two positions, neither included. */
export interface Range {
  readonly after: string
  readonly before: string
}

interface ChunkRequest extends Range {
  readonly limit: number
  readonly hasNumber: boolean
}

/** Reads sends and refusals together, in the order of time. */
export async function readChunk(tenant: Tenant, appId: AppId, request: ChunkRequest): Promise<Chunk> {
  const [sent, refused] = await Promise.all([
    readSent(tenant, appId, request),
    readRefused(tenant, appId, request),
  ])
  const found = [...sent, ...refused].sort((left, right) => (left.position < right.position ? -1 : 1))
  const chunk = found.slice(0, request.limit)
  return {
    recorded: chunk.flatMap(({ recorded }) => recorded ?? []),
    last: chunk.length < request.limit ? null : (chunk.at(-1)?.position ?? null),
  }
}

interface Positioned {
  readonly position: string
  /** Null for a row that can no longer be looked at. */
  readonly recorded: Recorded | null
}

const positionOf = (id: string) => id.slice(id.indexOf('_') + 1)
const idAt = (kind: 'decision' | 'refusal', position: string) => `${idPrefixes[kind]}_${position}`

interface SentRow {
  decision_id: string
  otp_id: string
  kind: 'send' | 'resend'
  key_kind: KeyKind | null
  created_at: Date
  /** Null if retention has deleted the verification. */
  recipient_type: RecipientType | null
  country: string | null
  masked_recipient: string
  recipient_hash: Buffer | null
  recipient: Buffer | null
  client_ip: string | null
  ip_key: string | null
  is_approved: boolean
  routing: RuleFacts['routing'] | null
  reputation: RuleFacts['ip_reputation'] | null
  spend_micros: bigint | null
  is_returned: boolean | null
}

/** The id of a message contains the time of its decision. */
const sameTime = `'dlv_' || substr(d.decision_id, 5, 10)`

async function readSent(
  tenant: Tenant,
  appId: AppId,
  { after, before, limit, hasNumber }: ChunkRequest,
): Promise<Positioned[]> {
  const found = await tenant.query<SentRow>({
    text: `
      select d.decision_id, d.otp_id, d.kind, d.key_kind, d.created_at, v.recipient_type, v.country, v.masked_recipient,
             v.recipient_hash, ${hasNumber ? 'v.recipient' : 'null::bytea as recipient'}, host(v.client_ip) as client_ip, v.ip_key, v.status = 'approved' as is_approved,
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
    values: [appId, idAt('decision', after), idAt('decision', before), limit],
  })
  return found.rows.map((row) => ({ position: positionOf(row.decision_id), recorded: recordedOf(row) }))
}

function recordedOf({ recipient_type: recipientType, ...row }: SentRow): Recorded | null {
  if (recipientType === null) return null
  return {
    position: positionOf(row.decision_id),
    kind: row.kind,
    otpId: row.otp_id,
    atMs: row.created_at.getTime(),
    keyKind: row.key_kind,
    recipientType,
    country: row.country,
    maskedRecipient: row.masked_recipient,
    recipientHash: row.recipient_hash,
    recipient: row.recipient,
    clientIp: row.client_ip,
    ipKey: row.ip_key,
    reputation: row.reputation,
    routing: row.routing,
    priceMicros: row.spend_micros,
    costMicros: row.is_returned ? 0n : (row.spend_micros ?? 0n),
    isApproved: row.is_approved,
    refused: null,
  }
}

interface RefusedRow {
  refusal_id: string
  kind: 'send' | 'resend'
  otp_id: string | null
  rule: string
  facts: unknown
  masked_recipient: string
  /** Null once the recipient has been erased, and for a text that was no recipient. */
  recipient_hash: Buffer | null
  country: string | null
  channel: ChannelName | null
  key_kind: KeyKind | null
  client_ip: string | null
  price_micros: bigint | null
  count: bigint
  created_at: Date
}

async function readRefused(
  tenant: Tenant,
  appId: AppId,
  { after, before, limit }: ChunkRequest,
): Promise<Positioned[]> {
  const found = await tenant.query<RefusedRow>({
    text: `
      select r.refusal_id, r.kind, r.otp_id, r.rule, r.facts, r.masked_recipient, r.recipient_hash, r.country, r.channel,
             k.kind as key_kind, host(r.client_ip) as client_ip, r.price_micros, r.count, r.created_at
        from refusals r
        left join keys k on k.company_id = $1 and k.app_id = $2 and k.key_id = r.key_id
       where r.company_id = $1 and r.app_id = $2 and r.refusal_id > $3 and r.refusal_id < $4
       order by r.refusal_id limit $5`,
    values: [appId, idAt('refusal', after), idAt('refusal', before), limit],
  })
  return found.rows.map((row) => ({
    position: positionOf(row.refusal_id),
    recorded: row.recipient_hash === null ? null : recordedRefusal(row),
  }))
}

/** Less is known of a refusal: no number, the reputation only if that refused, and of the route only the channel. */
function recordedRefusal(row: RefusedRow): Recorded {
  const parsed = row.client_ip === null ? null : parseClientIp(row.client_ip)
  const count = Number(row.count)
  return {
    position: positionOf(row.refusal_id),
    kind: row.kind,
    otpId: row.otp_id,
    atMs: row.created_at.getTime(),
    keyKind: row.key_kind,
    recipientType: row.masked_recipient.includes('@') ? 'email' : 'phone',
    country: row.country,
    maskedRecipient: row.masked_recipient,
    recipientHash: row.recipient_hash,
    recipient: null,
    clientIp: parsed?.kind === 'usable' ? parsed.ip.address : null,
    ipKey: parsed?.kind === 'usable' ? parsed.ip.limitKey : null,
    reputation: reputationOf(row),
    routing: row.channel && { ...chosen, channel: row.channel, order: [row.channel] },
    priceMicros: row.price_micros === null ? null : row.price_micros / BigInt(count),
    costMicros: row.price_micros ?? 0n,
    isApproved: false,
    refused: { rule: row.rule, count },
  }
}

const chosen = { because: 'chosen' as const, as: 'message' as const, left_out: [] }

function reputationOf({ client_ip, rule, facts }: RefusedRow): Recorded['reputation'] {
  if (client_ip === null) return { because: 'no_client_ip' }
  // The facts of a row have the shape that its rule wrote.
  return rule === 'ip_reputation' ? (facts as RuleFacts['ip_reputation']) : null
}

/** The position that is `rows` sends, or `rows` refusals, before this one, whichever is later; at the earliest `since`. */
export async function positionBefore(
  tenant: Tenant,
  appId: AppId,
  { position, since, rows }: { readonly position: string; readonly since: string; readonly rows: number },
): Promise<string> {
  const before = (kind: 'decision' | 'refusal') =>
    tenant.query<{ id: string }>({
      text: `select ${kind}_id as id from ${kind}s
              where company_id = $1 and app_id = $2 and ${kind}_id < $3 and ${kind}_id >= $4
              order by ${kind}_id desc offset $5 limit 1`,
      values: [appId, idAt(kind, position), idAt(kind, since), rows],
    })
  const found = await Promise.all([before('decision'), before('refusal')])
  return found
    .flatMap((one) => one.rows.map(({ id }) => positionOf(id)))
    .reduce((far, one) => (one > far ? one : far), since)
}

/** When each of these people was first approved in the app, within retention. */
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
