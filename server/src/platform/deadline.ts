/** A signal that aborts when the time is up. */
export interface Deadline {
  readonly signal: AbortSignal
  /** To be called when the work is done. */
  readonly clear: () => void
}

/** `AbortSignal.timeout` cannot be cleared: each would keep its timer for the whole time, however soon the work was done. */
export function startDeadline(timeoutMs: number): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  // The work itself keeps the process running, not its deadline.
  timer.unref()
  return { signal: controller.signal, clear: () => clearTimeout(timer) }
}
