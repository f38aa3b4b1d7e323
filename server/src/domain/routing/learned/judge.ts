/**
 * Which of several accounts carries a message: the one whose approvals cost least, among those that bring nearly as
 * many approvals as the best (the floor). A bounded share tries the others: each as often as it is likely to be the
 * better one, which is what Thompson sampling does, here worked out as shares, so that a decision can say them.
 *
 * Nothing here reads a clock, a table or chance.
 */
import type { RuleFacts } from '@countersign/contract'
import { conversionOf, type Memory, usualWeight } from './memory.ts'

export interface Candidate {
  readonly providerId: string
  readonly priceMicros: number
  /** What is believed of it in this place. */
  readonly here: Memory
  /** Its last few sends went far better than that. */
  readonly isRising: boolean
  /** In all other places of the channel; `expected` are the approvals that others had there for as many sends. */
  readonly elsewhere: Memory & { readonly expected: number }
}

/** What an app asks for. */
export interface Terms {
  /** Of the best account's conversion, which share an account must reach. */
  readonly floor: number
  /** At most this share of messages tries what is not judged best. */
  readonly trying: number
}

export type RouteState = RuleFacts['account']['accounts'][number]['state']

export interface Judged {
  readonly providerId: string
  readonly priceMicros: number
  /** Ripe sends that are remembered here. */
  readonly ripe: number
  readonly conversion: number
  /** Nine of ten times the truth lies between. */
  readonly conversionLow: number
  readonly conversionHigh: number
  readonly costMicros: number
  readonly costLowMicros: number
  readonly costHighMicros: number
  /** Whether there is enough to judge it by. */
  readonly isKnown: boolean
  /** Of the messages that come next. */
  readonly share: number
  readonly state: RouteState
}

/** As many sends as figures from elsewhere are worth here, at most and at least. */
const mostBorrowed = 10
const leastBorrowed = 3
/** Ripe sends after which an account is judged by what it did. */
const enough = 16
/** Of those that are known and not the best, so that one which got better is found. */
const leastShare = 0.02
/** How likely an account must be above the floor to lead. */
const surely = 0.6
const allButSure = 0.9
/** Standard deviations of a normal distribution between which nine of ten lie. */
const nineOfTen = 1.645
/** So that what costs nothing can be compared too. */
const leastPriceMicros = 1e-3

interface Weighed extends Candidate {
  readonly conversion: number
  /** Of the logarithm of the conversion, which is that of the cost too. */
  readonly deviation: number
  readonly costMicros: number
  readonly isKnown: boolean
}

/** `candidates` in the order of their priority, at least one. */
export function judgeAccounts(candidates: readonly Candidate[], terms: Terms): readonly Judged[] {
  const usual = usualHere(candidates)
  const weighed = candidates.map((candidate) => weigh(candidate, usual))
  const known = weighed.filter(({ isKnown }) => isKnown)
  const best = known.reduce<Weighed | null>(
    (one, other) => (one && one.conversion >= other.conversion ? one : other),
    null,
  )
  const isUnder = (each: Weighed) =>
    best !== null && each !== best && chanceOfFloor(each, best, terms.floor) < surely
  const cheap = cheapest(known.filter((each) => !isUnder(each)))
  const leader = (cheap && rescueFrom(cheap, weighed, terms.floor)) ?? cheap ?? weighed[0]
  const shares = sharesOf(weighed, leader, best, terms)
  return weighed.map((each, index) => ({
    providerId: each.providerId,
    priceMicros: each.priceMicros,
    ripe: each.here.ripe,
    isKnown: each.isKnown,
    ...intervals(each),
    share: shares[index] ?? 0,
    state:
      each === leader ? 'leading' : !each.isKnown ? 'unknown' : isUnder(each) ? 'under_floor' : 'costlier',
  }))
}

/** One number between 0 and 1 decides. */
export function pick(judged: readonly Judged[], chance: number): Judged | undefined {
  let left = chance
  for (const each of judged) {
    left -= each.share
    if (left < 0) return each
  }
  return judged.find(({ state }) => state === 'leading')
}

/** What share of codes is typed in this place, whoever carries them. */
function usualHere(candidates: readonly Candidate[]): number {
  const sum = (memoryOf: (candidate: Candidate) => Memory): Memory =>
    candidates
      .map(memoryOf)
      .reduce(
        (total, { ripe, approved }) => ({ ripe: total.ripe + ripe, approved: total.approved + approved }),
        { ripe: 0, approved: 0 },
      )
  return conversionOf(
    sum(({ here }) => here),
    conversionOf(sum(({ elsewhere }) => elsewhere)),
  )
}

/** Few sends here borrow from what the account does elsewhere, measured by what is usual there and here. */
function weigh(candidate: Candidate, usual: number): Weighed {
  const { here, elsewhere, priceMicros } = candidate
  const lift = (elsewhere.approved + usualWeight) / (elsewhere.expected + usualWeight)
  const assumed = Math.min(0.98, Math.max(0.02, usual * lift))
  const borrowed = Math.min(mostBorrowed, leastBorrowed + elsewhere.ripe / 20)
  const size = Math.max(here.ripe, here.approved) + borrowed
  const conversion = (here.approved + assumed * borrowed) / size
  return {
    ...candidate,
    conversion,
    deviation: Math.sqrt((1 - conversion) / (conversion * size)),
    costMicros: priceMicros / conversion,
    isKnown: here.ripe + borrowed - leastBorrowed >= enough,
  }
}

/**
 * Where what leads has fallen, one of which little is known takes over, if it is all but sure to bring more: an account that
 * was left for long must not be tried first while codes are lost.
 */
function rescueFrom(leader: Weighed, weighed: readonly Weighed[], floor: number): Weighed | undefined {
  const better = weighed.filter(
    (each) =>
      !each.isKnown &&
      chanceThat(Math.log((floor * each.conversion) / leader.conversion), each, leader) > allButSure,
  )
  return better.sort((one, other) => other.conversion - one.conversion)[0]
}

/** Of equals the one with more approvals, then the one that has priority. */
const cheapest = (among: readonly Weighed[]) =>
  among.reduce<Weighed | undefined>(
    (one, other) =>
      one &&
      (one.costMicros < other.costMicros ||
        (one.costMicros === other.costMicros && one.conversion >= other.conversion))
        ? one
        : other,
    undefined,
  )

function sharesOf(
  weighed: readonly Weighed[],
  leader: Weighed | undefined,
  best: Weighed | null,
  { floor, trying }: Terms,
): readonly number[] {
  const wished = weighed.map((each) => {
    if (each === leader || !leader) return 0
    // What is not known, or not any more, gets all that may be tried, until it is.
    if (!each.isKnown || each.isRising) return trying
    const isBetter = chanceThat(logCost(leader) - logCost(each), each, leader)
    const isAbove = best ? chanceOfFloor(each, best, floor) : 1
    return Math.max(leastShare, isBetter * isAbove)
  })
  const sum = wished.reduce((total, each) => total + each, 0)
  const scale = sum > trying ? trying / sum : 1
  const tried = Math.min(sum, trying)
  return weighed.map((each, index) => (each === leader ? 1 - tried : (wished[index] ?? 0) * scale))
}

const logCost = ({ priceMicros, conversion }: Weighed) =>
  Math.log(Math.max(priceMicros, leastPriceMicros) / conversion)

/** That a difference is above zero, of which this is the mean. */
const chanceThat = (mean: number, one: Weighed, other: Weighed) =>
  normal(mean / Math.max(1e-9, one === other ? one.deviation : Math.hypot(one.deviation, other.deviation)))

const chanceOfFloor = (each: Weighed, best: Weighed, floor: number) =>
  chanceThat(Math.log(each.conversion / (floor * best.conversion)), each, best)

/** The cumulative normal distribution (Abramowitz and Stegun 7.1.26). */
function normal(value: number): number {
  const x = Math.abs(value) / Math.SQRT2
  const t = 1 / (1 + 0.3275911 * x)
  const series =
    ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
  const error = 1 - series * Math.exp(-x * x)
  return value >= 0 ? (1 + error) / 2 : (1 - error) / 2
}

function intervals({ conversion, deviation, costMicros, priceMicros }: Weighed) {
  const factor = Math.exp(nineOfTen * deviation)
  return {
    conversion,
    conversionLow: conversion / factor,
    conversionHigh: Math.min(1, conversion * factor),
    costMicros,
    costLowMicros: Math.max(priceMicros, costMicros / factor),
    costHighMicros: costMicros * factor,
  }
}

/** As shares are shown. */
export const thousandths = (value: number) => Math.round(value * 1_000) / 1_000
