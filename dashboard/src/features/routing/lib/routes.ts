/** Groups routes by channel and country. */
import type { RouteRow } from '../api/routes.ts'

export interface RoutePlace {
  readonly key: string
  readonly channel: RouteRow['channel']
  readonly country: string | null
  readonly rows: readonly RouteRow[]
}

/** Places with the most messages come first. */
export function placesOf(routes: readonly RouteRow[]): readonly RoutePlace[] {
  const places = new Map<string, RouteRow[]>()
  for (const row of routes) {
    const key = `${row.channel} ${row.country ?? ''}`
    places.set(key, [...(places.get(key) ?? []), row])
  }
  return [...places]
    .flatMap(([key, rows]) =>
      rows.slice(0, 1).map(({ channel, country }) => ({ key, channel, country, rows })),
    )
    .sort((one, other) => sendsOf(other) - sendsOf(one))
}

const sendsOf = ({ rows }: RoutePlace) => rows.reduce((sum, { sends }) => sum + sends, 0)

const decimals = 6

/** What was saved compared with fixed priority; null if it is less than half a cent either way. */
export function savedBy(rows: readonly Pick<RouteRow, 'saved'>[]): string | null {
  const sum = rows.reduce((total, { saved }) => total + Number(saved), 0)
  return Math.abs(sum) < 0.005 ? null : sum.toFixed(decimals)
}
