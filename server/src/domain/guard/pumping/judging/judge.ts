/** Decides whether a paid message may go to a number, by debts in memory whose rows the caller has locked. */
import type { Trust } from '../acquaintance/acquaintance.ts'
import { type Barrier, barrierAt, freeAtMs, isLaneOpen, isParent } from '../debt/barrier.ts'
import { countAsked, countNewcomer, type Debt } from '../debt/debt.ts'
import { countTurnedAway } from '../fit/count-fit.ts'
import { upperShare } from '../fit/tally.ts'
import {
  busyAsked,
  convertingCountryShare,
  holdMs,
  type Level,
  laneKnownQuietMs,
  laneQuietMs,
  learningUnapproved,
  type PlaceLevel,
} from '../levels.ts'
import { type ClosableKey, isClosable, type Place, type PlaceKey } from '../place.ts'
import type { Book } from './book.ts'
import { heldByPair } from './pair.ts'
import { countsIn, forgetTests } from './simulated.ts'
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
  /** Null if the message may go. */
  readonly stop: Stop | null
  /** What would stop the message if the app were not still learning. */
  readonly watched: Stop | null
  /** The closed places that the message passes as a scout, and those that it passes by their lane. */
  readonly scouts: readonly PlaceKey[]
  readonly lanes: readonly PlaceKey[]
  /** A stranger in a range in which nobody else asks, or a known recipient who does not ask often. */
  readonly isNewcomer: boolean
  readonly situation: Situation
}

/** Small enough to be closed even while an app learns. */
export const isTiny = (level: Level) => level === 'ip' || level === 'r100' || level === 'r1k'
/** All larger places: who is held there says whether the guard has to learn anew. */
export const wideLevels: readonly PlaceLevel[] = [
  'r10k',
  'carrier',
  'country',
  'known_carrier',
  'known_country',
]

export function judge(book: Book, place: Place, circumstances: Circumstances, asker: Asker): Verdict {
  const { nowMs, isSimulated = false } = circumstances
  if (!isSimulated) forgetTests(book, place, nowMs)
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
  if (countsIn(held.state, situation.circumstances.isSimulated ?? false)) book.put(held.key, held.state)
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

/**
 * While an app learns, wide places are closed only after dozens of messages: those that led to no approval at all. If it
 * learns again, it is known what its people do, and a place is closed that surely converts worse than a poor market.
 * Otherwise an attacker who types twenty codes of scouts would have every place open for days.
 */
export function isOnlyWatched(
  { level }: { readonly level: Level },
  { numbers, approved }: Pick<Debt, 'numbers' | 'approved'>,
  { isLearning, isUnproven, expectedAgain }: Pick<Situation, 'isLearning' | 'isUnproven' | 'expectedAgain'>,
) {
  if (!isLearning || isTiny(level)) return false
  if (numbers < learningUnapproved) return true
  if (isUnproven) return !isParent(level) || approved > 0
  return expectedAgain === null || upperShare({ numbers, approved }) >= convertingCountryShare * expectedAgain
}

/** Removes what a wide place owed while the app learnt, so that it closes nothing afterwards. */
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

/** If many of the same ten thousand numbers ask, they are the attack: nobody there can be a scout. */
function isInBusyRange(book: Book, { place, isKnown, circumstances }: Situation): boolean {
  const range = place.ranges.find(({ level }) => level === 'r10k')
  return !isKnown && range !== undefined && book.at(range, circumstances.nowMs).asked > busyAsked
}

/** Whether this is a newcomer: nobody has asked in the range for long, or a known recipient has not asked for long. */
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

/** Counts somebody who is not let through: who still asks, and where, shows the end of an attack and its ranges. */
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
    const before = book.at(key, nowMs)
    if (!countsIn(before, circumstances.isSimulated ?? false)) continue
    const state = countAsked(before)
    book.put(key, isNewcomer && key.level !== 'r10k' ? countNewcomer(state) : state)
  }
  if (isHome && !isKnown && !isNarrow)
    book.putFit(place.appId, countTurnedAway(book.fitOf(place.appId, nowMs)))
}

/** Returns the barrier that stands longer. */
function worse(stop: Stop | null, by: ClosableKey, barrier: Barrier, { conversion }: Situation): Stop {
  const untilMs = freeAtMs(barrier)
  if (stop && stop.untilMs >= untilMs) return stop
  return { by, state: barrier.state, isHold: barrier.status === 'held', untilMs, conversion }
}
