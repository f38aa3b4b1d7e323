/** The signals that ask a process to stop: Ctrl-C, a supervisor, a terminal that closes. */

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** How long a stop may take, in addition to the time that load balancers are given. */
export const stopSeconds = 30
/** One Ctrl-C can arrive twice: from the terminal, and forwarded by npm. */
const oneRequestMs = 1_000

/** The reason of an AbortSignal that was aborted by a stop signal. */
export class StopRequest extends Error {
  /** Whether a supervisor asked: then load balancers get time to notice. At a terminal there is no such wait. */
  readonly drains: boolean

  constructor(drains: boolean) {
    super('it was told to stop')
    this.drains = drains
  }
}

export const drainsAfter = ({ reason }: AbortSignal): boolean =>
  reason instanceof StopRequest && reason.drains

export function onStopSignals(stop: (request: StopRequest) => void, again: () => void): void {
  let firstAtMs: number | null = null
  const heard = (signal: NodeJS.Signals) => {
    const nowMs = performance.now()
    if (firstAtMs === null) {
      firstAtMs = nowMs
      stop(new StopRequest(signal === 'SIGTERM'))
    } else if (nowMs - firstAtMs >= oneRequestMs) again()
  }
  for (const signal of stopSignals) process.on(signal, heard)
}
