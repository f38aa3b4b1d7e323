/** An app's verifications, newest first. A page that has looked far enough says so and ends, full or not. */
import type { ListedVerification, VerificationsQuery } from '@countersign/contract'
import type { Database } from '../../platform/database.ts'
import { lowestId, parseId, timeOfId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { cutPage, parseCursor } from '../answers/index.ts'
import { parseRecipient } from '../guard/index.ts'
import { type AppRef, getApp } from '../tenancy/index.ts'
import { hashRecipient, invalidRecipient } from '../verification/index.ts'
import { type PageRow, readDeliveryStatuses, readPage } from './list-store.ts'

const mostLookedAt = 20_000
/** Above every id that will be made while this program is in use. */
const endOfTimeMs = Date.UTC(9999, 0)

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
  const { limit, status = null, channel = null, country = null } = query
  const { rows: found, edge } = await readPage(tenant, appId, {
    ...boundsOf(query),
    recipientHash: query.recipient === undefined ? null : hashOf(keyring(), query.recipient),
    status,
    channel,
    country,
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

/** Times and the cursor become bounds of ids, which are in the order of time. */
function boundsOf({ cursor: text, otp_id: wanted, from, to }: VerificationsQuery): {
  since: string
  before: string
} {
  const cursor = parseCursor('verification', text ?? null)
  const since = lowestId('verification', from === undefined ? 0 : timeOf(from))
  const before = lowestId('verification', to === undefined ? endOfTimeMs : timeOf(to))
  const next = cursor !== null && cursor < before ? cursor : before
  if (wanted === undefined) return { since, before: next }
  if (!parseId('verification', wanted)) return { since: next, before: next }
  // No id stands between one and the same with a character more.
  return { since: wanted > since ? wanted : since, before: `${wanted}0` < next ? `${wanted}0` : next }
}

const timeOf = (text: string) => Math.max(0, Date.parse(text))

function hashOf(keyring: Keyring, text: string): Buffer {
  const recipient = parseRecipient(text)
  if (!recipient) throw invalidRecipient()
  return hashRecipient(keyring, recipient)
}

const listed = (row: PageRow, deliveryStatus: ListedVerification['delivery_status']): ListedVerification => ({
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
