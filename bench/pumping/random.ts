/** Random numbers that are the same for the same seed. */
import { randomOf } from '../../server/test/harness/random.ts'

export interface Random {
  readonly next: () => number
  readonly below: (limit: number) => number
  readonly exponential: (mean: number) => number
  readonly normal: () => number
  readonly pick: <Item>(items: readonly Item[]) => Item
}

export function createRandom(seed: number): Random {
  const next = randomOf(seed)
  return {
    next,
    below: (limit) => Math.floor(next() * limit),
    exponential: (mean) => -mean * Math.log(1 - next()),
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    pick: (items) => {
      const item = items[Math.floor(next() * items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
  }
}
