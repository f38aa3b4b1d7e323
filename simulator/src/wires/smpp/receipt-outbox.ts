import type { Pdu, Session } from 'smpp/lib/smpp.js'
import { retry } from '../../retry.ts'
import type { Schedule } from '../../schedule.ts'
import { OK } from './command-status.ts'

const RESPONSE_TIMEOUT_MS = 10_000

/** Delivers receipts to a bound session, and to the next one when that session goes away. */
export class ReceiptOutbox {
  readonly #receivers = new Set<Session>()
  readonly #schedule: Schedule

  constructor(schedule: Schedule) {
    this.#schedule = schedule
  }

  join(session: Session): void {
    this.#receivers.add(session)
  }

  leave(session: Session): void {
    this.#receivers.delete(session)
  }

  async deliver(preferred: Session, receipt: Record<string, unknown>): Promise<void> {
    const isTaken = await retry(this.#schedule, async () => {
      const first = this.#receivers.values().next().value
      const session = this.#receivers.has(preferred) ? preferred : first
      return session !== undefined && this.#send(session, receipt)
    })
    if (!isTaken && !this.#schedule.closed) console.error('simulator: no one took a receipt over SMPP')
  }

  #send(session: Session, receipt: Record<string, unknown>): Promise<boolean> {
    return new Promise((resolve) => {
      const closed = () => finish(false)
      const timer = setTimeout(closed, RESPONSE_TIMEOUT_MS)
      const finish = (isTaken: boolean) => {
        clearTimeout(timer)
        session.off('close', closed)
        resolve(isTaken)
      }
      session.once('close', closed)
      const isWritten = session.deliver_sm(receipt, (response: Pdu) => finish(response.command_status === OK))
      if (!isWritten) finish(false)
    })
  }
}
