/** Figures of what is over are gathered by upkeep, in slices, each once over all nodes. */
import type { Database } from '../../platform/database.ts'
import { gatherSlice, readProgress } from './figures-store.ts'

const minuteMs = 60_000
/** Divides an hour, so that a slice never lies in two. */
const sliceMs = 10 * minuteMs
/** A verification lives for a hundred minutes at most. A receipt that comes later still is not counted. */
const finalAfterMs = 120 * minuteMs
const mostSlices = 100

/** Answers whether there is more to gather at once. */
export async function gatherFigures(database: Database): Promise<boolean> {
  for (let slice = 0; slice < mostSlices; slice++) {
    const { gatheredToMs, nowMs } = await readProgress(database)
    const toMs = gatheredToMs + sliceMs
    if (toMs > nowMs - finalAfterMs) return false
    await gatherSlice(database, gatheredToMs, toMs)
  }
  return true
}
