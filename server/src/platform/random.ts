/** Random bytes, each given out once. Many are drawn at a time: drawing for each id would be most of its cost. */
import { randomFillSync } from 'node:crypto'

const drawnBytes = 4_096

const drawn = Buffer.alloc(drawnBytes)
let given = drawnBytes

/** `count` must not exceed `drawnBytes`. */
export function drawBytes(count: number): Buffer {
  if (given + count > drawnBytes) {
    randomFillSync(drawn)
    given = 0
  }
  const bytes = Buffer.from(drawn.subarray(given, given + count))
  drawn.fill(0, given, given + count)
  given += count
  return bytes
}
