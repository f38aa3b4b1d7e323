/** Waiting for what must come, and watching that what must not come does not. */
import { setTimeout as sleep } from 'node:timers/promises'

const pollMs = 80
/** Far more than anything takes, because other programs may have the processor. */
const patienceMs = 30_000

/** Reads until the value is as it should be; the last value is in the error. */
export async function eventually<Value>(
  what: string,
  read: () => Promise<Value> | Value,
  isAsExpected: (value: Value) => boolean,
  limitMs = patienceMs,
): Promise<Value> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const value = await read()
    if (isAsExpected(value)) return value
    if (performance.now() > deadline) {
      throw new Error(`not within ${limitMs} ms: ${what}; last seen: ${JSON.stringify(value)}`)
    }
    await sleep(pollMs)
  }
}

/** Reads again and again for a while; every single reading must pass. A slow machine only reads less often. */
export async function throughout(forMs: number, check: () => Promise<void> | void): Promise<void> {
  const end = performance.now() + forMs
  do {
    await check()
    await sleep(pollMs)
  } while (performance.now() < end)
  await check()
}
