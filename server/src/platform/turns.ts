/** Bounds how many calls of one key run at once. Further calls of that key wait in line, those of other keys do not. */
import { AppError } from '@countersign/contract'

interface Line {
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

export function createTurns({ maxAtOnce, maxWaiting, tooMany = unavailable }: TurnsOptions): TakeTurn {
  const lines = new Map<string, Line>()
  let waiting = 0

  async function wait(line: Line): Promise<void> {
    if (line.waiting.length >= maxWaiting - waiting) throw tooMany()
    waiting++
    await new Promise<void>((resolve) => line.waiting.push(resolve))
    waiting--
  }

  return async (key, run) => {
    const line = lines.get(key) ?? { running: 0, waiting: [] }
    lines.set(key, line)
    // A call that ends hands its slot to the next in line, so that no new call takes it in between.
    if (line.running < maxAtOnce) line.running++
    else await wait(line)
    try {
      return await run()
    } finally {
      const next = line.waiting.shift()
      if (next) next()
      else line.running--
      if (line.running === 0) lines.delete(key)
    }
  }
}

const unavailable = () =>
  new AppError('UnavailableError', 'Too many calls are waiting. Try again shortly.', { retry_after: 1 })
