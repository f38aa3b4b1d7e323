/** How far the search for waiting messages has come, over several rounds, and whose messages wait in the table. */
import type { DueDelivery, Line, Shares, Span } from '../../domain/delivery/index.ts'
import { Tally } from '../../platform/tally.ts'

/** Companies and accounts that one round looks at; the next one goes on where it was cut. */
export const maxLines = 200
/** Codes live for minutes; the first walk looks at everything, for what an outage left. */
const lookBackMs = 2 * 86_400_000
/** Partitions are made days ahead, and nothing is in them yet. */
const lookAheadMs = 3_600_000

const lineKey = ({ companyId, providerId }: Line) => `${companyId} ${providerId}`

export class Walk {
  /** Where the last round was cut; null when the next one starts from the beginning. */
  after: Line | null = null
  /** Somebody got less than they wanted: they wait for slots that become free. */
  isShort = false
  /** Until a whole walk has left nobody out. */
  #isFirst = true
  #hasLeftSome = false
  /** Lines in which more waits than was taken: of the last whole walk, and of the walk that is under way. */
  #waiting = new Set<string>()
  #found = new Set<string>()

  /** Which messages are looked at, by when they were made. */
  spanAt(nowMs: number): Span {
    return { fromMs: this.#isFirst ? 0 : nowMs - lookBackMs, toMs: nowMs + lookAheadMs }
  }

  /** Whether others of this company wait for this account: a new message goes behind them. */
  isWaiting(line: Line): boolean {
    return this.#waiting.has(lineKey(line))
  }

  addWaiting(line: Line): void {
    this.#waiting.add(lineKey(line))
    this.#found.add(lineKey(line))
  }

  /** Answers whether the walk goes on. */
  goOn(
    lines: readonly (Line & { readonly isDue: boolean })[],
    { rooms, isShort }: Shares,
    claimed: readonly DueDelivery[],
  ): boolean {
    const isFull = claimed.length > 0 && claimed.length === rooms.reduce((sum, { room }) => sum + room, 0)
    this.#noteWaiting(lines, rooms, claimed)
    const isStart = this.after === null
    this.after = lines.length === maxLines ? (lines.at(-1) ?? null) : null
    this.isShort = isShort || (!isStart && this.isShort)
    this.#hasLeftSome = isShort || isFull || (!isStart && this.#hasLeftSome)
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
