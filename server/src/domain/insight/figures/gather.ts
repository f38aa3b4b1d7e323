/** Upkeep gathers the figures of verifications that are over, in slices, each once over all nodes. */
import type { Database } from '../../../platform/database.ts'
import { startOfDay } from '../../../platform/partitions.ts'
import { endOfSlice, findFirst, gatherAgain, gatherSlice, isSliceOver, moveMark } from './gather-store.ts'
import { readProgress } from './store.ts'

const minuteMs = 60_000
/** Divides an hour evenly, so that a slice is never in two hours. */
const sliceMs = 10 * minuteMs
/** By then nearly every verification is over and its receipts have come; later receipts are not counted. */
const finalAfterMs = 30 * minuteMs
/** Resends may keep a verification open for longer: the receipt of its last message is waited for too. */
const receiptMs = 20 * minuteMs
const mostSlices = 100
/** A busy slice is cut, so that a statement does not grow with what is sent. */
const mostInSlice = 50_000

const startOfSlice = (timeMs: number) => Math.floor(timeMs / sliceMs) * sliceMs

/** Returns whether there is more to gather at once. */
export async function gatherFigures(database: Database): Promise<boolean> {
  for (let slice = 0; slice < mostSlices; slice++) {
    const { gatheredToMs, nowMs } = await readProgress(database)
    if (gatheredToMs > nowMs) {
      // The clock was ahead and has been put right. What has come since the start of the day is gathered anew.
      await gatherAgain(database, gatheredToMs, startOfDay(nowMs))
      continue
    }
    const finalToMs = startOfSlice(nowMs - finalAfterMs)
    if (gatheredToMs >= finalToMs) return false
    // A service that was off for a year has fifty thousand slices with nothing in them.
    const firstMs = await findFirst(database, gatheredToMs, finalToMs)
    const filledFromMs = firstMs === null ? finalToMs : startOfSlice(firstMs)
    if (filledFromMs > gatheredToMs) {
      await moveMark(database, gatheredToMs, filledFromMs)
      continue
    }
    const wholeToMs = startOfSlice(gatheredToMs) + sliceMs
    const toMs = await endOfSlice(database, { fromMs: gatheredToMs, toMs: wholeToMs, most: mostInSlice })
    // A verification that is over stays over, so nothing can change between this check and the gathering.
    if (!(await isSliceOver(database, { fromMs: gatheredToMs, toMs, overForMs: receiptMs }))) return false
    await gatherSlice(database, gatheredToMs, toMs)
  }
  return true
}
