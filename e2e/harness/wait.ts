/** Waits for what must happen, and watches that what must not happen does not. */
import { setTimeout as sleep } from 'node:timers/promises'

/** It polls often at first, and a few times a second in long waits. */
const [shortestPauseMs, longestPauseMs] = [20, 400]
const pauseGrowth = 1.2
const watchMs = 80
/** Far more than anything takes, because the machine may be busy. */
const patienceMs = 240_000

/** Reads until `isAsExpected` holds; after the limit it throws an error with the last value. */
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

/** A service without room or without its database answers 503, has done nothing, and may be called again. */
export const patiently = <Answer extends { readonly status: number }>(call: () => Promise<Answer>) =>
  eventually('there is room for a call', call, ({ status }) => status !== 503)

/** Long enough for a message or an event to arrive if it is sent at all: only a busy machine could delay it. */
export const arrivalMs = 500

/** Reads again and again for a while, and every reading must pass. A slow machine only reads less often. */
export async function throughout(forMs: number, check: () => Promise<void> | void): Promise<void> {
  const end = performance.now() + forMs
  do {
    await check()
    await sleep(watchMs)
  } while (performance.now() < end)
  await check()
}
