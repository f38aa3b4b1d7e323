/** How much processor time something took, and how long it waited for a processor, as it does on a busy machine. */
import { readFileSync } from 'node:fs'

export interface Cost {
  readonly wallMs: number
  /** The processor time of this process and the database's together. */
  readonly cpuMs: number
  /** How long it would have taken if a processor had always been free. */
  readonly ownMs: number
}

interface Spent {
  readonly cpuMs: number
  readonly inLineMs: number
}

/** The times of a process's main thread; zeros if the system does not report them, or the process is gone. */
function spentBy(pid: number | 'self'): Spent {
  try {
    const [run = 0, inLine = 0] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ').map(Number)
    return { cpuMs: run / 1e6, inLineMs: inLine / 1e6 }
  } catch {
    return { cpuMs: 0, inLineMs: 0 }
  }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

export async function costOf(pids: readonly number[], run: () => Promise<void>): Promise<Cost> {
  const all = ['self', ...pids] as const
  const before = all.map(spentBy)
  const begun = performance.now()
  await run()
  const wallMs = performance.now() - begun
  const after = all.map(spentBy)
  const grown = (of: (spent: Spent) => number) =>
    sum(after.map((spent, index) => Math.max(0, of(spent) - of(before[index] ?? spent))))
  return {
    wallMs,
    cpuMs: grown(({ cpuMs }) => cpuMs),
    ownMs: wallMs - grown(({ inLineMs }) => inLineMs),
  }
}

/** Cases run in parallel, until one has to be repeated alone. */
export class Floor {
  #running = 0
  #alone: Promise<void> = Promise.resolve()
  #onEmpty: () => void = () => {}

  async beside<Result>(run: () => Promise<Result>): Promise<Result> {
    for (let alone = this.#alone; ; alone = this.#alone) {
      await alone
      if (alone === this.#alone) break
    }
    this.#running++
    try {
      return await run()
    } finally {
      if (--this.#running === 0) this.#onEmpty()
    }
  }

  async alone<Result>(run: () => Promise<Result>): Promise<Result> {
    const before = this.#alone
    let end = () => {}
    this.#alone = new Promise((resolve) => {
      end = resolve
    })
    await before
    if (this.#running > 0)
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve
      })
    this.#onEmpty = () => {}
    return run().finally(end)
  }
}
