/** How many events may be under way: for each endpoint, as many as it has shown that it can take, and in total. */
import { type Answered, type Room, Windows } from '../../domain/webhooks/index.ts'
import type { Pool } from '../../platform/pool.ts'

const maxInFlight = 800
/** From this total on, each endpoint gets one at a time, so that many slow endpoints leave room for the others. */
const crowded = 400

export class Rooms {
  /** Events under way, counted by endpoint. */
  readonly #underWay: Pick<Pool<unknown>, 'size' | 'countOf'>
  readonly #windows = new Windows()

  constructor(underWay: Pick<Pool<unknown>, 'size' | 'countOf'>) {
    this.#underWay = underWay
  }

  noteAnswer(endpointId: string, answered: Omit<Answered, 'inFlight'>): void {
    this.#windows.note(endpointId, { ...answered, inFlight: this.#underWay.countOf(endpointId) })
  }

  isFull(endpointId: string): boolean {
    return this.#underWay.countOf(endpointId) >= this.#mostOf(endpointId, this.#underWay.size)
  }

  /** Whether an app with these endpoints has room. If none of its endpoints is known, it may have. */
  isAnyFree(endpointIds: ReadonlySet<string>): boolean {
    if (this.#underWay.size >= maxInFlight) return false
    return endpointIds.size === 0 || ![...endpointIds].every((endpointId) => this.isFull(endpointId))
  }

  /** The returned function says how much room an endpoint has; that room counts as taken for those asked next. */
  giveOut(): (endpointId: string) => Room {
    let taken = this.#underWay.size
    return (endpointId) => {
      const wanted = Math.max(0, this.#mostOf(endpointId, taken) - this.#underWay.countOf(endpointId))
      taken += wanted
      return { wanted, window: this.#windows.of(endpointId) }
    }
  }

  /** How many events of an endpoint may be under way, if `taken` are under way in total. */
  #mostOf(endpointId: string, taken: number): number {
    if (taken >= maxInFlight) return 0
    return taken < crowded ? this.#windows.of(endpointId) : 1
  }
}
