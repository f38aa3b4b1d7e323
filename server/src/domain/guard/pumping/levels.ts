/**
 * The levels at which conversion debt is kept, and every number of the guard that is not learnt, with its reason.
 *
 * A first send to a stranger adds half of its weight at once and half a minute later; an approval takes `1 / breakEven`
 * off. The weight is by what the app's own people do (`conversion.ts`). So debt falls while people convert as they usually do
 * and rises while nobody does, and traffic that never converts can spend at most the threshold of a level.
 */

/** Levels of places that can be closed; `known_…` are the same places, for recipients who were verified before. */
export type PlaceLevel =
  | 'r100'
  | 'r1k'
  | 'r10k'
  | 'carrier'
  | 'country'
  | 'known_carrier'
  | 'known_country'
  | 'ip'
/** `trial` counts the first numbers of a company; `unfamiliar` and `issuer`, a large carrier, only raise an alarm. */
export type Level = PlaceLevel | 'trial' | 'unfamiliar' | 'issuer'

export interface LevelRule {
  readonly halfLifeMs: number
  /** Debt at which the level closes, before what recent approvals add to it. */
  readonly block: number
  /** Debt at which a parent tightens its children; what is under an alert and was never approved closes earlier. */
  readonly alert: number
  /** The threshold of what was never approved: under an alert, or of a parent where the app has nobody yet. */
  readonly blockUnapproved: number
  /** Conversion at which debt neither grows nor falls, for sends of full weight. */
  readonly breakEven: number
  /** The credit that good traffic can save up. */
  readonly floor: number
  /** How long sends are remembered one by one: longer where codes on their way are no debt yet. */
  readonly patienceMs: number
}

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const never = Number.POSITIVE_INFINITY

const counting: LevelRule = {
  halfLifeMs: never,
  block: never,
  alert: never,
  blockUnapproved: never,
  breakEven: 1,
  floor: 0.5,
  patienceMs: minuteMs,
}
const range = {
  halfLifeMs: 12 * hourMs,
  alert: never,
  breakEven: 0.7,
  floor: -4,
  patienceMs: minuteMs,
}
/** Three minutes: nearly all of those who type a code have done so, even when codes take three times as long as usual. */
const carrier = {
  halfLifeMs: 4 * hourMs,
  block: 20,
  alert: 10,
  blockUnapproved: 6,
  breakEven: 0.6,
  floor: -4,
  patienceMs: 3 * minuteMs,
}
const country = { ...carrier, block: 32, alert: 14, floor: -6 }

export const levelRules: Readonly<Record<Level, LevelRule>> = {
  r100: { ...range, block: 4, blockUnapproved: 2 },
  r1k: { ...range, block: 5.5, blockUnapproved: 2 },
  r10k: { ...range, block: 8, blockUnapproved: 3 },
  carrier,
  country,
  known_carrier: { ...carrier, floor: -2 },
  known_country: { ...country, floor: -2 },
  unfamiliar: { ...carrier, halfLifeMs: 8 * hourMs, block: 20, alert: 4, floor: -2 },
  issuer: carrier,
  ip: { ...range, halfLifeMs: hourMs, block: 6, blockUnapproved: 6, breakEven: 0.5 },
  trial: counting,
}

// --- What an app's people do ---------------------------------------------------------------------------------------

/** The weight of a send is 1 where this share of people types the code, and less where fewer do. */
export const fullWeightConversion = 0.75
/** An attack is taken to use this share of the codes that people would; it sets how fast the weight falls. */
export const attackShare = 1 / 8
/** What is learnt fades within months, as products change. */
export const conversionHalfLifeMs = 30 * dayMs
/** From so many numbers on the conversion of an app is its own; before, it is taken to be at least `firstConversion`. */
export const knownNumbers = 100
export const firstConversion = 0.3
/** Below this nobody can tell an app's people from an attack by what they type. */
export const leastConversion = 0.1
/** Before anybody at all has typed a code. */
export const unprovenConversion = 0.5
export const unprovenBlock = 8
/** A country that the app does not know may convert so much worse than the others: without, and with approvals. */
export const newCountryShare = 0.65
export const convertingCountryShare = 0.4
/** `declared_conversion` counts as so many numbers: an operator's word outweighs the first days, not a season. */
export const declaredNumbers = 300
/** A code that was not typed after so long will not be. */
export const maturityMs = 5 * minuteMs

/** Approvals that make a country an app's own, at this share of the app's conversion at least. */
export const homeApprovals = 12
export const homeShare = 0.62
/** And not before a day has passed: an attack that types some of its codes must not make itself at home. */
export const homeAfterMs = dayMs
/** From so many approvals on, and not in an afternoon, a country's own conversion, delay and volume are known. */
export const establishedApprovals = 100
export const establishedAfterMs = 36 * hourMs

/** Learning ends after so many new numbers and days, if at least `leastConversion` of them were approved. */
export const learningNumbers = 200
export const learningMs = 3 * dayMs
/** While an app learns, whole places are closed only where so many numbers led to nothing, and no code was ever used. */
export const learningUnapproved = 40

/** Of so many who were let through closed places, this share of what people do makes them people: the guard does not fit. */
export const misfitNumbers = 20
export const misfitShare = 0.7
export const misfitHalfLifeMs = dayMs

// --- What is charged, and when -------------------------------------------------------------------------------------

/** Whoever tries a new app out sends to a few numbers and types few of the codes: nothing is held back so early. */
export const trialNumbers = 15
/** Each approval lengthens the trial, up to the longest, while no more than this many strangers a minute ask. */
export const trialPerApproval = 4
export const longestTrial = 60
export const trialPerMinute = 10

/** An address on a list of VPNs, proxies, Tor or data centres gets this far. */
export const flaggedIpBlock = 3

/** Each approval of the last ten minutes adds this to a parent's alert, and twice this to its threshold. */
export const slackPerApproval = 0.12
/** Of a place where the app has nobody yet, up to this share of approvals is as good as none. */
export const negligibleShare = 0.1
/** Under an alert, what the app does not know and nobody has approved closes at this share of its threshold. */
export const alertShare = 0.4
/** What a few minutes of decay take off a debt is not worth another send. */
export const debtTolerance = 0.1
/** Where blocks are only watched, debt would grow without end; this many thresholds are enough. */
export const mostDebt = 6
export const recentMs = 10 * minuteMs

/** Where the app knows nobody, the second stranger of a range of ten thousand within a minute adds this to its parents. */
export const pairCharge = 5
/** While unfamiliar places are attacked, such a stranger adds this to the range itself, at home too. */
export const rangePairCharge = 2.5
/** The second half falls due this long after a send that was not approved. */
export const secondHalfAfterMs = minuteMs
/** Sends are remembered by slot of time, so that a busy row stays small. */
export const slotMs = 5_000

/** A number is charged to its places once in this time: what it asks more is its own matter. */
export const chargedOnceMs = dayMs
/** A number may ask for so many codes without typing one, or for as many as one verification may send; then once an hour, two, four … until it does. */
export const recipientSends = 5
export const recipientHalfLifeMs = 12 * hourMs
/** The first of several sends has faded a little when the last one comes. */
export const fadedSend = 0.5
export const recipientGapMs = hourMs
export const longestRecipientGapMs = dayMs
/** An approval pays for what people of the app need for one, and as much again by this share. */
export const recipientBreakEven = 0.6

export const trustMs = 180 * dayMs
/** Known recipients may type this share of the codes that they usually do, since a bad day is no attack. */
export const knownBreakEven = 0.75
/** So many codes, used as usual, are added to those of the last minutes before these are believed. */
export const usualCodes = 10
/** Their sends count in full from this conversion on. */
export const knownFullConversion = 0.6

/** How long half of the people take, until a country has shown its own time; and how much longer is no surprise. */
export const firstDelayMs = 30_000
export const shortestDelayMs = 5_000
export const longestDelayMs = 300_000
/** The median follows the approvals by steps of this share; the times are about as wide as a lognormal's. */
export const delayStep = 0.01
export const delaySteepness = 2.4
export const delaySlack = 2.5
/** Carriers that stand out beside others of their country, and people who had codes before, have less of an excuse. */
export const timelyDelaySlack = 1.2

// --- What stands out -----------------------------------------------------------------------------------------------

/** The window in which strangers who ask are counted. */
export const askedMs = 6 * minuteMs
/** So many times the sends that the rest of the app, or of the country, lets expect are no surprise; and a few. */
export const expectedFactor = 1.25
export const expectedMore = 2
/** From so many times on, and a few, a place stands out, and owes this share of its threshold at most. */
export const outstandingFactor = 3
export const outstandingShare = 0.5
/** A prefix that stands out while its carrier's prefixes owe much together closes at this share. */
export const alliedShare = 0.2
/** Known recipients who stand out owe less before they are held: a lane is kept for those who do not ask often. */
export const knownShare = 0.2
/** Of other countries those count who type the code; who asks now has had less time to. */
export const peopleSlack = 1.3
/** Up to so many times the usual strangers, and a few, is no attack: scouts then come at the shortest gap. */
export const quietFactor = 2.5
export const quietAsked = 1.5
/** Or up to this share of those who asked while a place was closed. */
export const endedShare = 0.1

/** Approvals are missing when so many at least are, this share of those that should be there, and so many deviations. */
export const leastMissing = 4
export const missingShare = 0.5
export const missingDeviations = 3
/** A minute with so many times the usual sends, and more, needs less to be suspicious. */
export const burstFactor = 2
export const burstSends = 5
export const missingInBurst = 2.5
/** What is expected is less than usual, since a bad day is no attack. */
export const cautiousShare = 0.75
/** And more strangers than expected by at least this share. */
export const suspiciousExcess = 0.3

// --- Barriers --------------------------------------------------------------------------------------------------------

/** A place is first held, so that approvals on their way can arrive. */
export const holdMs = 2 * minuteMs
export const holdAgainMs = hourMs
export const blockMs = 6 * hourMs
export const longestBlockMs = 72 * hourMs
export const parentBlockMs = hourMs
export const longestParentBlockMs = 24 * hourMs
export const ipBlockMs = hourMs
/** What an operator has lifted stays open for so long, whatever comes. */
export const liftedMs = dayMs
/** What blocks keeps this share of its threshold as debt: below what starts the next block, when this one ends. */
export const keptDebt = 0.86
/** A blocked parent reopens below this share of what closed it: by approvals, or in about seven hours. */
export const reopenShare = 0.25
/** Scouts of the first hour, where no `learning_budget` says otherwise. */
export const scoutsAnHour = 3
/** The gap between scouts doubles while they fail, and is a quarter after one that is approved. */
export const shortestScoutGapMs = minuteMs
export const longestScoutGapMs = hourMs
export const longestScoutGapAbroadMs = 4 * hourMs
/** Somebody of whose ten thousand numbers more than so many asked lately is no scout: that is where the attack is. */
export const busyAsked = 0.5
/** Where the app knows nobody, age alone does not open a place in which more strangers than this ask. */
export const fewAsked = 1
/** And it needs more than so many approvals of the last minutes. */
export const fewRecent = 0.25
/** What is left of a quiet place's debt after a scout was approved. */
export const leftAfterScout = 0.5
/** What a level did before is forgotten after this long without another block. */
export const strikesKeptMs = 7 * dayMs
/** What blocked within this time blocks again at this share of its threshold. */
export const probationMs = dayMs
export const probationShare = 0.8

/** A range in which nobody asked for so long, or a known recipient who did not, is none of the attack's. */
export const laneQuietMs = hourMs
export const laneKnownQuietMs = 6 * hourMs
/** As many pass as are no attack, a few at once, while they owe no more than this. */
export const laneBurst = 3
export const laneBlock = 4
/** What those beside the attack can save up. */
export const laneFloor = -4
export const laneHalfLifeMs = hourMs
