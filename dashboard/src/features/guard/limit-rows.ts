/** Windows of a limit as a table has them: a number, and a time in a unit of its own. */
import type { AppSettings, LimitWindow } from '@countersign/contract'
import { limitBounds } from '#contract'
import { formatCount, plural } from '#lib/format.ts'

export type LimitName = keyof AppSettings['limits']
export type Unit = 's' | 'min' | 'h'

export interface LimitRow {
  /** Keeps a row apart from its neighbours while it is edited. */
  readonly id: number
  readonly max: string
  readonly count: string
  readonly unit: Unit
}

const unitSeconds: Readonly<Record<Unit, number>> = { s: 1, min: 60, h: 3_600 }

export interface LimitWords {
  readonly name: LimitName
  readonly label: string
  readonly hint: string
  readonly counted: readonly [one: string, many: string]
  readonly place: string
}

const sends = ['send', 'sends'] as const

export const limitWords: readonly LimitWords[] = [
  {
    name: 'recipient',
    label: 'One recipient',
    hint: 'Over all apps of the company.',
    counted: sends,
    place: 'to one recipient',
  },
  {
    name: 'recipient_failures',
    label: 'Wrong codes',
    hint: 'With too many, new sends wait; pending verifications can still be finished.',
    counted: ['wrong code', 'wrong codes'],
    place: 'for one recipient',
  },
  {
    name: 'ip',
    label: 'One address',
    hint: 'An approval gives its send back. IPv6 counts by /64.',
    counted: sends,
    place: 'from one address',
  },
  {
    name: 'flagged_ip',
    label: 'One flagged address',
    hint: 'VPNs, proxies, Tor and data centres. Must be below one address.',
    counted: sends,
    place: 'from one flagged address',
  },
  {
    name: 'app_without_ip',
    label: 'Without an address',
    hint: 'All sends without a usable client_ip together. Must be below the whole app.',
    counted: sends,
    place: 'without a client address',
  },
  {
    name: 'app',
    label: 'The whole app',
    hint: 'All sends.',
    counted: sends,
    place: 'in all',
  },
]

let lastId = 0
export function newRow(max = '', count = '10', unit: Unit = 'min'): LimitRow {
  lastId += 1
  return { id: lastId, max, count, unit }
}

function unitOf(seconds: number): Unit {
  if (seconds % 3_600 === 0) return 'h'
  return seconds % 60 === 0 ? 'min' : 's'
}

export const rowsOf = (windows: readonly LimitWindow[]): readonly LimitRow[] =>
  windows.map(({ max, window_s }) => {
    const unit = unitOf(window_s)
    return newRow(String(max), String(window_s / unitSeconds[unit]), unit)
  })

const windowOf = ({ max, count, unit }: LimitRow): LimitWindow => ({
  max: Number(max),
  window_s: Number(count) * unitSeconds[unit],
})

export const windowsOf = (rows: readonly LimitRow[]) => rows.map(windowOf)

export const isSame = (one: readonly LimitRow[], other: readonly LimitRow[]): boolean =>
  JSON.stringify(windowsOf(one)) === JSON.stringify(windowsOf(other))

const isWithin = (value: number, { min, max }: { readonly min: number; readonly max: number }) =>
  value >= min && value <= max

export function rowProblem(row: LimitRow, { name }: LimitWords): string | undefined {
  const { max, window_s } = windowOf(row)
  const bounds = limitBounds[name]
  if (!isWithin(max, bounds.max)) {
    return `Enter a number from ${bounds.max.min} to ${formatCount(bounds.max.max)}`
  }
  if (!isWithin(window_s, bounds.window_s)) {
    const { min, max: longest } = bounds.window_s
    return `Enter a time from ${plural(min, 'second')} to ${plural(longest / unitSeconds.h, 'hour')}`
  }
  return undefined
}

const unitWords: Readonly<Record<Unit, string>> = { s: 'second', min: 'minute', h: 'hour' }

/** `20 sends in 10 minutes from one address`. */
export function rowInWords({ max, count, unit }: LimitRow, { counted, place }: LimitWords): string {
  const time =
    Number(count) === 1
      ? `a${unit === 'h' ? 'n' : ''} ${unitWords[unit]}`
      : plural(Number(count), unitWords[unit])
  return `${plural(Number(max), ...counted)} in ${time} ${place}`
}
