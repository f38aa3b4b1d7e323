/** How many events may be under way: of each endpoint as many as it has shown that it takes, and of all together. */
import { type Answered, type Room, Windows } from '../../domain/webhooks/index.ts'
import type { Pool } from '../../platform/pool.ts'

const maxInFlight = 800
/** From here on each endpoint has one at a time: many slow endpoints together still leave room for the others. */
const crowded = 400

export class Rooms {
  /** Events under way, counted by their endpoints. */
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

  /** Of an app with these endpoints; one whose endpoints are not known may have others that have room. */
  isAnyFree(endpointIds: ReadonlySet<string>): boolean {
    if (this.#underWay.size >= maxInFlight) return false
    return endpointIds.size === 0 || ![...endpointIds].every((endpointId) => this.isFull(endpointId))
  }

  /** Gives each endpoint that it is asked for its room; what one has been given is taken for the next. */
  giveOut(): (endpointId: string) => Room {
    let taken = this.#underWay.size
    return (endpointId) => {
      const wanted = Math.max(0, this.#mostOf(endpointId, taken) - this.#underWay.countOf(endpointId))
      taken += wanted
      return { wanted, window: this.#windows.of(endpointId) }
    }
  }

  /** How many of an endpoint may be under way while this many are, of all. */
  #mostOf(endpointId: string, taken: number): number {
    if (taken >= maxInFlight) return 0
    return taken < crowded ? this.#windows.of(endpointId) : 1
  }
}
