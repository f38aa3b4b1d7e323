/**
 * The levels at which conversion debt is kept, and every number of the guard that is not learnt, with its reason.
 *
 * A first send to a stranger adds half of its weight at once and the other half after a minute; an approval takes
 * `1 / breakEven` off. The weight depends on what the app's own people do (`conversion.ts`). So debt falls while people
 * convert as usual and rises while nobody does, and traffic that never converts can spend at most a level's threshold.
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
  /** Debt at which a parent tightens its children: those that were never approved then close earlier. */
  readonly alert: number
  /** The threshold of a place that was never approved, if there is an alert or the app has nobody there yet. */
  readonly blockUnapproved: number
  /** Conversion at which debt neither grows nor falls, for sends of full weight. */
  readonly breakEven: number
  /** The credit that good traffic can save up. */
  readonly floor: number
  /** How long sends are remembered one by one: longer where codes on their way do not count as debt yet. */
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
/** Patience is three minutes: by then nearly all who type a code have done so, even at a third of the usual speed. */
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
  // Where codes are read to somebody else, as in a call centre, they are used until they expire, after ten minutes.
  ip: {
    ...range,
    halfLifeMs: hourMs,
    block: 6,
    blockUnapproved: 6,
    breakEven: 0.5,
    patienceMs: 10 * minuteMs,
  },
  trial: counting,
}

// --- What an app's people do ---------------------------------------------------------------------------------------

/** The weight of a send is 1 where this share of people types the code, and less where fewer do. */
export const fullWeightConversion = 0.75
/** An attack is assumed to use this share of the codes that people would use; it sets how fast the weight falls. */
export const attackShare = 1 / 8
/** What is learnt fades within months, as products change. */
export const conversionHalfLifeMs = 30 * dayMs
/** From this many numbers on, an app's own conversion counts; before, at least `firstConversion` is assumed. */
export const knownNumbers = 100
export const firstConversion = 0.3
/** Below this conversion nobody can tell an app's people from an attack by what they type. */
export const leastConversion = 0.1
/** The conversion and the threshold before anybody at all has typed a code. */
export const unprovenConversion = 0.5
export const unprovenBlock = 8
/** The share of the app's conversion that is expected of a new country: without approvals yet, and with some. */
export const newCountryShare = 0.65
export const convertingCountryShare = 0.4
/** `declared_conversion` counts as this many numbers: a declared value outweighs the first days, not a season. */
export const declaredNumbers = 300
/** A code that was not typed within this time will not be typed. */
export const maturityMs = 5 * minuteMs

/** How many approvals make a country an app's own, with at least this share of the app's conversion. */
export const homeApprovals = 12
export const homeShare = 0.62
/** A country is home after a day at the earliest: an attack that types some codes must not make itself at home. */
export const homeAfterMs = dayMs
/** After this many approvals and this time, a country's own conversion, delay and volume are known. */
export const establishedApprovals = 100
export const establishedAfterMs = 36 * hourMs

/** Learning ends after this many new numbers and this time, if at least `leastConversion` of them were approved. */
export const learningNumbers = 200
export const learningMs = 3 * dayMs
/** While an app learns, wide places are closed only after this many numbers, and if no code was ever used. */
export const learningUnapproved = 40

/**
 * If this many people were let through closed places, or refused, and use this share of the codes that people use, the
 * guard does not fit. Those who were let through fade by the half-life, those who were refused are forgotten after
 * `misfitMs`.
 */
export const misfitNumbers = 20
export const misfitShare = 0.7
export const misfitHalfLifeMs = dayMs
export const misfitMs = dayMs

// --- What is charged, and when -------------------------------------------------------------------------------------

/** People who try a new app send to a few numbers and type few of the codes, so nothing is held back at first. */
export const trialNumbers = 15
/** Each approval lengthens the trial, up to the longest, while no more than this many strangers a minute ask. */
export const trialPerApproval = 4
export const longestTrial = 60
export const trialPerMinute = 10

/** The threshold of an address on a list of VPNs, proxies, Tor or data centres. */
export const flaggedIpBlock = 3

/** Each approval of the last ten minutes adds this to a parent's alert, and twice this to its threshold. */
export const slackPerApproval = 0.12
/** Where the app has nobody yet, up to this share of approvals counts as no approvals. */
export const negligibleShare = 0.1
/** Under an alert, an unknown place where nothing was approved closes at this share of its threshold. */
export const alertShare = 0.4
/** A debt that is this near to its threshold has reached it: a few minutes of decay must not allow another send. */
export const debtTolerance = 0.1
/** The most debt, in thresholds: without a bound it would grow without end where blocks are only watched. */
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

/** A number is charged to its places once in this time; further sends only add to what the number itself owes. */
export const chargedOnceMs = dayMs
/** A number may ask for this many codes without typing one, or for as many as one verification may send. Then it waits. */
export const recipientSends = 5
export const recipientHalfLifeMs = 12 * hourMs
/** Subtracted from the bound, since the first of several sends has faded a little when the last one comes. */
export const fadedSend = 0.5
/** How long such a number waits for the next code: an hour, then two, four … until it types one. */
export const recipientGapMs = hourMs
export const longestRecipientGapMs = dayMs
/** An approval pays for as many sends as the app's people need for one, divided by this share. */
export const recipientBreakEven = 0.6

export const trustMs = 180 * dayMs
/** Known recipients may type as little as this share of their usual codes, since a bad day is no attack. */
export const knownBreakEven = 0.75
/** This many codes, used as usual, are added to those of the last minutes, so that a few codes say little. */
export const usualCodes = 10
/** Sends to known recipients count in full from this conversion on. */
export const knownFullConversion = 0.6

/** How long half of the people take to type the code, until a country has shown its own time; and its bounds. */
export const firstDelayMs = 30_000
export const shortestDelayMs = 5_000
export const longestDelayMs = 300_000
/** The median follows the approvals in steps of this share. */
export const delayStep = 0.01
/** How widely the times are spread around the median: about as in a lognormal distribution. */
export const delaySteepness = 2.4
/** How many times slower than usual codes may be before it is a surprise. */
export const delaySlack = 2.5
/** The same for carriers that stand out in their country and for people who had codes before: they have less excuse. */
export const timelyDelaySlack = 1.2

// --- What stands out -----------------------------------------------------------------------------------------------

/** The window in which strangers who ask are counted. */
export const askedMs = 6 * minuteMs
/** At which times of the day people come is known by parts of this length, from about this many days. */
export const partMs = 30 * minuteMs
export const usualDays = 14
/** This many times the number that the rest of the app or country suggests, and a few more, is no surprise. */
export const expectedFactor = 1.25
export const expectedMore = 2
/**
 * Above this many times the expected number, and a few more, a place stands out, and closes at this share of its
 * threshold.
 */
export const outstandingFactor = 3
export const outstandingShare = 0.5
/** A prefix that stands out while its carrier's prefixes together owe much closes at this share of its threshold. */
export const alliedShare = 0.2
/** Where known recipients stand out, they are held at this share of the threshold; those who ask rarely keep a lane. */
export const knownShare = 0.2
/**
 * In other countries only people who type the code count, times this factor, since those who ask now have had less time
 * to type it.
 */
export const peopleSlack = 1.3
/** Up to this many times the usual strangers, and a few, is no attack: scouts then come at the shortest gap. */
export const quietFactor = 2.5
export const quietAsked = 1.5
/** Up to this share of the most who asked while a place was closed is no attack either. */
export const endedShare = 0.1

/** Approvals are missing if they are at least this many, this share of those that are due, and this many deviations. */
export const leastMissing = 4
export const missingShare = 0.5
export const missingDeviations = 3
/** In a minute with this many times the usual sends, and a few more, fewer deviations are enough. */
export const burstFactor = 2
export const burstSends = 5
export const missingInBurst = 2.5
/** The share of the usual approvals that is expected, since a bad day is no attack. */
export const cautiousShare = 0.75
/** Missing approvals hold a place only if at least this share of its strangers is unexplained. */
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
/** A block that somebody has lifted does not return for this long. */
export const liftedMs = dayMs
/** A blocked place keeps this share of its limit as debt, which has decayed below the next block when this one ends. */
export const keptDebt = 0.86
/** A blocked parent reopens below this share of the debt that closed it: by approvals, or in about seven hours. */
export const reopenShare = 0.25
/** The scouts of the first hour, unless `learning_budget` says otherwise. */
export const scoutsAnHour = 3
/** The gap between scouts doubles while they fail, and shrinks to a quarter after one that is approved. */
export const shortestScoutGapMs = minuteMs
export const longestScoutGapMs = hourMs
export const longestScoutGapAbroadMs = 4 * hourMs
/** If more than this asked lately in the same ten thousand numbers, nobody there is a scout: the attack is there. */
export const busyAsked = 0.5
/** Where the app knows nobody, age alone does not open a place in which more strangers than this ask. */
export const fewAsked = 1
/** More than this many approvals of the last minutes open such a place nevertheless. */
export const fewRecent = 0.25
/** What is left of a quiet place's debt after a scout was approved. */
export const leftAfterScout = 0.5
/** Earlier blocks of a place are forgotten after this long without another. */
export const strikesKeptMs = 7 * dayMs
/** A place that was blocked within this time is blocked again at this share of its threshold. */
export const probationMs = dayMs
export const probationShare = 0.8

/** A range in which nobody asked, or a known recipient who did not ask, for this long is no part of an attack. */
export const laneQuietMs = hourMs
export const laneKnownQuietMs = 6 * hourMs
/** How many people may pass by a lane at once, and what they may owe. */
export const laneBurst = 3
export const laneBlock = 4
/** The credit that people in a lane can save up. */
export const laneFloor = -4
export const laneHalfLifeMs = hourMs
