/**
 * Networks as sorted, disjoint ranges in typed arrays, found by binary search.
 *
 * `net.BlockList` goes through its rules one after the other: a thousand times slower at the size of the
 * lists that are published. The figures are those of bench/ip-lookup.ts.
 */
import type { Network, Words } from './words.ts'

/** Of one family: `width` words per address. */
interface Sorted {
  readonly width: 1 | 4
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

export interface Ranges {
  readonly has: (words: Words) => boolean
  /** Whether one range holds all of it. */
  readonly covers: (network: Network) => boolean
  /** After merging. */
  readonly size: number
}

export class RangeBuilder {
  /** End before start: read as little-endian 64-bit numbers they sort by start, then end. */
  readonly #pairs: number[] = []
  readonly #wide: Network[] = []

  add({ start, end }: Network): void {
    if (start.length === 1) this.#pairs.push(end[0] ?? 0, start[0] ?? 0)
    else this.#wide.push({ start, end })
  }

  build(): Ranges {
    const narrow = mergeNarrow(Uint32Array.from(this.#pairs))
    const wide = mergeWide(this.#wide)
    const indexOf = (words: Words) => find(words.length === 1 ? narrow : wide, words)
    return {
      has: (words) => indexOf(words) >= 0,
      covers: ({ start, end }) => indexOf(start) >= 0 && indexOf(start) === indexOf(end),
      size: narrow.starts.length + wide.starts.length / 4,
    }
  }
}

/** Every platform that Node runs on is little-endian, but for one that we do not support. */
function mergeNarrow(pairs: Uint32Array): Sorted {
  new BigUint64Array(pairs.buffer).sort()
  const starts = new Uint32Array(pairs.length / 2)
  const ends = new Uint32Array(pairs.length / 2)
  let count = 0
  for (let index = 0; index < pairs.length; index += 2) {
    const [end = 0, start = 0] = [pairs[index], pairs[index + 1]]
    const last = ends[count - 1]
    if (last !== undefined && start <= last + 1) ends[count - 1] = Math.max(last, end)
    else {
      starts[count] = start
      ends[count++] = end
    }
  }
  return { width: 1, starts: starts.slice(0, count), ends: ends.slice(0, count) }
}

/** Neighbours are not joined as in IPv4, only what overlaps: a lookup is the same. */
function mergeWide(networks: Network[]): Sorted {
  networks.sort((left, right) => compareAt(left.start, right.start, 0))
  const starts = new Uint32Array(networks.length * 4)
  const ends = new Uint32Array(networks.length * 4)
  let count = 0
  for (const { start, end } of networks) {
    if (count > 0 && compareAt(start, ends, (count - 1) * 4) <= 0) {
      if (compareAt(end, ends, (count - 1) * 4) > 0) ends.set(end, (count - 1) * 4)
    } else {
      starts.set(start, count * 4)
      ends.set(end, count++ * 4)
    }
  }
  return { width: 4, starts: starts.slice(0, count * 4), ends: ends.slice(0, count * 4) }
}

/** The range that holds the address, or -1. */
function find({ width, starts, ends }: Sorted, words: Words): number {
  let low = 0
  let high = starts.length / width - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    if (compareAt(words, starts, middle * width) < 0) high = middle - 1
    else low = middle + 1
  }
  // Now `high` is the last range that starts at or before the address.
  return high >= 0 && compareAt(words, ends, high * width) <= 0 ? high : -1
}

function compareAt(words: Words, stored: ArrayLike<number>, offset: number): number {
  for (let index = 0; index < words.length; index++) {
    const difference = (words[index] ?? 0) - (stored[offset + index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
