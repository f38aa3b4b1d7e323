/**
 * Finds the carrier that the numbering plan issued a number to. Another carrier may serve it today, since numbers are
 * ported.
 */
import { carrierTable } from './carrier-table.ts'

/** How many digits of a number are compared: those of the longest prefix in the table. */
const width = 9
const startOf = (digits: string) => Number(digits.slice(0, width).padEnd(width, '0'))
const endOf = (digits: string) => Number(digits.slice(0, width).padEnd(width, '9')) + 1

interface Table {
  /** Sorted ranges that do not overlap: where each begins and ends, and which carrier it was issued to. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly owners: Uint16Array
  readonly issuers: readonly Issuer[]
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
  const sizes = lines.map(() => 0)
  for (const { start, end, owner } of ranges) sizes[owner] = (sizes[owner] ?? 0) + end - start
  return {
    starts: Uint32Array.from(ranges, ({ start }) => start),
    ends: Uint32Array.from(ranges, ({ end }) => end),
    owners: Uint16Array.from(ranges, ({ owner }) => owner),
    issuers: lines.map((line, owner) => ({
      name: line.slice(0, line.indexOf('|')),
      size: sizes[owner] ?? 0,
    })),
  }
}

let read: Table | undefined
/** Reads the table at its first use, since most commands of the program never use it. */
function table(): Table {
  read ??= readTable()
  return read
}

/** The index of the first range that ends after this value. */
function indexAt({ ends }: Table, value: number): number {
  let [low, high] = [0, ends.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ends[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low
}

interface Issuer {
  readonly name: string
  /** How much of the numbering plan this carrier has. */
  readonly size: number
}

/** How much of the numbering plan begins with this prefix. */
export const sizeOf = (prefix: string) => endOf(prefix) - startOf(prefix)

/** The issuer of a number in E.164 without `+`; null if the plan names none. */
export function issuerOf(digits: string): Issuer | null {
  const { starts, owners, issuers } = table()
  const value = startOf(digits)
  const index = indexAt(table(), value)
  return (starts[index] ?? value + 1) > value ? null : (issuers[owners[index] ?? -1] ?? null)
}

/** The carrier that has more than half of the numbers with this prefix. */
export function mainCarrierOf(prefix: string): string | null {
  const { starts, ends, owners, issuers } = table()
  const [from, to] = [startOf(prefix), endOf(prefix)]
  const shares = new Map<number, number>()
  for (let index = indexAt(table(), from); (starts[index] ?? to) < to; index++) {
    const [start = 0, end = 0, owner = 0] = [starts[index], ends[index], owners[index]]
    shares.set(owner, (shares.get(owner) ?? 0) + Math.min(end, to) - Math.max(start, from))
  }
  const most = [...shares].find(([, share]) => 2 * share > to - from)
  return most ? (issuers[most[0]]?.name ?? null) : null
}
