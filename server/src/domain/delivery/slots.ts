/**
 * What a worker has in hand: messages that are being handed over, and a few that wait in memory for their turn.
 *
 * A company may hold as many as are still free: one that has much to send gets half of them, two get a third each, and
 * the next one always finds room. An account has as many as it can take in a moment, whichever company uses it.
 */
import { Tally } from '../../platform/tally.ts'
import { AccountQueue, type Ending } from './account-queue.ts'
import type { Line } from './claim-store.ts'

export interface Slot {
  /** Waits for a turn at this account. False if too many wait for it, or the worker is closing. */
  readonly enter: (providerId: string) => Promise<boolean>
  /** Reports what the account that was entered has said. */
  readonly leave: (ending: Ending) => void
  readonly release: () => void
}

interface Room extends Line {
  room: number
}

export interface Shares {
  readonly rooms: readonly (Line & { readonly room: number })[]
  /** Some line got less than it may need, and waits for slots to become free. */
  readonly lacksSlots: boolean
}

/** Beyond this many accounts, those with nothing in hand are forgotten and start again; most of them were removed. */
const mostKnown = 10_000

export class Slots {
  readonly #total: number
  readonly #ofCompany = new Tally()
  readonly #queues = new Map<string, AccountQueue>()
  #held = 0
  #isClosed = false

  constructor(total: number) {
    this.#total = total
  }

  get held(): number {
    return this.#held
  }

  get free(): number {
    return Math.max(0, this.#total - this.#held)
  }

  /** Null if there is no room for one more of this company, or at this account. */
  tryTake(line: Line): Slot | null {
    const { companyId, providerId } = line
    if (this.#isClosed || this.#ofCompany.of(companyId) >= this.free) return null
    return this.#queue(providerId).room > 0 ? this.take(line) : null
  }

  take({ companyId, providerId }: Line): Slot {
    let queue = this.#queue(providerId)
    let isInside = false
    const leave = (ending: Ending) => {
      if (isInside) queue.leave(ending)
      isInside = false
    }
    this.#held++
    this.#ofCompany.add(companyId, 1)
    queue.take()
    return {
      enter: async (other) => {
        const next = this.#queue(other)
        if (this.#isClosed || (next !== queue && next.room <= 0)) return false
        queue.giveBack()
        next.take()
        queue = next
        isInside = await queue.enter(companyId)
        return isInside
      },
      leave,
      release: () => {
        leave('unasked')
        this.#held--
        this.#ofCompany.add(companyId, -1)
        queue.giveBack()
      },
    }
  }

  /** From now on, messages that wait for a turn go back to the table. */
  close(): void {
    this.#isClosed = true
    for (const queue of this.#queues.values()) queue.turnAway()
  }

  /** Gives one slot after the other to the company that has fewest, and among its lines to the one that got fewest. */
  shareOut(lines: readonly Line[], most: number): Shares {
    const waiting = lines.map((line): Room => ({ ...line, room: 0 }))
    const toCompany = this.#ofCompany.copy()
    const toAccount = new Tally()
    let free = this.free
    const fits = ({ companyId, providerId }: Line) =>
      toCompany.of(companyId) < free && toAccount.of(providerId) < this.#queue(providerId).room
    const isBehind = (line: Room, other: Room) =>
      (toCompany.of(line.companyId) - toCompany.of(other.companyId) || line.room - other.room) < 0
    for (let given = 0; given < most; given++) {
      let next: Room | undefined
      for (const line of waiting) {
        if (fits(line) && (!next || isBehind(line, next))) next = line
      }
      if (!next) break
      next.room++
      free--
      toCompany.add(next.companyId, 1)
      toAccount.add(next.providerId, 1)
    }
    return { rooms: waiting.filter(({ room }) => room > 0), lacksSlots: waiting.some((line) => !fits(line)) }
  }

  #queue(providerId: string): AccountQueue {
    const known = this.#queues.get(providerId)
    if (known) return known
    if (this.#queues.size >= mostKnown) this.#forgetIdle()
    const queue = new AccountQueue()
    this.#queues.set(providerId, queue)
    return queue
  }

  #forgetIdle(): void {
    for (const [providerId, queue] of this.#queues) if (queue.isIdle) this.#queues.delete(providerId)
  }
}
