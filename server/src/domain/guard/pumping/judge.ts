/** May a paid message go to this number? Judged on debts in memory; the caller has locked what they came from. */
import type { Charge, Trust } from './acquaintance.ts'
import {
  type Barrier,
  barrierAt,
  freeAtMs,
  isLaneOpen,
  isParent,
  isQuiet,
  isReformed,
  payLane,
  raise,
  takeLane,
  takeScout,
} from './barrier.ts'
import type { Book } from './book.ts'
import {
  charge,
  countAsked,
  type Debt,
  type Due,
  giveBack,
  sentLately,
  unapprovedLately,
  usualRate,
} from './debt.ts'
import {
  conversionIn,
  conversionOf,
  countApproval,
  countKnown,
  countScout,
  countStranger,
  countTurnedAway,
  type Fit,
  isEstablished,
  isHome,
  isLearning,
  isUnproven,
  knownConversionOf,
  knownWeightOf,
  unprovenWeight,
  weightOf,
  withoutAttack,
} from './fit.ts'
import {
  askedMs,
  delaySlack,
  holdMs,
  knownBreakEven,
  knownNumbers,
  type Level,
  laneKnownQuietMs,
  laneQuietMs,
  learningUnapproved,
  leftAfterScout,
  levelRules,
  longestTrial,
  pairCharge,
  rangePairCharge,
  recentMs,
  scoutsAnHour,
  shortestScoutGapMs,
  timelyDelaySlack,
  trialNumbers,
  trialPerApproval,
  trialPerMinute,
} from './levels.ts'
import {
  type Around,
  excessOf,
  expectedAsked,
  healthOfRest,
  isOutstanding,
  lookAt,
  settle,
} from './outlook.ts'
import { type ClosableKey, isClosable, type Parents, type Place, type PlaceKey } from './place.ts'
import { isAlarmed, thresholdOf } from './threshold.ts'

export interface Circumstances {
  readonly isFlagged: boolean
  readonly declaredCountries: readonly string[]
  readonly nowMs: number
  /** In mode `auto`, with a carrier that is paid: wide places are closed only once the app has learnt. */
  readonly learns?: boolean
  /** What share of people the operator says type the code. */
  readonly declaredConversion?: number | null
  /** How many messages one verification may send. */
  readonly mostSends?: number
  /** Messages that may be risked in an hour to learn about one closed place. */
  readonly scoutsAnHour?: number
}

/** Who asks, as far as it decides about barriers. */
export interface Asker {
  readonly trust: Trust
  /** When this recipient last had a message. */
  readonly sentAtMs: number
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
  /** The places that it passes as a scout, and those that it passes beside the attack. */
  readonly scouts: readonly PlaceKey[]
  readonly lanes: readonly PlaceKey[]
  readonly situation: Situation
}

/** What the guard knows of the app and the place before it judges one send. */
export interface Situation {
  readonly place: Place
  readonly parents: Parents
  readonly circumstances: Circumstances
  readonly isKnown: boolean
  readonly isHome: boolean
  /** What is usual there is known: volume, conversion, delay. */
  readonly isEstablished: boolean
  readonly isLearning: boolean
  readonly isUnproven: boolean
  readonly isOnTrial: boolean
  readonly conversion: number
  /** Of one send to a range of numbers or from an address, to a carrier, to a country. */
  readonly weights: { readonly tiny: number; readonly carrier: number; readonly country: number }
  /** Strangers ask there in such numbers as nothing around explains. */
  readonly stands: { readonly carrier: boolean; readonly country: boolean }
}

function situationOf(book: Book, place: Place, circumstances: Circumstances, trust: Trust): Situation {
  const { nowMs, declaredCountries, learns = false, declaredConversion: declared = null } = circumstances
  const fit = book.fitOf(place.appId, nowMs)
  const isKnown = trust === 'known'
  const home = isKnown || declaredCountries.includes(place.region) || isHome(fit, place.region)
  const parents = parentsOf({ place, isKnown, isHome: home })
  const unproven = !isKnown && isUnproven(fit, declared)
  const conversion = isKnown ? knownConversionOf(fit, declared) : conversionIn(fit, place.region, declared)
  const established = home && (isKnown || isEstablished(fit, place.region))
  const base = unproven ? unprovenWeight : isKnown ? knownWeightOf(conversion) : weightOf(conversion)
  const overall = weightOf(conversionOf(fit, declared))
  const outlook = established
    ? compare(book, parents, fit, { conversion, isKnown, nowMs })
    : { carrier: 1, country: 1, stands: { carrier: false, country: false } }
  return {
    place,
    parents,
    circumstances,
    isKnown,
    isHome: home,
    isEstablished: established,
    isLearning: isLearning(fit, learns && declared === null, nowMs),
    isUnproven: unproven,
    isOnTrial: !isKnown && isOnTrial(book.at(place.trial, nowMs)),
    conversion,
    weights: {
      tiny: fit.strangers.numbers < knownNumbers ? 1 : overall,
      carrier: base * outlook.carrier,
      country: base * outlook.country,
    },
    stands: outlook.stands,
  }
}

const nothingAround: Around = { asked: 0, sent: 0, recent: 0, usualNumbers: 0, rate: 0 }
/** Those who ask now have had less time to type the code. */
const peopleSlack = 1.3
/** Of other countries only those count who type the code, so that one attack is no excuse for another. */
const peopleIn = (app: Around, conversion: number): Around => ({
  ...app,
  asked: Math.min(app.asked, ((peopleSlack * app.recent) / conversion) * (askedMs / recentMs)),
})
const aroundIn = (state: Debt): Around => ({ ...state, rate: usualRate(state) })

/** A country beside the rest of the app, a carrier beside the rest of its country: what of its sends is too much. */
function compare(
  book: Book,
  parents: Parents,
  fit: Fit,
  { conversion, isKnown, nowMs }: { conversion: number; isKnown: boolean; nowMs: number },
) {
  const country = book.at(parents.country, nowMs)
  const carrier = book.at(parents.carrier, nowMs)
  const app = isKnown ? nothingAround : aroundOf(fit, nowMs)
  const inApp = expectedAsked(country, peopleIn(app, conversion))
  const inCountry = expectedAsked(carrier, aroundIn(country))
  const health = isKnown ? 1 : healthOfRest(country, app, conversion)
  return {
    carrier: health * excessOf(carrier.asked + 1, inCountry),
    country: health * excessOf(country.asked + 1, inApp),
    stands: {
      carrier: isOutstanding(carrier.asked + 1, inCountry),
      country: isOutstanding(country.asked + 1, inApp),
    },
  }
}

function aroundOf(fit: Fit, nowMs: number): Around {
  const { asked, sent, recent, strangers, sinceMs } = fit
  return {
    asked,
    sent,
    recent,
    usualNumbers: strangers.numbers,
    rate: usualRate({ atMs: nowMs, usualNumbers: strangers.numbers, sinceMs }),
  }
}

const parentsOf = ({ place, isKnown, isHome: home }: Pick<Charge, 'place' | 'isKnown' | 'isHome'>) =>
  isKnown ? place.known : home ? place.home : place.abroad

/** What a send is charged to, from the address and the smallest range to the widest. */
function keysOf(sent: Omit<Charge, 'atMs' | 'isScout'>): PlaceKey[] {
  const { place, isKnown, isHome: home, isNarrow, isOnTrial: onTrial, lanes } = sent
  const { carrier, country } = parentsOf(sent)
  // What stands out within a country says nothing about the rest of it, and what passes beside an attack nothing about it.
  const wide = lanes.length > 0 ? [] : isNarrow ? [carrier] : [carrier, country]
  if (isKnown) return wide
  return [
    ...(onTrial ? [place.trial] : []),
    ...(place.ip ? [place.ip] : []),
    ...place.ranges,
    ...wide,
    ...(home ? [] : [place.unfamiliar]),
  ]
}

function isOnTrial(state: Debt): boolean {
  const { numbers, approved } = state
  if (numbers < trialNumbers) return true
  const longest = Math.min(longestTrial, trialNumbers + trialPerApproval * approved)
  return numbers < longest && sentLately(state) < trialPerMinute
}

/** Closed also while an app learns. */
const isTiny = (level: Level) => level === 'ip' || level === 'r100' || level === 'r1k'

export function judge(book: Book, place: Place, circumstances: Circumstances, asker: Asker): Verdict {
  const { nowMs } = circumstances
  const situation = situationOf(book, place, circumstances, asker.trust)
  const { parents, isKnown } = situation
  const barred = isKnown
    ? [parents.carrier, parents.country]
    : [...(place.ip ? [place.ip] : []), ...place.ranges, parents.carrier, parents.country]
  const isBeside = isBesideTheAttack(book, situation, asker)
  const canScout = !isInBusyRange(book, situation)
  const scouts: PlaceKey[] = []
  const lanes: PlaceKey[] = []
  let stop: Stop | null = null
  let watched: Stop | null = null
  for (const key of barred.filter(isClosable)) {
    const barrier = standing(book, key, situation)
    if (barrier.stands === 'open') continue
    if (isBeside && isParent(key.level) && isLaneOpen(barrier.state, nowMs)) lanes.push(key)
    else if (barrier.stands === 'scouting' && canScout) scouts.push(key)
    else if (isOnlyWatched(key, barrier.state, situation)) watched = worse(watched, key, barrier, situation)
    else stop = worse(stop, key, barrier, situation)
  }
  return { stop, watched, scouts, lanes, situation }
}

function standing(book: Book, key: PlaceKey, situation: Situation) {
  const { place, isEstablished: isKnownPlace, isHome: home, circumstances } = situation
  const { nowMs } = circumstances
  const { learntAtMs } = book.fitOf(place.appId, nowMs)
  const state = book.at(key, nowMs)
  const barrier = barrierAt(
    isTiny(key.level) ? state : withoutLearning(state, learntAtMs),
    key.level,
    { isKnownPlace, isHome: home },
    nowMs,
  )
  if (barrier.state !== state) book.put(key, barrier.state)
  return barrier
}

/** While an app learns, whole places are closed only where dozens of messages led to nothing and none to anything. */
function isOnlyWatched(
  key: PlaceKey,
  state: Debt,
  { isLearning: learning, isUnproven: unproven }: Situation,
) {
  if (!learning || isTiny(key.level)) return false
  return !(unproven && isParent(key.level) && state.numbers >= learningUnapproved && state.approved === 0)
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

/** Somebody of whose ten thousand numbers others ask all the time is no scout: that is where the attack is. */
const busyAsked = 0.5
function isInBusyRange(book: Book, { place, isKnown, circumstances }: Situation): boolean {
  const range = place.ranges.find(({ level }) => level === 'r10k')
  return !isKnown && range !== undefined && book.at(range, circumstances.nowMs).asked > busyAsked
}

/** A number in a range where nobody has asked for long, or a known recipient who has not, is none of an attack's. */
function isBesideTheAttack(
  book: Book,
  { place, isKnown, isEstablished: is, circumstances }: Situation,
  asker: Asker,
) {
  if (!is) return false
  if (isKnown) return circumstances.nowMs - asker.sentAtMs >= laneKnownQuietMs
  const range = place.ranges.find(({ level }) => level === 'r10k')
  return (
    range !== undefined && circumstances.nowMs - book.at(range, circumstances.nowMs).askedAtMs >= laneQuietMs
  )
}

/** Not let through: whether many still ask, and where, is how the end of an attack and its ranges are seen. */
export function turnAway(book: Book, { stop, situation }: Verdict): void {
  const { place, parents, isKnown, isHome: home, stands, circumstances } = situation
  const { nowMs } = circumstances
  const isWide = stop?.by.level === 'country' || stop?.by.level === 'known_country'
  const isNarrow = stands.carrier || stop?.by.level === 'carrier' || stop?.by.level === 'known_carrier'
  const keys = [
    ...(isKnown ? [] : place.ranges.filter(({ level }) => level === 'r10k')),
    parents.carrier,
    ...(isNarrow ? [] : [parents.country]),
  ]
  for (const key of keys) book.put(key, countAsked(book.at(key, nowMs)))
  if (home && !isKnown && !isNarrow && !isWide)
    book.putFit(place.appId, countTurnedAway(book.fitOf(place.appId, nowMs)))
}

/** Picks, of several barriers, the one that stands longest. */
function worse(stop: Stop | null, by: ClosableKey, barrier: Barrier, { conversion }: Situation): Stop {
  const untilMs = freeAtMs(barrier)
  if (stop && stop.untilMs >= untilMs) return stop
  return { by, state: barrier.state, isHold: barrier.stands === 'held', untilMs, conversion }
}

/** What a few minutes of decay take off a debt is not worth another send. */
const tolerance = 0.1

/** After the message was let through. A repeat is not charged, but a scout is a scout. */
export function letThrough(book: Book, verdict: Verdict, isCharged: boolean): Charge | null {
  const { scouts, lanes, situation } = verdict
  const { place, circumstances, isKnown, isHome: home, isOnTrial: onTrial, stands } = situation
  const { nowMs } = circumstances
  for (const key of scouts) book.put(key, takeScout(book.at(key, nowMs), home, nowMs))
  for (const key of lanes) book.put(key, takeLane(book.at(key, nowMs), situation.weights.tiny, nowMs))
  if (!isCharged) return null
  const isScout = scouts.some(({ level }) => isParent(level))
  const fit = book.fitOf(place.appId, nowMs)
  const isApart = stands.carrier || stands.country
  const counted = isApart ? fit : isKnown ? countKnown(fit) : countStranger(fit, place.region, home, nowMs)
  book.putFit(place.appId, isScout ? countScout(counted) : counted)
  const sent: Charge = {
    atMs: nowMs,
    place,
    isKnown,
    isHome: home,
    isScout,
    isNarrow: stands.carrier,
    isApart,
    isOnTrial: onTrial,
    lanes,
  }
  chargeAll(book, keysOf(sent), situation)
  return sent
}

function weightIn({ weights }: Situation, level: Level): number {
  if (level === 'carrier' || level === 'known_carrier') return weights.carrier
  if (level === 'country' || level === 'known_country') return weights.country
  return level === 'unfamiliar' ? weights.country : weights.tiny
}

function chargeAll(book: Book, keys: readonly PlaceKey[], situation: Situation): void {
  const { circumstances, isHome: home, isOnTrial: onTrial, isLearning: learning, isKnown, place } = situation
  const { nowMs, isFlagged } = circumstances
  const pair = isPair(book, keys, nowMs)
  const more = !home && pair ? pairCharge : 0
  const isAlarm = !learning && isAlarmed('unfamiliar', book.at(place.unfamiliar, nowMs))
  const charged = keys.map((key) => {
    const isWide = isParent(key.level) || key.level === 'unfamiliar'
    const extra = isWide ? more : key.level === 'r10k' && pair && isAlarm ? rangePairCharge : 0
    return { key, state: charge(book.at(key, nowMs), nowMs, weightIn(situation, key.level), extra) }
  })
  // While an app learns, what its carriers owe says nothing about their ranges.
  const isAlert =
    isAlarm ||
    (!learning && charged.some(({ key, state }) => isParent(key.level) && isAlarmed(key.level, state)))
  let explained: Due = []
  for (const { key, state: before } of charged) {
    const { level } = key
    const isWide = isParent(level)
    const state = isWide ? settle(before, explained) : before
    const threshold = thresholdOf(level, state, {
      isAlert,
      isFlagged,
      isHome: home,
      isOutstanding: level.endsWith('carrier') ? situation.stands.carrier : situation.stands.country,
      isUnproven: situation.isUnproven,
      nowMs,
    })
    const { credit, isShort } = outlookOf(book, key, state, situation)
    const finding = {
      isReached: state.debt - credit >= threshold - tolerance,
      isShort,
      firstGapMs: 3_600_000 / (circumstances.scoutsAnHour ?? scoutsAnHour),
    }
    // The smallest place that explains it is closed; a wider one only by a send that closes none within it.
    const canClose = isClosable(key) && !onTrial && explained.length === 0
    const after = canClose ? raise(state, level, finding, nowMs) : state
    const owed = { debt: state.debt - credit, threshold, isClosing: after !== state }
    book.notes.owe(place.appId, key, state, owed)
    if (after !== state && level !== 'ip') explained = state.due
    if (isWide && !isKnown && after.strikes === 1 && after.struckAtMs === nowMs)
      forget(book, place, after, nowMs)
    book.put(key, after)
  }
}

function forget(book: Book, { appId }: Place, state: Debt, nowMs: number): void {
  book.putFit(appId, withoutAttack(book.fitOf(appId, nowMs), state))
}

/** More strangers than expected by at least this share, before missing approvals are a reason to hold. */
const suspiciousExcess = 0.3

function outlookOf(book: Book, { level }: PlaceKey, state: Debt, situation: Situation) {
  const { isEstablished: is, parents, conversion, circumstances, weights } = situation
  if (!is || !isParent(level)) return { credit: 0, isShort: false }
  const { delayMs } = book.at(parents.country, circumstances.nowMs)
  const isTimely = situation.isKnown || (level === 'carrier' && situation.stands.carrier)
  const slack = isTimely ? timelyDelaySlack : delaySlack
  const { expected, isShort } = lookAt(state, conversion, slack * delayMs, circumstances.nowMs)
  const isExcess = weightIn(situation, level) >= suspiciousExcess * weights.tiny
  return { credit: expected / levelRules[level].breakEven, isShort: isShort && isExcess }
}

/**
 * Where the app knows nobody, strangers come from all over a place: a second one in the same ten thousand numbers, while
 * the first has not used the code, is hardly there by chance. In the same hundred it may be a family, or the same phone.
 */
function isPair(book: Book, keys: readonly PlaceKey[], nowMs: number): boolean {
  const unapprovedIn = (wanted: Level) => {
    const key = keys.find(({ level }) => level === wanted)
    return key ? unapprovedLately(book.at(key, nowMs)) : 0
  }
  return unapprovedIn('r10k') === 1 && unapprovedIn('r100') === 0
}

/** That send was approved. */
export function approve(book: Book, appId: string, sent: Charge, nowMs: number): void {
  const conversion = knownConversionOf(book.fitOf(appId, nowMs), null)
  const worth = (level: Level) =>
    sent.isKnown ? knownWeightOf(conversion) / (knownBreakEven * conversion) : 1 / levelRules[level].breakEven
  book.putFit(appId, countApproval(book.fitOf(appId, nowMs), sent))
  for (const key of keysOf(sent)) {
    const state = book.at(key, nowMs)
    const paid = giveBack(state, levelRules[key.level], worth(key.level), sent.atMs)
    book.put(key, isParent(key.level) ? reopen(paid, sent.isHome, nowMs) : paid)
  }
  for (const key of sent.lanes) book.put(key, payLane(book.at(key, nowMs), key.level))
}

/** Approvals of a blocked parent are mostly its scouts': the gap shrinks, and enough of them end the block. */
function reopen(before: Debt, isHomePlace: boolean, nowMs: number): Debt {
  if (before.blockedUntilMs <= nowMs) return before
  const state =
    isHomePlace && isQuiet(before)
      ? { ...before, debt: Math.min(before.debt, leftAfterScout * before.debt) }
      : before
  if (isReformed(state, isHomePlace)) return { ...state, blockedUntilMs: 0, scoutAtMs: 0 }
  const gapMs = Math.max(shortestScoutGapMs, state.scoutGapMs / 4)
  return { ...state, scoutGapMs: gapMs, scoutAtMs: Math.min(state.scoutAtMs, nowMs + gapMs) }
}
