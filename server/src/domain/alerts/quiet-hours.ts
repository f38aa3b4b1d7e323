/** When a channel may be told: at once, or when its quiet hours end. */
import type { AlertChannel } from '@countersign/contract'

const minuteMs = 60_000
const dayMinutes = 1_440

const minutesOf = (time: string) => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

function minutesAt(atMs: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(atMs)
  return minutesOf(parts)
}

type QuietHours = NonNullable<AlertChannel['quiet_hours']>

function isQuiet({ from, to, time_zone }: QuietHours, atMs: number): boolean {
  const [begins, ends, now] = [minutesOf(from), minutesOf(to), minutesAt(atMs, time_zone)]
  return begins < ends ? now >= begins && now < ends : now >= begins || now < ends
}

/** How long the channel is still quiet; 0 if it is not. */
export function quietForMs(quiet: AlertChannel['quiet_hours'], nowMs: number): number {
  if (!quiet || !isQuiet(quiet, nowMs)) return 0
  const to = minutesOf(quiet.to)
  const left = (to - minutesAt(nowMs, quiet.time_zone) + dayMinutes) % dayMinutes
  // Quiet hours end at a full minute.
  const endMs = nowMs - (nowMs % minuteMs) + left * minuteMs
  // Clocks that are changed in these hours show another time then, by an hour at most.
  const off = to - minutesAt(endMs, quiet.time_zone)
  const correctedMs = endMs + (((off + 1.5 * dayMinutes) % dayMinutes) - dayMinutes / 2) * minuteMs
  // An end that clocks skip is never shown.
  return (isQuiet(quiet, correctedMs) ? endMs : correctedMs) - nowMs
}
