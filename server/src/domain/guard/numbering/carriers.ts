/**
 * Whom the numbering plan issued a number to. Numbers may be ported: it says where one comes from, not who serves it
 * today.
 */
import { carrierTable } from './carrier-table.ts'

/** Numbers are compared by so many digits: the longest prefix that the table knows. */
const width = 9
const startOf = (digits: string) => Number(digits.slice(0, width).padEnd(width, '0'))
const endOf = (digits: string) => Number(digits.slice(0, width).padEnd(width, '9')) + 1

interface Table {
  /** Of ranges that do not overlap, in order: where each begins and ends, and whose it is. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly owners: Uint16Array
  /** By owner: the carrier's name, and how much of the plan its ranges cover. */
  readonly names: readonly string[]
  readonly sizes: Float64Array
}

function readTable(): Table {
  const lines = carrierTable.trim().split('\n')
  const ranges = lines
    .flatMap((line, owner) =>
      line
        .slice(line.indexOf('|') + 1)
        .split(' ')
        .map((text) => {
          const [first = '', last = first] = text.split('-')
          return { start: startOf(first), end: endOf(last), owner }
        }),
    )
    .sort((one, other) => one.start - other.start)
  const sizes = new Float64Array(lines.length)
  for (const { start, end, owner } of ranges) sizes[owner] = (sizes[owner] ?? 0) + end - start
  return {
    starts: Uint32Array.from(ranges, ({ start }) => start),
    ends: Uint32Array.from(ranges, ({ end }) => end),
    owners: Uint16Array.from(ranges, ({ owner }) => owner),
    names: lines.map((line) => line.slice(0, line.indexOf('|'))),
    sizes,
  }
}

let read: Table | undefined
/** Read when it is first asked: most commands of the program never do. */
function table(): Table {
  read ??= readTable()
  return read
}

/** The first range that ends after this. */
function indexAt({ ends }: Table, value: number): number {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ends[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low
}

/** The carrier of a number, if it was issued fewer numbers than begin with this prefix of it; both without `+`. */
export function smallCarrierOf(digits: string, prefix: string): string | null {
  const { starts, owners, names, sizes } = table()
  const value = startOf(digits)
  const index = indexAt(table(), value)
  const [start, owner] = [starts[index], owners[index]]
  if (start === undefined || owner === undefined || start > value) return null
  return (sizes[owner] ?? 0) < endOf(prefix) - startOf(prefix) ? (names[owner] ?? null) : null
}

/** The carrier that has more than half of what begins with this prefix. */
export function mainCarrierOf(prefix: string): string | null {
  const { starts, ends, owners, names } = table()
  const [from, to] = [startOf(prefix), endOf(prefix)]
  const shares = new Map<number, number>()
  for (let index = indexAt(table(), from); (starts[index] ?? to) < to; index++) {
    const [start = 0, end = 0, owner = 0] = [starts[index], ends[index], owners[index]]
    shares.set(owner, (shares.get(owner) ?? 0) + Math.min(end, to) - Math.max(start, from))
  }
  const most = [...shares].find(([, share]) => 2 * share > to - from)
  return most ? (names[most[0]] ?? null) : null
}
