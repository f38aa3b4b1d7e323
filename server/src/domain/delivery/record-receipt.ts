/** A provider's later word on a delivery. Forward only, once per final state, money included. */
import type { Receipt } from '../../channels/channel.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { newId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { deliveryEvent } from '../webhooks/index.ts'
import { hashMessageId } from './deliver.ts'
import * as store from './store.ts'

/** Receipts by message id alone are believed for as long: providers use their numbers again. */
const messageIdMs = 3 * 86_400_000

/** False when no delivery of this account is known by that name. */
export async function recordReceipt(
  {
    database,
    clock,
    keyring,
  }: { readonly database: Database; readonly clock: Clock; readonly keyring: () => Keyring },
  providerId: string,
  receipt: Receipt,
): Promise<boolean> {
  const nowMs = clock.nowMs()
  const findByMessageId = (messageId: string) =>
    store.findByMessageId(
      database,
      hashMessageId(keyring(), providerId, messageId),
      providerId,
      nowMs - messageIdMs,
    )
  const found =
    receipt.deliveryId !== null
      ? await store.findByDeliveryId(database, receipt.deliveryId, providerId)
      : receipt.messageId !== null
        ? await findByMessageId(receipt.messageId)
        : undefined
  if (!found) return false
  const event = deliveryEvent(receipt.status, found.otpId, found.deliveryId, nowMs)
  const entryId = newId('entry', nowMs)
  if (receipt.status === 'delivered') {
    await store.deliverByReceipt(database.of(found.companyId), found.appId, found.deliveryId, {
      entryId,
      event,
      nowMs,
    })
  } else {
    const error = receipt.error ?? { code: 'failed', message: 'The provider reported a failure.' }
    const failure = { error, isUnreachable: receipt.unreachable, entryId, event }
    await store.failByReceipt(database.of(found.companyId), found.appId, found.deliveryId, failure)
  }
  return true
}
