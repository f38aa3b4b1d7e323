/**
 * How many events an endpoint is sent at once: ten at first, more while it answers quickly and well and there is more
 * to send, fewer with each failure. Each node uses what it has seen itself; a claim applies it to all nodes together.
 */
import { setNewest } from '../../platform/set-newest.ts'

export const firstWindow = 10
export const widestWindow = 100
/** The window of an endpoint that takes longer to answer does not grow. */
const quickMs = 500
/** The window of an endpoint that takes longer than this shrinks: an attempt must end long before its deadline. */
const slowMs = 1_000
/** Beyond this many endpoints, those that were silent longest are forgotten and start again. */
const mostKnown = 10_000

export interface Answered {
  readonly isTaken: boolean
  readonly latencyMs: number
  /** How many events were under way, this one included. */
  readonly inFlight: number
}

export class Windows {
  readonly #sizes = new Map<string, number>()

  of(endpointId: string): number {
    return this.#sizes.get(endpointId) ?? firstWindow
  }

  note(endpointId: string, answered: Answered): void {
    setNewest(this.#sizes, endpointId, nextSize(this.of(endpointId), answered), mostKnown)
  }
}

/** A window that is not used does not grow: it says nothing about a wider one. */
function nextSize(size: number, { isTaken, latencyMs, inFlight }: Answered): number {
  if (!isTaken) return Math.max(1, Math.floor(size / 2))
  if (latencyMs > slowMs) return size > firstWindow ? size - 1 : size
  const isEarned = latencyMs <= quickMs && 2 * inFlight >= size
  return isEarned ? Math.min(size + 1, widestWindow) : size
}
