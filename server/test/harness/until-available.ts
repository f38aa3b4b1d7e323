import { isUnavailable } from '../../src/platform/database.ts'

/** Each waits for seconds by itself. */
const mostTries = 20

/** On a busy machine a connection may come later than it is waited for, as when many ask at once: then it is asked for again. */
export async function untilAvailable<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === mostTries || !isUnavailable(error)) throw error
    }
  }
}
