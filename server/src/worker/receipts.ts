/**
 * Receipts that arrive over an account's own connection. One may come before our own write of the message's
 * id has been committed, so an unknown one is tried again a few times before it is let go.
 */
import type { Receipt } from '../channels/channel.ts'
import { describeError, type Log } from '../platform/log.ts'

const pausesMs = [200, 1_000, 5_000, 20_000]
/** A provider that floods us with unknown names must not fill the memory. */
const maxWaiting = 10_000

type Record = (providerId: string, receipt: Receipt) => Promise<boolean>

export class ReceiptDesk {
  readonly #record: Record
  readonly #log: Log
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #running = new Set<Promise<void>>()
  #isClosed = false

  constructor(record: Record, log: Log) {
    this.#record = record
    this.#log = log
  }

  readonly put = (providerId: string, receipt: Receipt): void => this.#try(providerId, receipt, 0)

  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    await Promise.all(this.#running)
  }

  #try(providerId: string, receipt: Receipt, round: number): void {
    const work = this.#record(providerId, receipt)
      .catch((error: unknown) => {
        this.#log('warn', 'a receipt could not be recorded', {
          provider: providerId,
          ...describeError(error),
        })
        return false
      })
      .then((isRecorded) => {
        this.#running.delete(work)
        const pauseMs = pausesMs[round]
        if (isRecorded || this.#isClosed || pauseMs === undefined || this.#timers.size >= maxWaiting) return
        const timer = setTimeout(() => {
          this.#timers.delete(timer)
          this.#try(providerId, receipt, round + 1)
        }, pauseMs)
        this.#timers.add(timer)
      })
    this.#running.add(work)
  }
}
