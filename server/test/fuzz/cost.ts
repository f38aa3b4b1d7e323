/** What something took of the processor, and how long it stood in line for one: a busy machine makes anything slow. */
import { readFileSync } from 'node:fs'

export interface Cost {
  readonly wallMs: number
  /** Of this process and of the database's together. */
  readonly cpuMs: number
  /** As long as it would have taken with a processor always free. */
  readonly ownMs: number
}

interface Spent {
  readonly cpuMs: number
  readonly inLineMs: number
}

/** Of the first thread of a process; nothing where the system does not say, or the process has gone. */
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

/** Cases run beside each other, until one has to be looked at with nobody beside it. */
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
