/** Once a second, writes the counts of the guesses that this node has judged. A crash loses one second of them. */
import { countAlarms, type Guesses, watchOver } from '../domain/guard/index.ts'
import type { Database } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'

const everyMs = 1_000

export interface GuessWatchDependencies {
  readonly database: Database
  readonly guesses: Guesses
  readonly setAlarms: (count: number) => void
  readonly countUnguarded: (error: unknown) => void
  readonly log: Log
}

export function startGuessWatch(dependencies: GuessWatchDependencies): Pick<Loop, 'close'> {
  const { database, guesses, setAlarms, countUnguarded, log } = dependencies
  const round = async () => {
    for (const appId of await watchOver(database, guesses)) {
      log('warn', 'far more wrong codes than usual', { app_id: appId })
    }
    setAlarms(await countAlarms(database))
    return false
  }
  const loop = startLoop({ pollMs: everyMs, onError: countUnguarded, round })
  return {
    close: async () => {
      await loop.close()
      await round().catch(countUnguarded)
    },
  }
}
