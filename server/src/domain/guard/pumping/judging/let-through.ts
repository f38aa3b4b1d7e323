/** What happens after a message was let through: what it is charged to, and which places it closes. */
import type { Charge } from '../acquaintance/acquaintance.ts'
import { keysOf } from '../acquaintance/charged-keys.ts'
import { isParent, raise, takeLane, takeScout } from '../debt/barrier.ts'
import { charge, countAsked, countNewcomer, type Debt, type Due, dueAtMs } from '../debt/debt.ts'
import { isAlarmed, thresholdOf } from '../debt/threshold.ts'
import { knownWeightOf } from '../fit/conversion.ts'
import { countApart, countKnown, countScout, countStranger, withoutAttack } from '../fit/count-fit.ts'
import type { Fit } from '../fit/fit.ts'
import { lowerShare } from '../fit/tally.ts'
import {
  askedMs,
  debtTolerance,
  delaySlack,
  holdAgainMs,
  holdMs,
  knownBreakEven,
  levelRules,
  pairCharge,
  rangePairCharge,
  scoutsAnHour,
  slotMs,
  suspiciousExcess,
  timelyDelaySlack,
} from '../levels.ts'
import { isClosable, type Place, type PlaceKey } from '../place.ts'
import type { Book } from './book.ts'
import type { Verdict } from './judge.ts'
import { lookAt, settle } from './outlook.ts'
import { isPair } from './pair.ts'
import { countsIn } from './simulated.ts'
import { isSmallCarrier, parentOf, type Situation, usualIn } from './situation.ts'

interface Counted extends Pick<Charge, 'isHome' | 'isKnown' | 'isApart' | 'isNarrow'> {
  readonly region: string
  readonly nowMs: number
}

/** A repeat is not charged, but counts as a scout if it passes as one. */
export function letThrough(book: Book, verdict: Verdict, isCharged: boolean): Charge | null {
  const { scouts, lanes, situation } = verdict
  const { place, circumstances, isKnown, isHome, isOnTrial, outstanding } = situation
  const { nowMs } = circumstances
  const isSimulated = circumstances.isSimulated === true
  const counts = (key: PlaceKey) => countsIn(book.at(key, nowMs), isSimulated)
  for (const key of scouts.filter(counts)) book.put(key, takeScout(book.at(key, nowMs), isHome, nowMs))
  for (const key of lanes.filter(counts))
    book.put(key, countAsked(countNewcomer(takeLane(book.at(key, nowMs), weightAlone(situation), nowMs))))
  if (!isCharged) return null
  const isScout = scouts.some(({ level }) => isParent(level))
  const fit = book.fitOf(place.appId, nowMs)
  const isSmall = isSmallCarrier(situation)
  const isUnreal = isSimulated && !fit.isSimulated
  const isApart = isSmall || outstanding.carrier || outstanding.country || isUnreal
  const isNarrow = isSmall || outstanding.carrier
  const counted = countIn(fit, { region: place.region, isHome, isKnown, isApart, isNarrow, nowMs })
  book.putFit(place.appId, isScout ? countScout(counted) : counted)
  const sent: Charge = {
    atMs: nowMs,
    place,
    isKnown,
    isHome,
    isScout,
    isNarrow,
    isSmallCarrier: isSmall,
    isApart,
    isOnTrial,
    isSimulated,
    lanes,
  }
  chargeAll(book, keysOf(sent).filter(counts), verdict)
  return sent
}

function countIn(fit: Fit, { region, isHome, isKnown, isApart, isNarrow, nowMs }: Counted): Fit {
  if (isApart) return isHome && !isKnown && !isNarrow ? countApart(fit) : fit
  return isKnown ? countKnown(fit) : countStranger(fit, region, isHome, nowMs)
}

/** The weight of one message, regardless of who else asks. */
const weightAlone = ({ weights, isKnown, conversion }: Situation) =>
  isKnown ? knownWeightOf(conversion) : weights.tiny

/** For known recipients only the unexplained share weighs; a scout weighs in full, since it shows who they are. */
function weightIn(situation: Situation, key: PlaceKey, scouts: readonly PlaceKey[] = []): number {
  const { weights, isKnown } = situation
  if (isKnown && scouts.includes(key)) return weightAlone(situation)
  return key.level === 'unfamiliar' ? weights.country : weights[parentOf(situation, key) ?? 'tiny']
}

function chargeAll(book: Book, keys: readonly PlaceKey[], { situation, scouts, isNewcomer }: Verdict): void {
  const { circumstances, isHome, isOnTrial, isLearning, isKnown, place } = situation
  const { nowMs, isFlagged, isSimulated = false } = circumstances
  const pair = isPair(book, keys, nowMs)
  const more = !isHome && pair ? pairCharge : 0
  const isAlarm = !isLearning && isAlarmed('unfamiliar', book.at(place.unfamiliar, nowMs))
  const chargedOnce = chargingAlike(nowMs)
  const charged = keys.map((key) => {
    const isWide = isParent(key.level) || key.level === 'unfamiliar'
    const extra = isWide ? more : key.level === 'r10k' && pair && isAlarm ? rangePairCharge : 0
    const before = book.at(key, nowMs)
    const owing = isSimulated && !before.isSimulated ? { ...before, isSimulated } : before
    const state = chargedOnce(owing, weightIn(situation, key, scouts), extra)
    return { key, state: isNewcomer && isParent(key.level) ? countNewcomer(state) : state }
  })
  // While an app learns, what its carriers owe says nothing about their ranges.
  const isAlert =
    isAlarm ||
    (!isLearning && charged.some(({ key, state }) => isParent(key.level) && isAlarmed(key.level, state)))
  // Several prefixes of one carrier owe much together.
  const isAllied =
    !isLearning && charged.some(({ key, state }) => key.level === 'issuer' && isAlarmed('issuer', state))
  let explained: Due = []
  for (const { key, state: before } of charged) {
    const { level } = key
    const isWide = isParent(level)
    const state = isWide ? settle(before, explained) : before
    const threshold = thresholdOf(level, state, {
      isAlert,
      isFlagged,
      isHome,
      isOutstanding: situation.outstanding[parentOf(situation, key) ?? 'country'],
      prominence: situation.prominence[parentOf(situation, key) ?? 'country'],
      isAllied,
      isUnproven: situation.isUnproven,
      nowMs,
    })
    const { credit, missesApprovals } = outlookOf(book, key, state, situation)
    const finding = {
      threshold,
      isReached: state.debt - credit >= threshold - debtTolerance,
      missesApprovals,
      mayWaitAgain: level === 'ip' && isAllOnTheirWay(state, weightIn(situation, key), nowMs),
      firstGapMs: 3_600_000 / (circumstances.scoutsAnHour ?? scoutsAnHour),
    }
    // The smallest place that explains the debt is closed; a wider one only if this send closes none within it.
    const canClose = isClosable(key) && !isOnTrial && explained.length === 0
    const after = canClose ? raise(state, level, finding, nowMs) : state
    const owed = { debt: state.debt - credit, threshold, isClosing: after !== state }
    book.notes.owe(place.appId, key, state, owed)
    if (after !== state && level !== 'ip') explained = state.due
    if (isWide && !isKnown && after.strikes === 1 && after.struckAtMs === nowMs)
      forget(book, place, after, nowMs)
    book.put(key, after)
  }
}

/** The ranges and the address of most strangers are new and owe the same afterwards, so their debt is computed once. */
function chargingAlike(nowMs: number) {
  let last: { before: Debt; weight: number; extra: number; after: Debt } | null = null
  return (before: Debt, weight: number, extra: number): Debt => {
    if (last?.before === before && last.weight === weight && last.extra === extra) return last.after
    last = { before, weight, extra, after: charge(before, nowMs, weight, extra) }
    return last.after
  }
}

function forget(book: Book, { appId }: Place, state: Debt, nowMs: number): void {
  book.putFit(appId, withoutAttack(book.fitOf(appId, nowMs), state))
}

function outlookOf(book: Book, key: PlaceKey, state: Debt, situation: Situation) {
  const { isEstablished, parents, conversion, circumstances, weights } = situation
  const { level } = key
  const { nowMs } = circumstances
  if (level === 'ip') return { credit: onTheirWay(state, nowMs), missesApprovals: false }
  if (!isEstablished || !isParent(level)) return { credit: 0, missesApprovals: false }
  const { delayMs } = book.at(parents.country, nowMs)
  const isTimely =
    situation.isKnown || (level === 'carrier' && situation.outstanding[parentOf(situation, key) ?? 'carrier'])
  const slack = isTimely ? timelyDelaySlack : delaySlack
  const { expected, missesApprovals } = lookAt(state, conversion, slack * delayMs, nowMs)
  const weight = weightIn(situation, key)
  const isExcess = weight >= suspiciousExcess * weights.tiny
  const worth = situation.isKnown ? weight / (knownBreakEven * conversion) : 1 / levelRules[level].breakEven
  return {
    credit: expected * worth,
    missesApprovals: missesApprovals && isExcess && stillAsks(book.at(key, nowMs), nowMs),
  }
}

/** A hall full of people may ask from one address: if codes were used there before, those on their way are no debt. */
function onTheirWay(state: Debt, nowMs: number): number {
  if (state.usualApproved === 0) return 0
  const { expected } = lookAt(state, lowerShare(usualIn(state)), delaySlack * state.delayMs, nowMs)
  return expected / levelRules.ip.breakEven
}

/**
 * Whether the debt is only for codes on their way: those of the last minute, or of the minute before a hold. Of each the
 * first half was charged, and the second is as large. Where no code was ever used none is waited for: a flood's debt is
 * capped, and would look the same.
 */
function isAllOnTheirWay({ debt, due, usualApproved, heldUntilMs }: Debt, weight: number, nowMs: number) {
  let left = debt
  for (const [slot, unapproved] of due) {
    const waitsMs = slot * slotMs < heldUntilMs ? holdMs : 0
    if (dueAtMs(slot) + waitsMs > nowMs) left -= (unapproved * weight) / 2
  }
  return usualApproved > 0 && left <= 0
}

/** After a hold, earlier sends close a place only if half as many have asked since; otherwise the attack is over. */
function stillAsks({ due, asked, heldUntilMs }: Debt, nowMs: number): boolean {
  if (nowMs - heldUntilMs > holdAgainMs) return true
  let [sent, left] = [0, 0]
  for (const [slot, , count] of due) {
    sent += count
    left += count * Math.exp((slot * slotMs - nowMs) / askedMs)
  }
  return asked - left >= sent / 2
}
