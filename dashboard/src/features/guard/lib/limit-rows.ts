/** The windows of a limit as rows of a table: a number, and a duration with its unit. */
import type { AppSettings, FieldProblem, LimitWindow } from '@countersign/contract'
import { limitBounds } from '#contract'
import { withLabels } from '#lib/form/problems.ts'
import { givenNumber } from '#lib/form/typed.ts'
import { formatCount, plural } from '#lib/format.ts'
import { settingLabels } from '#lib/setting-labels.ts'

type LimitName = keyof AppSettings['limits']
export type Unit = 's' | 'min' | 'h'

/** A duration as people write it. */
interface Duration {
  readonly count: number | null
  readonly unit: Unit
}

/** With the names of the API, so that its problems find their fields. */
export interface LimitRow {
  readonly max: number | null
  readonly window_s: Duration
}

export interface LimitValues {
  readonly limits: Record<LimitName, LimitRow[]>
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
    label: settingLabels['limits.recipient'],
    hint: 'Across all apps of the company.',
    counted: sends,
    place: 'to one recipient',
  },
  {
    name: 'recipient_failures',
    label: settingLabels['limits.recipient_failures'],
    hint: 'After too many, new sends have to wait. Pending verifications can still be finished.',
    counted: ['wrong code', 'wrong codes'],
    place: 'for one recipient',
  },
  {
    name: 'ip',
    label: settingLabels['limits.ip'],
    hint: 'An approved send no longer counts. IPv6 addresses count per /64.',
    counted: sends,
    place: 'from one address',
  },
  {
    name: 'flagged_ip',
    label: settingLabels['limits.flagged_ip'],
    hint: 'VPNs, proxies, Tor and data centres. Must be below “One address”.',
    counted: sends,
    place: 'from one flagged address',
  },
  {
    name: 'app_without_ip',
    label: settingLabels['limits.app_without_ip'],
    hint: 'All sends without a usable client_ip together. Must be below “The whole app”.',
    counted: sends,
    place: 'without a client address',
  },
  {
    name: 'app',
    label: settingLabels['limits.app'],
    hint: 'All sends.',
    counted: sends,
    place: 'in all',
  },
]

export const newRow = (
  max: number | null = null,
  count: number | null = 10,
  unit: Unit = 'min',
): LimitRow => ({ max, window_s: { count, unit } })

function unitOf(seconds: number): Unit {
  if (seconds % 3_600 === 0) return 'h'
  return seconds % 60 === 0 ? 'min' : 's'
}

export const rowsOf = (windows: readonly LimitWindow[]): LimitRow[] =>
  windows.map(({ max, window_s }) => {
    const unit = unitOf(window_s)
    return newRow(max, window_s / unitSeconds[unit], unit)
  })

export const windowsOf = (rows: readonly LimitRow[]): LimitWindow[] =>
  rows.map(({ max, window_s: { count, unit } }) => ({
    max: givenNumber(max),
    window_s: givenNumber(count) * unitSeconds[unit],
  }))

export const isSameLimit = (one: readonly LimitRow[], other: readonly LimitRow[]): boolean =>
  JSON.stringify(windowsOf(one)) === JSON.stringify(windowsOf(other))

const limitOf = (name: string | undefined) => limitWords.find((words) => words.name === name)

const isEmpty = (row: LimitRow | undefined, part: string | undefined) =>
  part === 'max' ? row?.max === null : part === 'window_s' && row?.window_s.count === null

/** The API's messages count in seconds and use its own names of limits; the page has units and labels. */
export function rewordLimit({ path, message }: FieldProblem, { limits }: LimitValues): FieldProblem {
  const [, name, index, part] = path.split('.')
  const limit = limitOf(name)
  if (!limit || isEmpty(limits[limit.name][Number(index)], part)) return { path, message }
  const { max, window_s } = limitBounds[limit.name]
  if (part === 'max') return { path, message: `must be from ${max.min} to ${formatCount(max.max)}` }
  if (part === 'window_s') {
    const longest = plural(window_s.max / unitSeconds.h, 'hour')
    return { path, message: `must be from ${plural(window_s.min, 'second')} to ${longest}` }
  }
  const said = withLabels(message, (other) => {
    const words = limitOf(other.split('.')[1])
    return words && `“${words.label}”`
  })
  return { path, message: `“${limit.label}” ${said}` }
}

const unitWords: Readonly<Record<Unit, string>> = { s: 'second', min: 'minute', h: 'hour' }

/** A row in words, such as `20 sends in 10 minutes from one address`; empty while the row is incomplete. */
export function rowInWords({ max, window_s }: LimitRow, { counted, place }: LimitWords): string {
  const { count, unit } = window_s
  if (max === null || count === null || !Number.isFinite(max + count)) return ''
  const time = count === 1 ? `a${unit === 'h' ? 'n' : ''} ${unitWords[unit]}` : plural(count, unitWords[unit])
  return `${plural(max, ...counted)} in ${time} ${place}`
}
