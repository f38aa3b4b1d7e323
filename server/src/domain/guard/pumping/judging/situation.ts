/** What the guard knows of the app and the place before it judges one send. */
import type { Trust } from '../acquaintance/acquaintance.ts'
import { parentsOf } from '../acquaintance/charged-keys.ts'
import { type Debt, sentLately, usualRate } from '../debt/debt.ts'
import {
  conversionIn,
  conversionOf,
  knownConversionIn,
  knownWeightOf,
  unprovenWeight,
  weightOf,
} from '../fit/conversion.ts'
import {
  expectedAgain,
  type Fit,
  isEstablished,
  isHome,
  isKnownUsual,
  isLearning,
  isUnproven,
} from '../fit/fit.ts'
import { busynessAt } from '../fit/hours.ts'
import {
  askedMs,
  knownNumbers,
  longestTrial,
  peopleSlack,
  recentMs,
  trialNumbers,
  trialPerApproval,
  trialPerMinute,
} from '../levels.ts'
import type { Parents, Place, PlaceKey } from '../place.ts'
import type { Book } from './book.ts'
import {
  type Around,
  excessOf,
  expectedAsked,
  expectedBeside,
  healthOfRest,
  isOutstanding,
  prominenceOf,
  restOf,
} from './outlook.ts'

export interface Circumstances {
  readonly isFlagged: boolean
  readonly declaredCountries: readonly string[]
  readonly nowMs: number
  /** True in mode `auto` with a carrier that costs money: wide places are closed only once the app has learnt. */
  readonly learns?: boolean
  /** The simulator carries the message. */
  readonly isSimulated?: boolean
  /** The declared share of people who type the code. */
  readonly declaredConversion?: number | null
  /** How many messages one verification may send. */
  readonly mostSends?: number
  /** Messages that may be risked in an hour to learn about one closed place. */
  readonly scoutsAnHour?: number
}

export interface Situation {
  readonly place: Place
  readonly parents: Parents
  readonly circumstances: Circumstances
  readonly isKnown: boolean
  readonly isHome: boolean
  /** Whether it is known what is usual there: volume, conversion, delay. */
  readonly isEstablished: boolean
  readonly isLearning: boolean
  readonly isUnproven: boolean
  /** As `expectedAgain` of the app's fit. */
  readonly expectedAgain: number | null
  readonly isOnTrial: boolean
  readonly conversion: number
  /** What one send is charged to a range or an address (`tiny`), an issuer, a carrier, a country. */
  readonly weights: Readonly<Record<'tiny' | keyof Parents, number>>
  /** Whether far more strangers ask there than the surroundings explain. */
  readonly outstanding: Readonly<Record<keyof Parents, boolean>>
  /** How near a place is to standing out, from 0 to 1. */
  readonly prominence: Readonly<Record<keyof Parents, number>>
}

/** Which of a situation's parents this key is; null for ranges and addresses. */
export function parentOf({ parents }: Situation, key: PlaceKey): keyof Parents | null {
  if (key === parents.issuer) return 'issuer'
  if (key === parents.carrier) return 'carrier'
  return key === parents.country ? 'country' : null
}

/** Whether the carrier that stands out is small enough to be closed as a whole. */
export const isSmallCarrier = ({
  parents,
  outstanding,
}: Pick<Situation, 'parents' | 'outstanding'>): boolean =>
  outstanding.issuer && parents.issuer?.level === 'carrier'

export function situationOf(book: Book, place: Place, circumstances: Circumstances, trust: Trust): Situation {
  const { nowMs, declaredCountries, learns = false, declaredConversion: declared = null } = circumstances
  const fit = book.fitOf(place.appId, nowMs)
  const isKnown = trust === 'known'
  const home = isKnown || declaredCountries.includes(place.region) || isHome(fit, place.region)
  const parents = parentsOf({ place, isKnown, isHome: home })
  const unproven = !isKnown && isUnproven(fit, declared)
  const conversion = isKnown
    ? knownConversionIn(fit, usualIn(book.at(parents.country, nowMs)), declared)
    : conversionIn(fit, place.region, declared, book.at(parents.country, nowMs).asked + 1)
  const established = home && (isKnown || isEstablished(fit, place.region))
  const base = unproven ? unprovenWeight : isKnown ? knownWeightOf(conversion) : weightOf(conversion)
  const overall = weightOf(conversionOf(fit, declared))
  const outlook = established ? compare(book, place, parents, { conversion, isKnown, nowMs }) : asEverywhere
  return {
    place,
    parents,
    circumstances,
    isKnown,
    isHome: home,
    isEstablished: established,
    isLearning: isLearning(fit, learns && declared === null, nowMs),
    isUnproven: unproven,
    expectedAgain: expectedAgain(fit, declared),
    isOnTrial: !isKnown && isOnTrial(book.at(place.trial, nowMs)),
    conversion,
    weights: {
      tiny: fit.strangers.numbers < knownNumbers ? 1 : overall,
      issuer: base * outlook.issuer,
      carrier: base * outlook.carrier,
      country: base * outlook.country,
    },
    outstanding: outlook.outstanding,
    prominence: outlook.prominence,
  }
}

/** Sends and approvals of about the last month. */
export const usualIn = ({ usualNumbers, usualApproved, sinceMs }: Debt) => ({
  numbers: usualNumbers,
  approved: usualApproved,
  sinceMs,
})

const asEverywhere = {
  issuer: 1,
  carrier: 1,
  country: 1,
  outstanding: { issuer: false, carrier: false, country: false },
  prominence: { issuer: 0, carrier: 0, country: 0 },
}
const nothingOdd = { ...asEverywhere, issuer: 0, carrier: 0, country: 0 }
/** From other countries only people who type the code count, so that one attack does not excuse another. */
const peopleIn = (others: Around, conversion: number): Around => ({
  ...others,
  asked: Math.min(others.asked, ((peopleSlack * others.recent) / conversion) * (askedMs / recentMs)),
})
const aroundIn = (state: Debt): Around => ({ ...state, rate: usualRate(state) })
/**
 * A sale or a Monday morning brings new people and known ones. As long as nothing speaks against the new ones, all of
 * them count, even if their codes are still on their way.
 */
function strangersIn(book: Book, { home }: Place, fit: Fit, nowMs: number): Around {
  const state = book.at(home.country, nowMs)
  const isOpen = Math.max(state.heldUntilMs, state.blockedUntilMs) <= nowMs
  return isOpen ? aroundIn(state) : peopleIn(aroundIn(state), conversionOf(fit, null))
}

/**
 * The share of the sends that is not explained: in a country compared with the rest of the app (for known recipients:
 * with the country's strangers), and with a carrier compared with the rest of its country.
 */
export function compare(
  book: Book,
  place: Place,
  parents: Parents,
  { conversion, isKnown, nowMs }: { conversion: number; isKnown: boolean; nowMs: number },
) {
  const fit = book.fitOf(place.appId, nowMs)
  if (isKnown && !isKnownUsual(fit)) return nothingOdd
  const country = book.at(parents.country, nowMs)
  const carrier = book.at(parents.carrier, nowMs)
  const others = restOf(aroundOf(fit, nowMs), country)
  const busyness = busynessAt(fit.hours, nowMs)
  const inApp = isKnown
    ? expectedBeside(country, strangersIn(book, place, fit, nowMs), busyness)
    : expectedAsked(country, peopleIn(others, conversion), busyness)
  const expectedIn = (state: Debt) => expectedAsked(state, restOf(aroundIn(country), state), busyness)
  const inCountry = expectedIn(carrier)
  const issuer = parents.issuer ? book.at(parents.issuer, nowMs) : carrier
  const ofIssuer = parents.issuer ? expectedIn(issuer) : inCountry
  const health = isKnown ? 1 : healthOfRest(others, conversion)
  return {
    issuer: health * excessOf(issuer.asked + 1, ofIssuer),
    carrier: health * excessOf(carrier.asked + 1, inCountry),
    country: health * excessOf(country.asked + 1, inApp),
    outstanding: {
      issuer: parents.issuer !== null && isOutstanding(issuer.asked + 1, ofIssuer),
      carrier: isOutstanding(carrier.asked + 1, inCountry),
      country: isOutstanding(country.asked + 1, inApp),
    },
    prominence: {
      issuer: parents.issuer === null ? 0 : prominenceOf(issuer.asked + 1, ofIssuer),
      carrier: prominenceOf(carrier.asked + 1, inCountry),
      country: prominenceOf(country.asked + 1, inApp),
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

function isOnTrial(state: Debt): boolean {
  const { numbers, approved } = state
  if (numbers < trialNumbers) return true
  const longest = Math.min(longestTrial, trialNumbers + trialPerApproval * approved)
  return numbers < longest && sentLately(state) < trialPerMinute
}
