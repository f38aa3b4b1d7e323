/**
 * Replaces the time, the timers and the randomness of this process by the world's, while there is a world. The
 * service's sources use them by their global names, and the process runs nothing else.
 */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'
import { randomOf } from '../harness/random.ts'
import type { World } from './world.ts'

const realTimeout = globalThis.setTimeout
const realClear = globalThis.clearTimeout
const realNow = performance.now.bind(performance)
const realDateNow = Date.now
const realSleep = timersPromises.setTimeout

export const realNowMs = () => realNow()
export const realImmediate = globalThis.setImmediate
export const realPause = (ms: number) => new Promise<void>((resolve) => realTimeout(resolve, ms))

/** The ids of every world are the same: a seed decides who runs next, and nothing else. */
const seedOfIds = 0x5eed

let world: World | null = null
let random = randomOf(seedOfIds)

/** From now on this world provides time and randomness; with null the machine does again. */
export function liveIn(next: World | null): void {
  world = next
  random = randomOf(seedOfIds)
}

class VirtualTimer {
  readonly cancel: () => void
  constructor(cancel: () => void) {
    this.cancel = cancel
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  hasRef(): boolean {
    return true
  }
}

function start(run: () => void, ms: number): VirtualTimer | null {
  const actor = world?.current
  if (!world || !actor) return null
  return new VirtualTimer(world.addTimer({ actor, what: `timer of ${ms} ms`, run }, ms))
}

export function installVirtualTime(): void {
  const setTimer = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    start(() => run(...args), ms) ?? realTimeout(run, ms, ...args)
  globalThis.setTimeout = setTimer as unknown as typeof setTimeout
  globalThis.clearTimeout = ((timer: unknown) =>
    timer instanceof VirtualTimer
      ? timer.cancel()
      : realClear(timer as NodeJS.Timeout)) as typeof clearTimeout
  const sleep = (ms: number, value: unknown, options: unknown) =>
    new Promise((resolve) => {
      if (!start(() => resolve(value), ms)) resolve(realSleep(ms, value, options as { signal?: AbortSignal }))
    })
  Object.assign(timersPromises, { setTimeout: sleep })
  performance.now = () => (world ? world.nowMs - world.startMs + 1e6 : realNow())
  Date.now = () => (world ? world.nowMs : realDateNow())
  installChance()
  syncBuiltinESMExports()
}

/** Makes ids and workers' names the same each time a seed is played. */
function installChance(): void {
  const { randomBytes, randomFillSync } = crypto
  const fill = (bytes: Uint8Array) => {
    for (let index = 0; index < bytes.length; index++) bytes[index] = Math.floor(random() * 256)
    return bytes
  }
  Object.assign(crypto, {
    randomBytes: (size: number, done?: () => void) =>
      world && !done ? fill(Buffer.alloc(size)) : done ? randomBytes(size, done) : randomBytes(size),
    randomFillSync: (bytes: Uint8Array) => (world ? fill(bytes) : randomFillSync(bytes)),
  })
}
