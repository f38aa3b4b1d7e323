/** A signal that aborts when the time is up. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Call this when the work is done. */
  readonly clear: () => void
}

/** Unlike `AbortSignal.timeout` it can be cleared: a timer need not stay for the full time when the work is done. */
export function startDeadline(timeoutMs: number): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  // The work itself keeps the process running; its deadline must not.
  timer.unref()
  return { signal: controller.signal, clear: () => clearTimeout(timer) }
}
