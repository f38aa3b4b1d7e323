/** Strangers whose numbers are near each other, but not so near that they may be a family. */
import { type Debt, unapprovedLately } from '../debt/debt.ts'
import { isAlarmed } from '../debt/threshold.ts'
import { holdMs, type Level, levelRules } from '../levels.ts'
import { type ClosableKey, isClosable, type PlaceKey } from '../place.ts'
import type { Book } from './book.ts'
import type { Situation } from './situation.ts'

/**
 * Strangers come from all over a place: a second one in the same ten thousand numbers, while the first has not used the
 * code, is hardly chance. In the same hundred it may be a family, or the same phone.
 */
export function isPair(book: Book, keys: readonly PlaceKey[], nowMs: number): boolean {
  const unapprovedIn = (wanted: Level) => {
    const key = keys.find(({ level }) => level === wanted)
    return key ? unapprovedLately(book.at(key, nowMs)) : 0
  }
  return unapprovedIn('r10k') === 1 && unapprovedIn('r100') === 0
}

/**
 * While unfamiliar places are attacked, a range at home is held before the second send of a pair, not after it:
 * otherwise an attack that leaves each range after a few messages would get two in each.
 */
export function heldByPair(
  book: Book,
  { place, isHome, isKnown, isLearning, isOnTrial, circumstances: { nowMs } }: Situation,
): { readonly key: ClosableKey; readonly state: Debt } | null {
  const key = place.ranges.find(({ level }) => level === 'r10k')
  if (!key || !isClosable(key) || !isHome || isKnown || isLearning || isOnTrial) return null
  const state = book.at(key, nowMs)
  const isNeighbour = state.approved === 0 && isPair(book, place.ranges, nowMs)
  if (!isNeighbour || state.liftedUntilMs > nowMs) return null
  if (!isAlarmed('unfamiliar', book.at(place.unfamiliar, nowMs))) return null
  return {
    key,
    state: {
      ...state,
      heldUntilMs: nowMs + holdMs,
      threshold: levelRules.r10k.blockUnapproved,
      isForMissing: true,
    },
  }
}
