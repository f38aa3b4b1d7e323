/** So many calls of one key at once; further ones of that key wait in line, and nobody else waits for them. */
import { AppError } from '@countersign/contract'

interface Line {
  running: number
  readonly waiting: (() => void)[]
}

export interface TurnsOptions {
  /** Of one key. */
  readonly maxAtOnce: number
  /** Of all keys; of one as many as there is still room for. Others are refused. */
  readonly maxWaiting: number
}

export type TakeTurn = <Result>(key: string, run: () => Promise<Result>) => Promise<Result>

export function createTurns({ maxAtOnce, maxWaiting }: TurnsOptions): TakeTurn {
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
    // Whoever ends hands its place over, so that nobody slips in between.
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

const tooMany = () =>
  new AppError('UnavailableError', 'Too many calls are waiting. Try again shortly.', { retry_after: 1 })
