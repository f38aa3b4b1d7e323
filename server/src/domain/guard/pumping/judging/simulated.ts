/**
 * Keeps tests apart from people. A load test over the simulator uses no code, and would close an address, ranges and
 * whole countries to the people who come afterwards, or at the same time to another app of the company. So a place that
 * only the simulator's messages were charged to begins anew with the first real one, and is not charged for tests after.
 */

import { type Debt, noDebt } from '../debt/debt.ts'
import type { Place, PlaceKey } from '../place.ts'
import type { Book } from './book.ts'

/** Whether a message counts in a place: a test does so only if nothing real was charged there. */
export const countsIn = (state: Debt, isSimulated: boolean): boolean =>
  !isSimulated || state.isSimulated || (state.numbers === 0 && state.usualNumbers === 0)

/** Called before a real message is judged. What somebody has lifted stays lifted. */
export function forgetTests(book: Book, place: Place, nowMs: number): void {
  for (const key of keysIn(place)) {
    const { isSimulated, liftedUntilMs } = book.at(key, nowMs)
    if (isSimulated) book.put(key, { ...noDebt, atMs: nowMs, liftedUntilMs })
  }
}

function* keysIn({ ip, ranges, home, abroad, known, unfamiliar, trial }: Place): Generator<PlaceKey> {
  yield trial
  yield unfamiliar
  if (ip) yield ip
  yield* ranges
  if (home.issuer) yield home.issuer
  for (const { carrier, country } of [home, abroad, known]) {
    yield carrier
    yield country
  }
}
