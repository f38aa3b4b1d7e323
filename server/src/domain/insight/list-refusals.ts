/** An app's refusals, newest first. */
import { type ListedRefusal, type RefusalsQuery, whyRefused } from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import { parseId } from '../../platform/ids.ts'
import { cutPage, parseCursor } from '../answers/index.ts'
import { formatMicros } from '../billing/index.ts'
import { type AppRef, getApp } from '../tenancy/index.ts'
import { boundsOfTime } from './list-verifications.ts'
import { type RefusalRow, readRefusals } from './refusal-store.ts'

/** A page that has looked at this many ends, full or not. */
const mostLookedAt = 20_000

export interface RefusalPage {
  readonly refusals: ListedRefusal[]
  readonly nextCursor: string | null
}

export async function listRefusals(
  { database }: { readonly database: Database },
  app: AppRef,
  query: RefusalsQuery,
): Promise<RefusalPage> {
  const { limit, rule = null, type: errorType = null, country = null, from, to } = query
  const cursor = parseCursor(query.cursor ?? null, (id) => parseId('refusal', id))
  const { companyId, appId } = await getApp({ database }, app)
  const { since, before } = boundsOfTime('refusal', { from, to, cursor })
  const request = { since, before, rule, errorType, country, limit: limit + 1, mostLookedAt }
  const { rows, edge } = await readRefusals(database.of(companyId), appId, request)
  const page = cutPage(rows, limit, ({ refusal_id }) => refusal_id)
  return { refusals: page.rows.map(listedRefusal), nextCursor: page.nextCursor ?? edge }
}

export const listedRefusal = (row: RefusalRow): ListedRefusal => ({
  refusal_id: row.refusal_id,
  kind: row.kind,
  otp_id: row.otp_id,
  error_type: row.error_type,
  rule: row.rule,
  why: whyRefused(row.rule, row.facts),
  facts: row.facts,
  masked_recipient: row.masked_recipient,
  country: row.country,
  channel: row.channel,
  key_id: row.key_id,
  client_ip: row.client_ip,
  price: row.price_micros === null ? null : formatMicros(row.price_micros),
  count: Number(row.count),
  created_at: row.created_at.toISOString(),
})
