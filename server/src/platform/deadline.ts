/** A signal that aborts when the time is up. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Call this when the work is done. */
  readonly clear: () => void
}

/**
 * Used because `AbortSignal.timeout` cannot be cleared: each would keep its timer for the full time, however soon the
 * work was done.
 */
export function startDeadline(timeoutMs: number): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  // The work itself keeps the process running; its deadline must not.
  timer.unref()
  return { signal: controller.signal, clear: () => clearTimeout(timer) }
}
