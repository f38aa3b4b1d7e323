/** Random numbers that are the same for the same seed. */
export interface Random {
  readonly next: () => number
  readonly below: (limit: number) => number
  readonly exponential: (mean: number) => number
  readonly normal: () => number
  readonly pick: <Item>(items: readonly Item[]) => Item
}

/** Mulberry32: small, fast, and good enough for traffic. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
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
