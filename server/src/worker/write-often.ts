/** Writes what a node notes in memory, at intervals and once more at the end. */
import { describeError, type Log } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'

export interface WriteOptions {
  readonly everyMs: number
  /** Throws when it could not write everything, and keeps the rest for the next time. */
  readonly write: (isLast: boolean) => Promise<void>
  readonly log: Log
  /** Logged once when writing fails, and not again before it has succeeded. */
  readonly waits: string
}

export function writeOften({ everyMs, write, log, waits }: WriteOptions): Loop {
  let isBehind = false
  const round = async (isLast: boolean): Promise<boolean> => {
    try {
      await write(isLast)
      isBehind = false
    } catch (error) {
      if (!isBehind) log('warn', waits, describeError(error))
      isBehind = true
    }
    return false
  }
  const loop = startLoop({ pollMs: everyMs, round: () => round(false), onError: () => {} })
  return {
    nudge: loop.nudge,
    close: async () => {
      await loop.close()
      await round(true)
    },
  }
}
