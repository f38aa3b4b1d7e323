/**
 * How far the search for waiting messages has come, over several rounds, and which lines have messages in the table. A
 * line is what one company has waiting for one account.
 */
import type { DueDelivery, Line, Shares, Span } from '../../domain/delivery/index.ts'
import { Tally } from '../../platform/tally.ts'

/** How many lines one round looks at; the next one continues where this one stopped. */
export const maxLines = 200
/** Codes are valid for minutes. The first walk looks at everything, for messages that an outage left. */
const lookBackMs = 2 * 86_400_000
/** Partitions are made days ahead, and those have no rows yet. */
const lookAheadMs = 3_600_000

const lineKey = ({ companyId, providerId }: Line) => `${companyId} ${providerId}`

export class Walk {
  /** The line at which the last round stopped; null when the next one starts from the beginning. */
  after: Line | null = null
  /** Whether a line got less room than it wanted, and waits for slots to become free. */
  lacksSlots = false
  /** True until a whole walk has left nothing out. */
  #isFirst = true
  #hasLeftSome = false
  /** Lines in which more waits than was taken: those of the last whole walk, and those of the current walk. */
  #waiting = new Set<string>()
  #found = new Set<string>()

  /** The range of messages to look at, by when they were made. */
  spanAt(nowMs: number): Span {
    return { fromMs: this.#isFirst ? 0 : nowMs - lookBackMs, toMs: nowMs + lookAheadMs }
  }

  /** Whether other messages of this company wait for this account: a new message goes behind them. */
  isWaiting(line: Line): boolean {
    return this.#waiting.has(lineKey(line))
  }

  addWaiting(line: Line): void {
    this.#waiting.add(lineKey(line))
    this.#found.add(lineKey(line))
  }

  /** Returns whether the walk continues. */
  goOn(
    lines: readonly (Line & { readonly isDue: boolean })[],
    { rooms, lacksSlots }: Shares,
    claimed: readonly DueDelivery[],
  ): boolean {
    const isFull = claimed.length > 0 && claimed.length === rooms.reduce((sum, { room }) => sum + room, 0)
    this.#noteWaiting(lines, rooms, claimed)
    const isStart = this.after === null
    this.after = lines.length === maxLines ? (lines.at(-1) ?? null) : null
    this.lacksSlots = lacksSlots || (!isStart && this.lacksSlots)
    this.#hasLeftSome = lacksSlots || isFull || (!isStart && this.#hasLeftSome)
    if (this.after !== null) return true
    if (!this.#hasLeftSome) this.#isFirst = false
    this.#waiting = this.#found
    this.#found = new Set()
    return false
  }

  #noteWaiting(
    lines: readonly (Line & { readonly isDue: boolean })[],
    rooms: Shares['rooms'],
    claimed: readonly Line[],
  ): void {
    const taken = new Tally()
    for (const line of claimed) taken.add(lineKey(line), 1)
    const roomOf = new Map(rooms.map((room) => [lineKey(room), room.room]))
    for (const line of lines) {
      const key = lineKey(line)
      if (line.isDue && taken.of(key) >= (roomOf.get(key) ?? 0)) this.#found.add(key)
    }
  }
}
