/**
 * How many events an endpoint is sent at once: ten at first, more while it answers quickly and well and there is more
 * to send that is new, fewer with each failure. Each node uses what it has seen itself; claims hold all nodes together to it.
 */
export const firstWindow = 10
export const widestWindow = 100
/** The window of an endpoint that needs longer for an answer does not grow. */
const quickMs = 500
/**
 * The window of an endpoint that needs longer than this shrinks: an attempt must end long before its
 * deadline.
 */
const slowMs = 1_000
/**
 * What was kept is many at once, for an endpoint that has just come back: it does not widen the window. Unless it lasts:
 * more may be coming in than goes out.
 */
const drainMs = 60_000
/** Of more endpoints than this, those that have been silent longest are forgotten and begin anew. */
const mostKnown = 10_000

export interface Answered {
  readonly isTaken: boolean
  readonly latencyMs: number
  /** It was kept for a while, as after a pause. */
  readonly isKept: boolean
  /** How many were under way, this one included. */
  readonly inFlight: number
}

interface Window {
  readonly size: number
  /** Since when nothing has been answered but what was kept; null where something has. */
  readonly keptSinceMs: number | null
}

const usual: Window = { size: firstWindow, keptSinceMs: null }

export class Windows {
  readonly #windows = new Map<string, Window>()

  of(endpointId: string): number {
    return this.#known(endpointId).size
  }

  note(endpointId: string, answered: Answered, nowMs = performance.now()): void {
    const { size, keptSinceMs } = this.#known(endpointId)
    const sinceMs = answered.isKept ? (keptSinceMs ?? nowMs) : null
    const isHeldBack = sinceMs !== null && nowMs - sinceMs < drainMs
    this.#windows.delete(endpointId)
    this.#windows.set(endpointId, { size: nextSize(size, answered, isHeldBack), keptSinceMs: sinceMs })
    const [oldest] = this.#windows.keys()
    if (this.#windows.size > mostKnown && oldest !== undefined) this.#windows.delete(oldest)
  }

  #known(endpointId: string): Window {
    return this.#windows.get(endpointId) ?? usual
  }
}

/** A window that is not used says nothing about whether a wider one would do, and does not grow. */
function nextSize(size: number, { isTaken, latencyMs, inFlight }: Answered, isHeldBack: boolean): number {
  if (!isTaken) return Math.max(1, Math.floor(size / 2))
  if (latencyMs > slowMs) return size > firstWindow ? size - 1 : size
  const isEarned = latencyMs <= quickMs && 2 * inFlight >= size
  const widest = isHeldBack ? Math.max(size, firstWindow) : widestWindow
  return isEarned ? Math.min(size + 1, widest) : size
}
