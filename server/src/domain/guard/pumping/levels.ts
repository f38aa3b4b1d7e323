/**
 * The levels at which conversion debt is kept, from the smallest range of numbers to all that is unfamiliar.
 *
 * A first send to a stranger adds half a point at once and half a point a minute later; an approval takes
 * `1 / breakEven` off. So debt falls while people convert and rises while nobody does, and traffic that never
 * converts can spend at most the threshold of a level before the level blocks.
 */

/** Levels of places that can be closed. */
export type PlaceLevel = 'r100' | 'r1k' | 'r10k' | 'carrier' | 'country' | 'unfamiliar' | 'ip'
/** `trial` and `learning` only count the numbers of an app. */
export type Level = PlaceLevel | 'trial' | 'learning'

export interface LevelRule {
  readonly halfLifeMs: number
  /** Debt at which the level blocks, before what recent approvals add to it. */
  readonly block: number
  /** Debt at which a parent tightens its children; what is under an alert and was never approved blocks earlier. */
  readonly alert: number
  /** The threshold of what was never approved: under a parent's alert, or of a parent that is new to the app. */
  readonly blockUnapproved: number
  /** Conversion at which debt neither grows nor falls, were every send charged whole. */
  readonly breakEven: number
  /** The credit that good traffic can save up. */
  readonly floor: number
}

const minuteMs = 60_000
const hourMs = 3_600_000
const never = Number.POSITIVE_INFINITY

const counting: LevelRule = {
  halfLifeMs: never,
  block: never,
  alert: never,
  blockUnapproved: never,
  breakEven: 1,
  floor: 0.5,
}

export const levelRules: Readonly<Record<Level, LevelRule>> = {
  r100: { halfLifeMs: 12 * hourMs, block: 4, alert: never, blockUnapproved: 2, breakEven: 0.7, floor: -4 },
  r1k: { halfLifeMs: 12 * hourMs, block: 5.5, alert: never, blockUnapproved: 2, breakEven: 0.7, floor: -4 },
  r10k: { halfLifeMs: 12 * hourMs, block: 8, alert: never, blockUnapproved: 3, breakEven: 0.7, floor: -4 },
  carrier: { halfLifeMs: 4 * hourMs, block: 20, alert: 10, blockUnapproved: 10, breakEven: 0.62, floor: -4 },
  country: { halfLifeMs: 4 * hourMs, block: 32, alert: 14, blockUnapproved: 10, breakEven: 0.62, floor: -6 },
  unfamiliar: {
    halfLifeMs: 8 * hourMs,
    block: 20,
    alert: 8,
    blockUnapproved: 10,
    breakEven: 0.62,
    floor: -2,
  },
  ip: { halfLifeMs: hourMs, block: 6, alert: never, blockUnapproved: 6, breakEven: 0.5, floor: -4 },
  trial: counting,
  learning: counting,
}

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
export const recentMs = 10 * minuteMs

export const halfCharge = 0.5
/** Where the app knows nobody, the second stranger of a range of ten thousand within a minute adds this to its parents. */
export const pairCharge = 6
/** The second half falls due this long after a send that was not approved. */
export const secondHalfAfterMs = minuteMs
/** Second halves are kept by slot of the send's time, so that a busy row stays small. */
export const slotMs = 5_000

/** A repeat to the same number within this adds nothing the first time: people do ask twice. */
export const repeatMs = hourMs
export const freeRepeats = 1

export const trustMs = 180 * 24 * hourMs
/** Trust is spent by this many sends without an approval. */
export const trustedSends = 3

/** Approvals that make a carrier, or a whole country, familiar, if this share of its numbers was approved. */
export const familiarApprovals = 12
export const familiarShare = 0.45

/** How long half of the people take, until a country has shown its own time. */
export const firstDelayMs = 30_000
export const shortestDelayMs = 5_000
export const longestDelayMs = 300_000

/** A range of numbers is first held, so that approvals on their way can arrive. */
export const holdMs = 2 * minuteMs
export const holdAgainMs = hourMs
export const blockMs = 6 * hourMs
export const longestBlockMs = 72 * hourMs
export const parentBlockMs = hourMs
export const longestParentBlockMs = 24 * hourMs
export const ipBlockMs = hourMs
/** What blocks keeps this share of its threshold as debt: below what starts the next block, when this one ends. */
export const keptDebt = 0.86
/** A blocked parent reopens below this share of its alert. */
export const reopenShare = 0.5
/** One send passes a blocked parent per gap; the gap doubles while scouts fail and halves when one is approved. */
export const scoutGapMs = 10 * minuteMs
export const shortestScoutGapMs = minuteMs
export const longestScoutGapMs = 60 * minuteMs
/** Up to so many times the usual strangers, and a few, is no attack: scouts then come at the shortest gap. */
export const quietFactor = 2.5
export const askedMs = 4 * minuteMs
export const quietAsked = 3
/** What is left of a quiet place's debt after a scout was approved. */
export const leftAfterScout = 0.5
/** What a level did before is forgotten after this long without another block. */
export const strikesKeptMs = 7 * 24 * hourMs
/** What blocked within this time blocks again at this share of its threshold. */
export const probationMs = 24 * hourMs
export const probationShare = 0.8
/** For the conversion that a carrier or country usually has. */
export const conversionHalfLifeMs = 30 * 24 * hourMs
/** From so many approvals on, and not in an afternoon, a place's own conversion says what is usual there. */
export const establishedApprovals = 200
export const establishedAfterMs = 48 * hourMs
