/** Waiting for what must come, and watching that what must not come does not. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Often at first; a wait of a minute is looked at a few times a second. */
const [shortestPauseMs, longestPauseMs] = [20, 400]
const pauseGrowth = 1.2
const watchMs = 80
/** Far more than anything takes, because other programs may have the processor. */
const patienceMs = 240_000

/** Reads until the value is as it should be; the last value is in the error. */
export async function eventually<Value>(
  what: string,
  read: () => Promise<Value> | Value,
  isAsExpected: (value: Value) => boolean,
  limitMs = patienceMs,
): Promise<Value> {
  const deadline = performance.now() + limitMs
  for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(pauseMs * pauseGrowth, longestPauseMs)) {
    const value = await read()
    if (isAsExpected(value)) return value
    if (performance.now() > deadline) {
      throw new Error(`not within ${limitMs} ms: ${what}; last seen: ${JSON.stringify(value)}`)
    }
    await sleep(pauseMs)
  }
}

/** A service that has no room or no database for the moment says 503, has done nothing, and is to be called again. */
export const patiently = <Answer extends { readonly status: number }>(call: () => Promise<Answer>) =>
  eventually('there is room for a call', call, ({ status }) => status !== 503)

/** A message or an event that is sent at all has arrived by then: nothing holds it up but the machine. */
export const arrivalMs = 500

/** Reads again and again for a while; every single reading must pass. A slow machine only reads less often. */
export async function throughout(forMs: number, check: () => Promise<void> | void): Promise<void> {
  const end = performance.now() + forMs
  do {
    await check()
    await sleep(watchMs)
  } while (performance.now() < end)
  await check()
}
