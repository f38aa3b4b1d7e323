/** An app's verifications, newest first. A page that has reached the bound of its search ends, full or not. */
import type { ListedVerification, VerificationsQuery } from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import { aboveAllIds, type IdKind, lowestId, parseId, timeOfId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { assertForward, cutPage, parseCursor } from '../answers/index.ts'
import { type AppRef, getApp } from '../tenancy/index.ts'
import { hashOfWritten } from '../verification/index.ts'
import {
  type MessageTrouble,
  readDeliveryStatuses,
  readVerifications,
  type VerificationOfPage,
} from './list-store.ts'

const mostLookedAt = 20_000

export interface VerificationPage {
  readonly verifications: ListedVerification[]
  readonly nextCursor: string | null
  readonly searchedTo: Date | null
}

export async function listVerifications(
  { database, keyring }: { readonly database: Database; readonly keyring: () => Keyring },
  app: AppRef,
  query: VerificationsQuery,
): Promise<VerificationPage> {
  const { companyId, appId } = await getApp({ database }, app)
  const tenant = database.of(companyId)
  const { limit, recipient, status = null, channel = null, country = null } = query
  const { rows: found, edge } = await readVerifications(tenant, appId, {
    ...boundsOf(query),
    recipientHash: recipient === undefined ? null : hashOfWritten(keyring(), recipient, country),
    status,
    channel,
    // Beside a recipient, `country` says how the number is dialled and is not a filter: the number itself may belong to
    // an island with a code of its own.
    country: recipient === undefined ? country : null,
    trouble: troubleIn(query),
    limit: limit + 1,
    mostLookedAt,
  })
  const page = cutPage(found, limit, ({ otpId }) => otpId)
  const statuses = await readDeliveryStatuses(
    tenant,
    appId,
    page.rows.map(({ otpId }) => otpId),
  )
  const nextCursor = page.nextCursor ?? edge
  return {
    verifications: page.rows.map((row) => listed(row, statuses.get(row.otpId) ?? null)),
    nextCursor,
    searchedTo: nextCursor === null ? null : new Date(timeOfId(nextCursor)),
  }
}

/** A code alone means messages that have it, failed or not. */
function troubleIn({ problem, error_code }: VerificationsQuery): MessageTrouble | null {
  const code = error_code ?? null
  return problem || code !== null ? { problem: problem ?? 'error', code } : null
}

/** Times and the cursor become bounds of ids, which are in the order of time. */
function boundsOf({ cursor: text, otp_id: wanted, from, to }: VerificationsQuery): {
  since: string
  before: string
} {
  const cursor = parseCursor(text ?? null, (id) => parseId('verification', id))
  const { since, before: next } = boundsOfTime('verification', { from, to, cursor })
  if (wanted === undefined) return { since, before: next }
  if (!parseId('verification', wanted)) return { since: next, before: next }
  // There is no other id between an id and the same id with one more character.
  return { since: wanted > since ? wanted : since, before: `${wanted}0` < next ? `${wanted}0` : next }
}

interface TimeQuery {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly cursor: string | null
}

export function boundsOfTime(
  idKind: IdKind,
  { from, to, cursor }: TimeQuery,
): { since: string; before: string } {
  if (from !== undefined && to !== undefined) assertForward(Date.parse(from), Date.parse(to))
  const since = lowestId(idKind, from === undefined ? 0 : timeOf(from))
  const before = to === undefined ? aboveAllIds(idKind) : lowestId(idKind, timeOf(to))
  return { since, before: cursor !== null && cursor < before ? cursor : before }
}

const timeOf = (text: string) => Math.max(0, Date.parse(text))

export const listed = (
  row: VerificationOfPage,
  deliveryStatus: ListedVerification['delivery_status'],
): ListedVerification => ({
  otp_id: row.otpId,
  status: row.status,
  channel: row.channel,
  masked_recipient: row.maskedRecipient,
  recipient_type: row.recipientType,
  country: row.country,
  sends: row.sends,
  attempts: row.attempts,
  delivery_status: deliveryStatus,
  created_at: row.createdAt.toISOString(),
  verified_at: row.verifiedAt?.toISOString() ?? null,
})
