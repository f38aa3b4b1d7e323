/** What asks a process to stop: Ctrl-C, a supervisor, a terminal that closes. */

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** One Ctrl-C can come twice: npm hands on what the terminal has sent to the whole group already. */
const oneRequestMs = 1_000

export function onStopSignals(stop: () => void, again: () => void): void {
  let firstAtMs: number | null = null
  const heard = () => {
    const nowMs = performance.now()
    if (firstAtMs === null) {
      firstAtMs = nowMs
      stop()
    } else if (nowMs - firstAtMs >= oneRequestMs) again()
  }
  for (const signal of stopSignals) process.on(signal, heard)
}
