/** Runs a recurring job: at once when nudged, otherwise at intervals, and never twice at a time. */
export interface Loop {
  readonly nudge: () => void
  /** Waits for the round that is under way. */
  readonly close: () => Promise<void>
}

export interface LoopOptions {
  /** Resolves with true if there may be more to do at once. A long round should end early when the loop is closing. */
  readonly round: (isClosing: () => boolean) => Promise<boolean | undefined>
  readonly pollMs: number
  readonly onError: (error: unknown) => void
}

export function startLoop({ round, pollMs, onError }: LoopOptions): Loop {
  let isClosed = false
  let isNudged = false
  let wake: () => void = () => {}

  async function run(): Promise<void> {
    while (!isClosed) {
      isNudged = false
      const hasMore = await round(() => isClosed).catch((error: unknown) => {
        onError(error)
        return false
      })
      if (hasMore || isNudged || isClosed) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
  const running = run()
  return {
    nudge: () => {
      isNudged = true
      wake()
    },
    close: async () => {
      isClosed = true
      wake()
      await running
    },
  }
}
