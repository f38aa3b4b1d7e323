/**
 * Records receipts, however they arrive. A receipt is acknowledged once it is recorded. If that takes too long, the
 * sender is told to send it again; the receipt is kept and recorded all the same.
 */
import { AppError } from '@countersign/contract'
import type { Receipt } from '../channels/channel.ts'
import {
  applyEarlyReceipts,
  type EarlyNames,
  type ReceiptDependencies,
  sweepEarlyReceipts,
} from '../domain/delivery/index.ts'
import { LateWrites } from '../platform/late-writes.ts'
import type { Log, Warn } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'
import { Tally } from '../platform/tally.ts'
import { endsWithin, within } from '../platform/within.ts'

/** How long we keep the sender of a receipt waiting; carriers are willing to wait longer. */
const patienceMs = 5_000
/** A flood must not fill the memory. An account may have only as many as there is still room for, so one gets half. */
const maxKept = 10_000
const keptMs = 3_600_000
const stopMs = 2_000
/** How many receipts are retried at once. They are written in batches, so this is not the number of statements. */
const lateAtOnce = 100

type Receive = (providerId: string, receipt: Receipt) => Promise<void>

export class ReceiptDesk {
  readonly #receive: Receive
  readonly #writes: LateWrites
  /** Receipts that are being recorded, so that one that is sent again meanwhile is recorded once. */
  readonly #underWay = new Map<string, Promise<boolean>>()
  readonly #ofAccount = new Tally()
  /** The last receipt of each message, so that receipts of one message are recorded in the order in which they came. */
  readonly #last = new Map<string, Promise<boolean>>()

  constructor(receive: Receive, log: Log) {
    this.#receive = receive
    this.#writes = new LateWrites({ what: 'receipts', keptMs, refusedMs: 0, maxAtOnce: lateAtOnce, log })
  }

  /** Resolves when the receipt is recorded; rejects if that did not happen within `waitMs`. */
  readonly put = async (providerId: string, receipt: Receipt, waitMs = patienceMs): Promise<void> => {
    const { deliveryId, messageId, status } = receipt
    const key = JSON.stringify([providerId, deliveryId, messageId, status])
    const work = this.#underWay.get(key) ?? this.#begin(key, providerId, receipt)
    if (!work || !(await endsWithin(waitMs, work))) throw notRecorded()
  }

  async close(): Promise<void> {
    await within(stopMs, Promise.all(this.#underWay.values()))
    this.#writes.stop()
  }

  #begin(key: string, providerId: string, receipt: Receipt): Promise<boolean> | null {
    if (this.#ofAccount.of(providerId) >= maxKept - this.#underWay.size) return null
    const name = JSON.stringify([providerId, receipt.deliveryId, receipt.messageId])
    const before = this.#last.get(name)
    const work = this.#writes
      .write(async () => {
        await before
        await this.#receive(providerId, receipt)
      })
      .finally(() => {
        this.#underWay.delete(key)
        this.#ofAccount.add(providerId, -1)
        if (this.#last.get(name) === work) this.#last.delete(name)
      })
    this.#underWay.set(key, work)
    this.#ofAccount.add(providerId, 1)
    this.#last.set(name, work)
    return work
  }
}

const notRecorded = () =>
  new AppError('UnavailableError', 'The receipt could not be recorded right now. Send it again shortly.', {
    retry_after: 5,
  })

const lookEveryMs = 1_000
const sweepEveryMs = 10_000
const receiptsAtOnce = 200
/** Beyond this many messages, the sweep finds their receipts. */
const maxWritten = 10_000

export interface EarlyLooks extends Pick<Loop, 'close'> {
  readonly add: (names: EarlyNames) => void
}

/** Applies receipts that came before it was written that their message was sent: soon after, for many at once. */
export function startEarlyLooks(dependencies: ReceiptDependencies, warn: Warn): EarlyLooks {
  const written: EarlyNames[] = []
  let sweptAtMs = Number.NEGATIVE_INFINITY

  async function round(): Promise<boolean> {
    const some = written.slice(0, receiptsAtOnce)
    if (some.length > 0) await applyEarlyReceipts(dependencies, some)
    written.splice(0, some.length)
    if (performance.now() - sweptAtMs >= sweepEveryMs) {
      // If as many as `receiptsAtOnce` were swept, there may be more.
      if ((await sweepEarlyReceipts(dependencies, receiptsAtOnce)) === receiptsAtOnce) return true
      sweptAtMs = performance.now()
    }
    return written.length > 0
  }
  const loop = startLoop({
    round,
    pollMs: lookEveryMs,
    onError: (error) => warn('looking for early receipts failed', error),
  })
  return {
    add: (names) => {
      if (written.length >= maxWritten) return
      written.push(names)
      loop.nudge()
    },
    close: async () => {
      await loop.close()
      // If it fails, the sweep of another worker finds them.
      if (written.length > 0) await applyEarlyReceipts(dependencies, written).catch(() => {})
    },
  }
}
