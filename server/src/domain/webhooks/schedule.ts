/** When an event that was not taken is tried again. */
const delaysSeconds = [5, 30, 120, 600, 1_800, 7_200, 18_000, 36_000]
const longestRetryAfterSeconds = 43_200
const longestRetryAfterText = 64
/** Waits get longer by up to this share, never shorter. */
const jitter = 0.2

/** Null if the event is given up. `attempt` counts from 1; `random` is in [0, 1). */
export function nextDelaySeconds(
  attempt: number,
  retryAfterSeconds: number | null,
  random: number,
): number | null {
  const planned = delaysSeconds[attempt - 1]
  if (planned === undefined) return null
  const asked = Math.min(retryAfterSeconds ?? 0, longestRetryAfterSeconds)
  return Math.max(planned, asked) * (1 + jitter * random)
}

/** Reads seconds or a date, as HTTP allows; null for anything else. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | null {
  if (header === undefined || header.length > longestRetryAfterText) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - nowMs) / 1000))
}
