/** What asks a process to stop: Ctrl-C, a supervisor, a terminal that closes. */

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** How long a stop may take, beside the time that balancers are given. */
export const stopSeconds = 30
/** One Ctrl-C can come twice: npm hands on what the terminal has sent to the whole group already. */
const oneRequestMs = 1_000

/** Why something is aborted that is told to stop. */
export class StopRequest extends Error {
  /** A supervisor has asked, so balancers get time to notice; whoever sits at a terminal waits for nobody. */
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
