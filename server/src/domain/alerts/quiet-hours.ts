/** When a channel may be told: at once, or when its quiet hours end. */
import type { AlertChannel } from '@countersign/contract'

const minuteMs = 60_000
const dayMinutes = 1_440

const minutesOf = (time: string) => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

function minutesNow(nowMs: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(nowMs)
  return minutesOf(parts)
}

/** How long the channel is still quiet; 0 if it is not. */
export function quietForMs(quiet: AlertChannel['quiet_hours'], nowMs: number): number {
  if (!quiet) return 0
  const [from, to, now] = [minutesOf(quiet.from), minutesOf(quiet.to), minutesNow(nowMs, quiet.time_zone)]
  const isQuiet = from < to ? now >= from && now < to : now >= from || now < to
  if (!isQuiet) return 0
  const left = (to - now + dayMinutes) % dayMinutes
  // Quiet hours end at a full minute, so the seconds of this minute that have passed are subtracted.
  return left * minuteMs - (nowMs % minuteMs)
}
