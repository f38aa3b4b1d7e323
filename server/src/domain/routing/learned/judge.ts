/**
 * Which of several accounts carries a message: the one whose approvals cost least, among those that may bring nearly as
 * many approvals as the best (the floor). While that is not certain, an account that may bring more carries enough
 * messages that the mix stays above the floor. A bounded share tries the others, each as often as it is likely to be
 * the better one. That is Thompson sampling, computed as shares so that a decision can show them.
 *
 * Nothing here reads a clock or a table, or draws random numbers.
 */
import type { RuleFacts } from '@countersign/contract'
import { conversionOf, type Memory, usualWeight } from './memory.ts'

export interface Candidate {
  readonly providerId: string
  readonly priceMicros: number
  /** What is believed of the account in this country. */
  readonly here: Memory
  /** The same for all other countries; `expected` are the approvals that other accounts had there for as many sends. */
  readonly elsewhere: Memory & { readonly expected: number }
}

/** What an app asks for. */
export interface Terms {
  /** The share of the best account's conversion that an account must reach. */
  readonly floor: number
  /** The largest share of messages that tries accounts which are not judged best. */
  readonly trying: number
}

type RouteState = RuleFacts['account']['accounts'][number]['state']

export interface Judged {
  readonly providerId: string
  readonly priceMicros: number
  /** Ripe sends that are remembered in this country. */
  readonly ripe: number
  readonly conversion: number
  /** The true value lies between these with a probability of nine in ten. */
  readonly conversionLow: number
  readonly conversionHigh: number
  readonly costMicros: number
  readonly costLowMicros: number
  readonly costHighMicros: number
  /** Whether enough is known of the account to judge it. */
  readonly isKnown: boolean
  /** The account's share of the next messages. */
  readonly share: number
  readonly state: RouteState
}

/** How many sends the figures of other countries are worth here, at most and at least. */
const mostBorrowed = 10
const leastBorrowed = 3
/** After this many ripe sends an account is judged by what it did. */
const enough = 16
/** How likely an account must be above the floor to carry more than a try. */
const possible = 0.1
/** Even if an account is this many standard deviations worse than believed, the mix must be above the floor. */
const caution = 1.8
/** The least share of a known account. One that is hardly tried is soon unknown, and then gets more. */
const leastShare = 0.005
/** The floor allows some approvals to be lost; this share of them may be lost by trying. */
const lostByTrying = 0.5
/** The least that may be lost, even with a floor of one, since nothing would be learnt otherwise. */
const leastLost = 0.01
/** Nine of ten values of a normal distribution lie within this many standard deviations. */
const nineOfTen = 1.645
/** The least price that is assumed, so that accounts that cost nothing can be compared. */
const leastPriceMicros = 1e-3

interface Weighed extends Candidate {
  readonly conversion: number
  /** The deviation of the logarithm of the conversion; that of the cost is the same. */
  readonly deviation: number
  readonly costMicros: number
  readonly isKnown: boolean
}

/** `candidates` are in the order of their priority; there is at least one. */
export function judgeAccounts(candidates: readonly Candidate[], terms: Terms): readonly Judged[] {
  const usual = usualHere(candidates)
  const weighed = candidates.map((candidate) => weigh(candidate, usual))
  const best = weighed.reduce((one, other) => (surely(one) >= surely(other) ? one : other))
  const isUnder = (each: Weighed) => chanceOfFloor(each, best, terms.floor) < possible
  // The best account may lead even if it is not known: it takes over at once when the leader has fallen.
  const leader = cheapest(weighed.filter((each) => each === best || (each.isKnown && !isUnder(each)))) ?? best
  const parts: Parts = { leader, best, terms }
  const tries = triesOf(weighed, parts)
  const { led, holder } = held(tries, parts)
  const tried = sumOf(tries, ({ share }) => share)
  const stateOf = (each: Weighed): RouteState => {
    if (each === leader) return 'leading'
    if (each === holder && led + tried < 1) return 'holding'
    if (!each.isKnown) return 'unknown'
    return isUnder(each) ? 'under_floor' : 'costlier'
  }
  return tries.map(({ each, share }) => ({
    providerId: each.providerId,
    priceMicros: each.priceMicros,
    ripe: each.here.ripe,
    isKnown: each.isKnown,
    ...intervals(each),
    share: share + (each === leader ? led : 0) + (each === holder ? Math.max(0, 1 - tried - led) : 0),
    state: stateOf(each),
  }))
}

/** Picks an account by one number between 0 and 1. */
export function pick(judged: readonly Judged[], chance: number): Judged | undefined {
  let left = chance
  for (const each of judged) {
    left -= each.share
    if (left < 0) return each
  }
  return judged.find(({ state }) => state === 'leading')
}

/** The share of codes that is typed in this place, whichever account carries them. */
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

/** With few sends here, figures of other countries are borrowed, relative to what is usual there and here. */
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
    // Only half counts, so that an account of which time has left only a dozen sends is tried again, however well it is
    // known elsewhere.
    isKnown: here.ripe + (borrowed - leastBorrowed) / 2 >= enough,
  }
}

/** The cheapest account; among equals the one with more approvals, then the one that has priority. */
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

interface Parts {
  readonly leader: Weighed
  /** The account that certainly brings the most approvals. */
  readonly best: Weighed
  readonly terms: Terms
}

interface Try {
  readonly each: Weighed
  readonly share: number
}

/** All tries together stay within the share for trying, and lose no more than their part of what the floor allows. */
function triesOf(weighed: readonly Weighed[], parts: Parts): readonly Try[] {
  const { best, terms } = parts
  const wished = weighed.map((each) => ({ each, share: wishedTry(each, parts) }))
  const sum = sumOf(wished, ({ share }) => share)
  const lost = sumOf(wished, ({ each, share }) => share * lossOf(each, best, 0))
  const scale = Math.min(1, terms.trying / sum, (lostByTrying * largestLoss(terms)) / lost)
  return wished.map(({ each, share }) => ({ each, share: share === 0 ? 0 : share * scale }))
}

function wishedTry(each: Weighed, { leader, best, terms }: Parts): number {
  if (each === leader) return 0
  // An account that is not known, or no longer, gets the whole share for trying.
  if (!each.isKnown) return terms.trying
  const isBetter = chanceThat(logCost(leader) - logCost(each), each, leader)
  // The account may be so good that the leader would be below the floor beside it.
  const isAbove = chanceOfFloor(leader, each, terms.floor)
  return Math.max(leastShare, isBetter * chanceOfFloor(each, best, terms.floor), 1 - isAbove)
}

/**
 * The leader gets as much as keeps the mix above the floor, even if it is worse than believed: compared with the
 * account that surely brings most, and with any other that may bring more. The account that leaves the leader least
 * holds the floor.
 */
function held(tries: readonly Try[], { leader, best, terms }: Parts) {
  const left = 1 - sumOf(tries, ({ share }) => share)
  const ledBeside = (other: Weighed): number => {
    const lost = sumOf(tries, ({ each, share }) => share * lossOf(each, other, 0))
    const loss = lossOf(leader, other, caution)
    return loss === 0 ? left : Math.min(left, Math.max(0, largestLoss(terms) - lost) / loss)
  }
  // A cheaper account would lead itself if it brought as much, so only dearer ones count here.
  const others = tries.filter(({ each }) => each.isKnown && each.costMicros > leader.costMicros)
  return others
    .map(({ each }) => ({ holder: each, led: ledBeside(each) }))
    .reduce((one, other) => (other.led < one.led ? other : one), { holder: best, led: ledBeside(best) })
}

const largestLoss = ({ floor }: Terms) => Math.max(leastLost, 1 - floor)

/** The share of the best account's approvals that is lost, if this one is `deviations` worse than believed. */
function lossOf(each: Weighed, best: Weighed, deviations: number): number {
  if (each === best) return 0
  const reached = each.conversion / best.conversion
  return Math.max(0, 1 - reached * Math.exp(-deviations * deviationOf(each, best)))
}

const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number) =>
  items.reduce((total, item) => total + of(item), 0)

/** The conversion that an account very probably has at least. */
const surely = ({ conversion, deviation }: Weighed) => conversion * Math.exp(-deviation)

const logCost = ({ priceMicros, conversion }: Weighed) =>
  Math.log(Math.max(priceMicros, leastPriceMicros) / conversion)

const deviationOf = (one: Weighed, other: Weighed) =>
  one === other ? one.deviation : Math.hypot(one.deviation, other.deviation)

/** The chance that a difference with this mean is above zero. */
const chanceThat = (mean: number, one: Weighed, other: Weighed) =>
  normal(mean / Math.max(1e-9, deviationOf(one, other)))

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

/** Rounds a share as it is shown. */
export const thousandths = (value: number) => Math.round(value * 1_000) / 1_000
