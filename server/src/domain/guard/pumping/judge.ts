/** May a paid message go to this number? Judged on debts in memory; the caller has locked what they came from. */
import type { Trust } from './acquaintance.ts'
import { type Barrier, barrierAt, freeAtMs, isLaneOpen, isParent } from './barrier.ts'
import type { Book } from './book.ts'
import { countTurnedAway } from './count-fit.ts'
import { countAsked, countNewcomer, type Debt } from './debt.ts'
import {
  busyAsked,
  holdMs,
  type Level,
  laneKnownQuietMs,
  laneQuietMs,
  learningUnapproved,
  type PlaceLevel,
} from './levels.ts'
import { heldByPair } from './pair.ts'
import { type ClosableKey, isClosable, type Place, type PlaceKey } from './place.ts'
import { type Circumstances, isSmallCarrier, type Situation, situationOf } from './situation.ts'

/** What barriers need to know of the recipient. */
export interface Asker {
  readonly trust: Trust
  /** When this recipient last had a message, and when it was last turned away. */
  readonly sentAtMs: number
  readonly turnedAwayAtMs: number
}

export interface Stop {
  readonly by: ClosableKey
  readonly state: Debt
  readonly isHold: boolean
  readonly untilMs: number
  /** What share of codes was expected to be used there. */
  readonly conversion: number
}

export interface Verdict {
  /** Null: the message may go. */
  readonly stop: Stop | null
  /** What would stand in the way, if the app did not still learn. */
  readonly watched: Stop | null
  /** The closed places that it passes as a scout, and those that it passes by their lane. */
  readonly scouts: readonly PlaceKey[]
  readonly lanes: readonly PlaceKey[]
  /** In a range in which nobody else asks; or a known recipient who does not ask often. */
  readonly isNewcomer: boolean
  readonly situation: Situation
}

/** Small enough to be closed even while an app learns. */
export const isTiny = (level: Level) => level === 'ip' || level === 'r100' || level === 'r1k'
/** The others: who is held there says whether the guard has to learn anew. */
export const wideLevels: readonly PlaceLevel[] = [
  'r10k',
  'carrier',
  'country',
  'known_carrier',
  'known_country',
]

export function judge(book: Book, place: Place, circumstances: Circumstances, asker: Asker): Verdict {
  const { nowMs } = circumstances
  const situation = situationOf(book, place, circumstances, asker.trust)
  const { parents, isKnown } = situation
  const barred = isKnown
    ? [parents.carrier, parents.country]
    : [
        ...(place.ip ? [place.ip] : []),
        ...place.ranges,
        ...(parents.issuer ? [parents.issuer] : []),
        parents.carrier,
        parents.country,
      ]
  const isNewcomer = isNew(book, situation, asker)
  const canScout = !isInBusyRange(book, situation)
  const scouts: PlaceKey[] = []
  const lanes: PlaceKey[] = []
  let stop: Stop | null = null
  let watched: Stop | null = null
  for (const key of barred.filter(isClosable)) {
    const barrier = barrierOf(book, key, situation)
    if (barrier.status === 'open') continue
    if (isNewcomer && isParent(key.level) && isLaneOpen(barrier.state, nowMs)) lanes.push(key)
    else if (barrier.status === 'scouting' && canScout) scouts.push(key)
    else if (isOnlyWatched(key, barrier.state, situation)) watched = worse(watched, key, barrier, situation)
    else stop = worse(stop, key, barrier, situation)
  }
  return { stop: stop ?? stopPair(book, situation), watched, scouts, lanes, isNewcomer, situation }
}

function stopPair(book: Book, situation: Situation): Stop | null {
  const held = heldByPair(book, situation)
  if (!held) return null
  book.put(held.key, held.state)
  return worse(null, held.key, { state: held.state, status: 'held' }, situation)
}

function barrierOf(book: Book, key: PlaceKey, situation: Situation) {
  const { place, isEstablished: isKnownPlace, isHome, circumstances } = situation
  const { nowMs } = circumstances
  const { learntAtMs } = book.fitOf(place.appId, nowMs)
  const state = book.at(key, nowMs)
  const barrier = barrierAt(
    isTiny(key.level) ? state : withoutLearning(state, learntAtMs),
    key.level,
    { isKnownPlace, isHome },
    nowMs,
  )
  if (barrier.state !== state) book.put(key, barrier.state)
  return barrier
}

/** While an app learns, wide places are closed only where dozens of messages led to no approval at all. */
export function isOnlyWatched(
  { level }: { readonly level: Level },
  { numbers, approved }: Pick<Debt, 'numbers' | 'approved'>,
  { isLearning, isUnproven }: Pick<Situation, 'isLearning' | 'isUnproven'>,
) {
  if (!isLearning || isTiny(level)) return false
  return !(isUnproven && isParent(level) && numbers >= learningUnapproved && approved === 0)
}

/** What a wide place owed while the app learnt closes nothing afterwards. */
const withoutLearning = (state: Debt, endedAtMs: number): Debt =>
  state.heldUntilMs > 0 && state.heldUntilMs < endedAtMs + holdMs && state.struckAtMs < endedAtMs
    ? {
        ...state,
        debt: 0,
        due: [],
        blockedUntilMs: 0,
        heldUntilMs: 0,
        strikes: 0,
        limit: 0,
        scoutAtMs: 0,
        scoutGapMs: 0,
      }
    : state

/** Where many of the same ten thousand numbers ask, the attack is: nobody there can be a scout. */
function isInBusyRange(book: Book, { place, isKnown, circumstances }: Situation): boolean {
  const range = place.ranges.find(({ level }) => level === 'r10k')
  return !isKnown && range !== undefined && book.at(range, circumstances.nowMs).asked > busyAsked
}

/** A number in a range where nobody has asked for long, or a known recipient who has not, is no part of an attack. */
function isNew(
  book: Book,
  { place, isKnown, isEstablished, circumstances: { nowMs } }: Situation,
  { sentAtMs, turnedAwayAtMs }: Asker,
): boolean {
  if (!isEstablished) return false
  if (isKnown) return nowMs - Math.max(sentAtMs, turnedAwayAtMs) >= laneKnownQuietMs
  const range = place.ranges.find(({ level }) => level === 'r10k')
  return range !== undefined && nowMs - book.at(range, nowMs).askedAtMs >= laneQuietMs
}

/** Counts somebody who is not let through: from who still asks, and where, the end of an attack and its ranges are seen. */
export function turnAway(book: Book, { stop, isNewcomer, situation }: Verdict): void {
  const { place, parents, isKnown, isHome, outstanding, circumstances } = situation
  const { nowMs } = circumstances
  const isSmall = isSmallCarrier(situation) || (stop !== null && stop.by === parents.issuer)
  const isNarrow =
    isSmall || outstanding.carrier || stop?.by.level === 'carrier' || stop?.by.level === 'known_carrier'
  const keys = [
    ...(isKnown ? [] : place.ranges.filter(({ level }) => level === 'r10k')),
    ...(parents.issuer ? [parents.issuer] : []),
    ...(isSmall ? [] : [parents.carrier]),
    ...(isNarrow ? [] : [parents.country]),
  ]
  for (const key of keys) {
    const state = countAsked(book.at(key, nowMs))
    book.put(key, isNewcomer && key.level !== 'r10k' ? countNewcomer(state) : state)
  }
  if (isHome && !isKnown && !isNarrow)
    book.putFit(place.appId, countTurnedAway(book.fitOf(place.appId, nowMs)))
}

/** Picks, of several barriers, the one that stands longest. */
function worse(stop: Stop | null, by: ClosableKey, barrier: Barrier, { conversion }: Situation): Stop {
  const untilMs = freeAtMs(barrier)
  if (stop && stop.untilMs >= untilMs) return stop
  return { by, state: barrier.state, isHold: barrier.status === 'held', untilMs, conversion }
}
