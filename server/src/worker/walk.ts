/**
 * How far the search for waiting messages has come, over several rounds, and whose messages wait in the
 * table.
 */
import type { DueDelivery, Line, Shares } from '../domain/delivery/index.ts'
import { Tally } from '../platform/tally.ts'

const lineKey = ({ companyId, providerId }: Line) => `${companyId} ${providerId}`

export class Walk {
  readonly #maxLines: number
  after: Line | null = null
  isShort = false
  /** True until a whole walk has left nobody out. */
  isFirst = true
  #hasLeft = false
  /** Lines in which more waits than was taken: of the last whole walk, and of the walk that is under way. */
  #waiting = new Set<string>()
  #found = new Set<string>()

  constructor(maxLines: number) {
    this.#maxLines = maxLines
  }

  /** Whether others of this company wait for this account: who comes now comes after them. */
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
    this.after = lines.length === this.#maxLines ? (lines.at(-1) ?? null) : null
    this.isShort = isShort || (!isStart && this.isShort)
    this.#hasLeft = isShort || isFull || (!isStart && this.#hasLeft)
    if (this.after !== null) return true
    if (!this.#hasLeft) this.isFirst = false
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
