/**
 * Networks as sorted, disjoint ranges in typed arrays, found by binary search.
 *
 * `net.BlockList` tests its rules one after the other: a thousand times slower at the size of the published lists. The
 * figures are from bench/ip-lookup.ts.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Network, Words } from './words.ts'

/** Ranges of IPv4 or of IPv6: `width` words per address. */
interface Sorted {
  readonly width: 1 | 4
  readonly starts: Uint32Array
  readonly ends: Uint32Array
}

export interface Ranges {
  readonly has: (words: Words) => boolean
  /** Whether one range contains the whole network. */
  readonly covers: (network: Network) => boolean
  /** How many ranges are left after merging. */
  readonly size: number
}

/** Work that can pause: run in one go if it is little, in turns of the event loop if it may be much. */
type Steps<Result> = Generator<void, Result>

const stepsPerTurn = 50_000

export class RangeBuilder {
  readonly #narrow = new NetworkList(1)
  readonly #wide = new NetworkList(4)

  add(network: Network): void {
    const list = network.start.length === 1 ? this.#narrow : this.#wide
    list.push(network)
  }

  build(): Ranges {
    const steps = this.#steps()
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
    }
  }

  /** Does the same in turns, so that requests are answered in between. */
  async buildInTurns(): Promise<Ranges> {
    const steps = this.#steps()
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      await turn()
    }
  }

  *#steps(): Steps<Ranges> {
    const narrow = yield* merged(this.#narrow)
    const wide = yield* merged(this.#wide)
    const indexOf = (words: Words) => find(words.length === 1 ? narrow : wide, words)
    return {
      has: (words) => indexOf(words) >= 0,
      covers: ({ start, end }) => indexOf(start) >= 0 && indexOf(start) === indexOf(end),
      size: narrow.starts.length + wide.starts.length / 4,
    }
  }
}

const firstCapacity = 64

/** Networks of one address family in the order in which they were added, word by word. */
class NetworkList {
  readonly width: 1 | 4
  #starts: Uint32Array
  #ends: Uint32Array
  #count = 0

  constructor(width: 1 | 4) {
    this.width = width
    this.#starts = new Uint32Array(firstCapacity * width)
    this.#ends = new Uint32Array(firstCapacity * width)
  }

  get count(): number {
    return this.#count
  }

  get starts(): Uint32Array {
    return this.#starts
  }

  get ends(): Uint32Array {
    return this.#ends
  }

  push({ start, end }: Network): void {
    const at = this.#count * this.width
    if (at === this.#starts.length) {
      this.#starts = twiceAsLong(this.#starts)
      this.#ends = twiceAsLong(this.#ends)
    }
    this.#starts.set(start, at)
    this.#ends.set(end, at)
    this.#count++
  }
}

function twiceAsLong(words: Uint32Array): Uint32Array {
  const longer = new Uint32Array(words.length * 2)
  longer.set(words)
  return longer
}

/** IPv4 neighbours are joined; IPv6 ranges only if they overlap, which makes no difference to a lookup. */
function* merged(list: NetworkList): Steps<Sorted> {
  const { width, count: total } = list
  const order = yield* ordered(list)
  const starts = new Uint32Array(total * width)
  const ends = new Uint32Array(total * width)
  let count = 0
  for (let index = 0; index < total; index++) {
    if (index % stepsPerTurn === stepsPerTurn - 1) yield
    const from = (order[index] ?? 0) * width
    const last = (count - 1) * width
    const isJoined = count > 0 && compareAt(list.starts, from, ends, last, width) <= (width === 1 ? 1 : 0)
    if (!isJoined) {
      copy(list.starts, from, starts, count * width, width)
      copy(list.ends, from, ends, count++ * width, width)
    } else if (compareAt(list.ends, from, ends, last, width) > 0) copy(list.ends, from, ends, last, width)
  }
  return { width, starts: starts.slice(0, count * width), ends: ends.slice(0, count * width) }
}

const digitBits = 8
const digits = 2 ** digitBits

/** The indexes of the networks by start: a radix sort from the last digit, so that every pass can be interrupted. */
function* ordered({ width, starts, count }: NetworkList): Steps<Uint32Array> {
  let order = new Uint32Array(count)
  for (let index = 0; index < count; index++) order[index] = index
  let next = new Uint32Array(count)
  for (let word = width - 1; word >= 0; word--) {
    for (let shift = 0; shift < 32; shift += digitBits) {
      const digitOf = (index: number) => ((starts[index * width + word] ?? 0) >>> shift) & (digits - 1)
      const slots = yield* firstSlots(order, digitOf)
      for (let at = 0; at < count; at++) {
        if (at % stepsPerTurn === stepsPerTurn - 1) yield
        const index = order[at] ?? 0
        const digit = digitOf(index)
        const slot = slots[digit] ?? 0
        slots[digit] = slot + 1
        next[slot] = index
      }
      ;[order, next] = [next, order]
    }
  }
  return order
}

/** Where the first network with each digit goes. */
function* firstSlots(order: Uint32Array, digitOf: (index: number) => number): Steps<Uint32Array> {
  const slots = new Uint32Array(digits + 1)
  for (let at = 0; at < order.length; at++) {
    if (at % stepsPerTurn === stepsPerTurn - 1) yield
    const after = digitOf(order[at] ?? 0) + 1
    slots[after] = (slots[after] ?? 0) + 1
  }
  for (let digit = 1; digit <= digits; digit++) slots[digit] = (slots[digit] ?? 0) + (slots[digit - 1] ?? 0)
  return slots
}

/** The index of the range that contains the address, or -1. */
function find({ width, starts, ends }: Sorted, words: Words): number {
  let low = 0
  let high = starts.length / width - 1
  while (low <= high) {
    const middle = (low + high) >>> 1
    if (compareAt(words, 0, starts, middle * width, width) < 0) high = middle - 1
    else low = middle + 1
  }
  // Now `high` is the last range that starts at or before the address.
  return high >= 0 && compareAt(words, 0, ends, high * width, width) <= 0 ? high : -1
}

/** Returns a number below, at or above zero, as comparison functions do. */
function compareAt(
  left: ArrayLike<number>,
  leftFrom: number,
  right: ArrayLike<number>,
  rightFrom: number,
  width: number,
): number {
  for (let index = 0; index < width; index++) {
    const difference = (left[leftFrom + index] ?? 0) - (right[rightFrom + index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function copy(source: Uint32Array, from: number, target: Uint32Array, to: number, width: number): void {
  for (let index = 0; index < width; index++) target[to + index] = source[from + index] ?? 0
}
