/** The time zone in which times are shown: the browser's, until somebody chooses another. */
import { useSyncExternalStore } from 'react'
import { readStored, writeStored } from './storage.ts'

const key = 'time-zone'
const listeners = new Set<() => void>()

export const browserZone = new Intl.DateTimeFormat().resolvedOptions().timeZone

/** UTC comes first, since logs are in UTC. */
export const timeZones: readonly string[] = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]

/** Null for the browser's own time zone. */
function chosenZone(): string | null {
  const stored = readStored(key)
  return stored !== null && timeZones.includes(stored) ? stored : null
}

export function chooseZone(zone: string | null): void {
  writeStored(key, zone ?? '')
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useChosenZone = (): string | null => useSyncExternalStore(subscribe, chosenZone)

/** In the format of a date and time field: `2026-01-31T09:30:00`. */
const clockFormat = (zone: string) =>
  // The Swedish format is almost that of such fields.
  new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone: zone })

/** What a clock in the chosen zone shows at that moment. */
export const clockAt = (ms: number): string =>
  clockFormat(chosenZone() ?? browserZone)
    .format(new Date(ms))
    .replace(' ', 'T')

/** The day in the chosen zone that a time falls on, in the format of the filters. */
export const dayOf = (time: string): string => clockAt(Date.parse(time)).slice(0, 'YYYY-MM-DD'.length)

/** The moment at which a clock in the chosen zone shows that time, or skips it; NaN if it is not a time. */
export function momentOf(clock: string): number {
  const wanted = Date.parse(`${clock}Z`)
  if (Number.isNaN(wanted)) return wanted
  const closer = (at: number) => at + wanted - Date.parse(`${clockAt(at)}Z`)
  // Twice: the clocks may change between the first guess and the moment.
  const at = closer(closer(wanted))
  // A time that clocks skip is never reached: one guess is before the change, the next after it.
  return Math.max(at, closer(at))
}

/** A formatter of times that follows the chosen zone. */
export function zoned(options: Intl.DateTimeFormatOptions): (time: string) => string {
  const made = new Map<string, Intl.DateTimeFormat>()
  return (time) => {
    const zone = chosenZone() ?? browserZone
    const format = made.get(zone) ?? new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone })
    made.set(zone, format)
    return format.format(new Date(time))
  }
}
