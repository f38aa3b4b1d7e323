import type { Schedule } from './schedule.ts'

const MAX_RETRIES = 10
const FIRST_DELAY_MS = 200
const LONGEST_DELAY_MS = 15_000

/** Repeats an attempt with growing delays until it succeeds; false when it never did. */
export async function retry(schedule: Schedule, attempt: () => Promise<boolean>): Promise<boolean> {
  for (let retries = 0; ; retries += 1) {
    if (await attempt()) return true
    if (retries === MAX_RETRIES) return false
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** retries, LONGEST_DELAY_MS)
    if (!(await schedule.pause(delayMs))) return false
  }
}
