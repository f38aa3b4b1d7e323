/** Bounds how many calls of one key run at once. Further calls of that key wait in line, those of other keys do not. */
import type { AppError } from '@countersign/contract'
import { tooManyCalls } from './too-many-calls.ts'

interface Queue {
  running: number
  readonly waiting: (() => void)[]
}

export interface TurnsOptions {
  /** How many calls of one key may run at once. */
  readonly maxAtOnce: number
  /** How many calls may wait in all. A key may have only as many as there is still room for, so one alone gets half. */
  readonly maxWaiting: number
  /** The error for a call that cannot even wait. */
  readonly tooMany?: () => AppError
}

export type TakeTurn = <Result>(key: string, run: () => Promise<Result>) => Promise<Result>

export function createTurns({ maxAtOnce, maxWaiting, tooMany = tooManyCalls }: TurnsOptions): TakeTurn {
  const queues = new Map<string, Queue>()
  let waiting = 0

  async function wait(queue: Queue): Promise<void> {
    if (queue.waiting.length >= maxWaiting - waiting) throw tooMany()
    waiting++
    await new Promise<void>((resolve) => queue.waiting.push(resolve))
    waiting--
  }

  return async (key, run) => {
    const queue = queues.get(key) ?? { running: 0, waiting: [] }
    queues.set(key, queue)
    // A call that ends hands its slot to the next in line, so that no new call takes it in between.
    if (queue.running < maxAtOnce) queue.running++
    else await wait(queue)
    try {
      return await run()
    } finally {
      const next = queue.waiting.shift()
      if (next) next()
      else queue.running--
      if (queue.running === 0) queues.delete(key)
    }
  }
}
