/** An app's refusals, newest first. */
import { type ListedRefusal, type RefusalsQuery, whyRefused } from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import { parseId } from '../../platform/ids.ts'
import { cutPage, parseCursor } from '../answers/index.ts'
import { formatMicros } from '../billing/index.ts'
import { type AppRef, getApp } from '../tenancy/index.ts'
import { boundsOfTime } from './list-verifications.ts'
import { type RecordedRefusal, readRefusals } from './refusal-store.ts'

/** A page that has looked at this many rows ends, full or not. */
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
  const page = cutPage(rows, limit, ({ refusalId }) => refusalId)
  return { refusals: page.rows.map(listedRefusal), nextCursor: page.nextCursor ?? edge }
}

export const listedRefusal = (refusal: RecordedRefusal): ListedRefusal => ({
  refusal_id: refusal.refusalId,
  kind: refusal.kind,
  otp_id: refusal.otpId,
  error_type: refusal.errorType,
  rule: refusal.rule,
  why: whyRefused(refusal.rule, refusal.facts),
  facts: refusal.facts,
  masked_recipient: refusal.maskedRecipient,
  country: refusal.country,
  channel: refusal.channel,
  key_id: refusal.keyId,
  client_ip: refusal.clientIp,
  price: refusal.priceMicros === null ? null : formatMicros(refusal.priceMicros),
  count: refusal.count,
  created_at: refusal.createdAt.toISOString(),
})
