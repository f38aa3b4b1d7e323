/** Applies what a provider later reports of a delivery: forward only, once for each final state, money included. */
import type { Receipt } from '../../channels/channel.ts'
import type { Clock } from '../../platform/clock.ts'
import { coalesce } from '../../platform/coalesce.ts'
import type { Database } from '../../platform/database.ts'
import { laterThan, newId, parseId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'
import { partitionOf } from '../../platform/partitions.ts'
import type { Owner } from '../../platform/tenant.ts'
import { deliveryEvent } from '../webhooks/index.ts'
import {
  type EarlyNames,
  type EarlyReceipt,
  findEarly,
  listUnswept,
  markSwept,
  mostEarly,
  nameOfDelivery,
  removeEarly,
  storeEarly,
} from './early-store.ts'
import { createFinishes, type FinishDependencies, type Finishes, inRounds } from './finish.ts'
import { hashMessageId } from './message-id.ts'
import * as store from './store.ts'

/** How long a receipt with only a message id is applied: providers reuse their ids. */
const messageIdMs = 3 * 86_400_000

/** A node whose clock runs ahead makes ids that lie in the future, by up to this time. */
const aheadMs = 3_600_000

export interface ReceiptDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly keyring: () => Keyring
  readonly receiptBook: ReceiptBook
  /** Called once for each message, when it is first reported as delivered or failed. */
  readonly onApplied: (applied: AppliedReceipt) => void
}

/** What an account reported of one of its messages. */
interface AppliedReceipt
  extends Pick<
    store.ReceiptSubject,
    'companyId' | 'appId' | 'otpId' | 'deliveryId' | 'channel' | 'country' | 'isReply'
  > {
  readonly providerId: string
  readonly isDelivered: boolean
  readonly error: Receipt['error']
  /** How long after the account took the message; null if that is not known. */
  readonly ms: number | null
}

/** Receipts that arrive together are looked up together and written together. */
export interface ReceiptBook extends Pick<Finishes, 'delivered' | 'failedByReceipt'> {
  readonly findByDelivery: (wanted: store.ByDelivery) => Promise<store.ReceiptSubject | undefined>
  readonly findByMessage: (wanted: store.ByMessage) => Promise<store.ReceiptSubject | undefined>
  readonly storeEarly: (early: EarlyReceipt) => Promise<void>
}

const batching = { maxRunning: 2, maxBatch: 500, maxWaiting: 1_000_000 }

export function createReceiptBook(
  dependencies: FinishDependencies & Pick<ReceiptDependencies, 'database'>,
): ReceiptBook {
  const { database, clock } = dependencies
  const tableOf = ({ deliveryId }: store.ByDelivery) => partitionOf('deliveries', deliveryId, clock.nowMs())
  const byDelivery = coalesce<store.ByDelivery, store.ReceiptSubject | undefined>(async (wanted) => {
    const [first] = wanted
    const found = first ? await store.findByDeliveryId(database, tableOf(first), wanted) : []
    return found.map((value) => ({ value }))
  }, batching)
  const byMessage = coalesce<store.ByMessage, store.ReceiptSubject | undefined>(async (wanted) => {
    const nowMs = clock.nowMs()
    const span = { fromMs: nowMs - messageIdMs, toMs: nowMs + aheadMs }
    return (await store.findByMessageId(database, wanted, span)).map((value) => ({ value }))
  }, batching)
  const early = coalesce<EarlyReceipt, void>(
    async (receipts) => {
      const [first] = receipts
      if (first) await storeEarly(database.of(first.companyId), first.providerId, receipts)
      return receipts.map(() => ({ value: undefined }))
    },
    { ...batching, maxBatch: mostEarly },
  )
  return {
    ...createFinishes(dependencies),
    storeEarly: (receipt) => early(`${receipt.companyId} ${receipt.providerId}`, receipt),
    findByDelivery: (wanted) => byDelivery(tableOf(wanted), wanted),
    findByMessage: (wanted) => byMessage('', wanted),
  }
}

/** The account that the receipt comes from. */
interface ReceiptSource {
  /** The owner of the account: a company, or the operator. */
  readonly companyId: Owner
  readonly providerId: string
}

/**
 * Resolves once the receipt cannot be lost any more: it is applied, or stored until the service has written that the
 * message was sent. After it is stored, the message is looked for again, so that one of the two writes is sure to see
 * the other.
 */
export async function receiveReceipt(
  dependencies: ReceiptDependencies,
  source: ReceiptSource,
  receipt: Receipt,
): Promise<void> {
  if (await recordReceipt(dependencies, source.providerId, receipt)) return
  // Stored under its likeliest name alone: under several it might be applied to two messages.
  const name = nameIn(dependencies, source.providerId, receipt)
  if (!name) return
  const { status, error, unreachable } = receipt
  const early = { ...source, name, status, error, unreachable }
  await dependencies.receiptBook.storeEarly(early)
  await applyEarly(dependencies, early)
}

/** Called after messages were written as sent: applies the receipts that came before. */
export async function applyEarlyReceipts(
  dependencies: ReceiptDependencies,
  written: readonly EarlyNames[],
): Promise<void> {
  const found = await findEarly(dependencies.database, written)
  await inOrder(found, (early) => applyEarly(dependencies, early))
}

/** Returns how many receipts it has looked at. */
export async function sweepEarlyReceipts(dependencies: ReceiptDependencies, limit: number): Promise<number> {
  const left = await listUnswept(dependencies.database, limit)
  await inOrder(left, async (early) => {
    const isApplied = await applyEarly(dependencies, early)
    if (!isApplied) await markSwept(dependencies.database.of(early.companyId), early)
  })
  return left.length
}

/** Runs in parallel, so that receipts are written together; but receipts of one message run one after the other. */
async function inOrder(
  receipts: readonly EarlyReceipt[],
  run: (early: EarlyReceipt) => Promise<unknown>,
): Promise<void> {
  const nameOf = ({ providerId, name }: EarlyReceipt) => `${providerId} ${name.toString('latin1')}`
  for (const round of inRounds(receipts, nameOf)) await Promise.all(round.map(run))
}

async function applyEarly(dependencies: ReceiptDependencies, early: EarlyReceipt): Promise<boolean> {
  const found = await findByName(dependencies, early.providerId, early.name)
  const isApplied = await apply(dependencies, early.providerId, found, early)
  if (isApplied) await removeEarly(dependencies.database.of(early.companyId), early)
  return isApplied
}

/** False if no delivery of this account is known by any of the receipt's names. */
export async function recordReceipt(
  dependencies: ReceiptDependencies,
  providerId: string,
  receipt: Receipt,
): Promise<boolean> {
  const { messageId, otherIds = [] } = receipt
  const names = [messageId, ...otherIds].flatMap(
    (id) => nameIn(dependencies, providerId, { ...receipt, messageId: id }) ?? [],
  )
  const looked = await Promise.all(names.map((name) => findByName(dependencies, providerId, name)))
  const [found, ...others] = looked.filter((one) => one !== undefined)
  // The receipt may mean either of two messages, so it changes neither.
  if (others.some(({ deliveryId }) => deliveryId !== found?.deliveryId)) return true
  return apply(dependencies, providerId, found, receipt)
}

/** Null if the receipt has no id that can name a message. */
function nameIn(
  { keyring }: ReceiptDependencies,
  providerId: string,
  { deliveryId, messageId }: Receipt,
): Buffer | null {
  if (deliveryId !== null) return parseId('delivery', deliveryId) && nameOfDelivery(deliveryId)
  return messageId === null ? null : hashMessageId(keyring(), providerId, messageId)
}

function findByName({ receiptBook }: ReceiptDependencies, providerId: string, name: Buffer) {
  const deliveryId = parseId('delivery', name.toString('latin1'))
  return deliveryId
    ? receiptBook.findByDelivery({ deliveryId, providerId })
    : receiptBook.findByMessage({ messageHash: name, providerId })
}

async function apply(
  { receiptBook, clock, onApplied }: ReceiptDependencies,
  providerId: string,
  found: store.ReceiptSubject | undefined,
  { status, error, unreachable }: Pick<Receipt, 'status' | 'error' | 'unreachable'>,
): Promise<boolean> {
  if (!found) return false
  const nowMs = laterThan(found.deliveryId, clock.nowMs())
  const event = deliveryEvent(status, found.otpId, found.deliveryId, nowMs)
  const entryId = newId('entry', nowMs)
  if (status === 'delivered') await receiptBook.delivered({ ...found, entryId, event })
  else {
    await receiptBook.failedByReceipt({
      ...found,
      error: error ?? { code: 'failed', message: 'The provider reported a failure.' },
      isUnreachable: unreachable,
      entryId,
      event,
    })
  }
  // If a person cannot be reached on the channel, that is not the account's failure.
  if (found.isOpen && !unreachable) {
    const ms = found.sentAt && Math.max(0, nowMs - found.sentAt.getTime())
    onApplied({ ...found, providerId, isDelivered: status === 'delivered', error, ms })
  }
  return true
}
