/**
 * What is remembered of one account in one place, and how it fades.
 *
 * A send is not judged before its code could have been typed: it ripens, and the ripe part of all sends is compared with
 * the approvals. There are four memories, of about 10, 25, 100 and 1600 sends. Each loses half in three hours, down to
 * the worth of a dozen sends; the longest only in a day, if the account is used all the time. The longest is believed,
 * until a shorter one contradicts what was before it: then the account has changed, and what was before is forgotten. The
 * shortest only tells whether an account fell. So a steady account is known well, a change is seen within a few sends,
 * and an account that is hardly used is unknown after some hours and tried again.
 */

/** Both numbers are sums of weights. */
export interface Memory {
  readonly ripe: number
  readonly approved: number
}

/** The share of codes that is assumed to be typed, and how many sends that assumption is worth. */
const usualConversion = 0.7
export const usualWeight = 6

/** Few sends say little, so their share is drawn towards the assumed one. */
export const conversionOf = ({ ripe, approved }: Memory, otherwise = usualConversion) =>
  (approved + otherwise * usualWeight) / (Math.max(ripe, approved) + usualWeight)

/** The lengths of the memories, shortest first: after this many ripe sends, a third of what was before is left. */
export const spans = [10, 25, 100, 1600] as const
const [, , middleSpan, longestSpan] = spans
export const halfLifeSeconds = 10_800
/** How much longer the longest lasts while the one before is full: an account in constant use need not be forgotten. */
export const longerWhileUsed = 7
/** Time alone leaves this many sends: after a quiet week something is still known. */
export const keptSends = 12
/** How long a fall in one country makes the account suspect in the others. */
export const fellHalfLifeSeconds = 900

export interface Memories {
  readonly spans: readonly [brief: Memory, short: Memory, middle: Memory, long: Memory]
  /** How clearly a fall was seen lately. */
  readonly fell: number
}

const nothing: Memory = { ripe: 0, approved: 0 }
export const noMemories: Memories = { spans: [nothing, nothing, nothing, nothing], fell: 0 }

/** What time alone leaves of the memories. */
export function fade({ spans: memories, fell }: Memories, elapsedSeconds: number): Memories {
  const elapsed = Math.max(0, elapsedSeconds)
  const used = Math.min(1, memories[2].ripe / middleSpan) ** 2
  return {
    spans: each(memories, (memory, span) => {
      const slower = span === longestSpan ? 1 + longerWhileUsed * used : 1
      const byTime = 0.5 ** (elapsed / (halfLifeSeconds * slower))
      const left = memory.ripe > keptSends ? Math.max(byTime, keptSends / memory.ripe) : 1
      return { ripe: memory.ripe * left, approved: memory.approved * left }
    }),
    fell: fell * 0.5 ** (elapsed / fellHalfLifeSeconds),
  }
}

/** Does the same as the statement in `store.ts`; a test compares them. */
export function remember({ spans, fell }: Memories, more: Memory): Memories {
  return {
    spans: each(spans, (memory, span) => {
      const left = Math.exp(-Math.max(0, more.ripe) / span)
      // Sends that are added together also fade among themselves.
      const gain = more.ripe > 0 ? (span * (1 - left)) / more.ripe : 1
      return {
        ripe: Math.max(0, memory.ripe * left + more.ripe * gain),
        approved: memory.approved * left + more.approved * gain,
      }
    }),
    fell,
  }
}

const each = (
  [brief, short, middle, long]: Memories['spans'],
  change: (memory: Memory, span: number) => Memory,
): Memories['spans'] => [
  change(brief, spans[0]),
  change(short, spans[1]),
  change(middle, spans[2]),
  change(long, spans[3]),
]

/** How much likelier the shorter memory must be by its own share than by the longer one's, as a logarithm. */
const contradiction = 5.5
/** A fall must be seen here too, however clearly the account fell in other countries. */
const leastContradiction = 0.5
/** How much of the evidence from other countries is put down to chance. */
const byChance = 1

/**
 * Removes what is no longer true; returns the same object if nothing has changed. Evidence of a fall in other countries
 * counts here as well: logarithms of likelihoods add up.
 */
export function forget(memories: Memories, fallElsewhere = 0): Memories {
  const [brief, short, middle, long] = memories.spans
  const fell = Math.max(memories.fell, fallOf(memories))
  const needed = Math.max(leastContradiction, contradiction - Math.max(0, fallElsewhere - byChance))
  if (isHigher(long, brief) && contradicts(brief, long, needed))
    return { spans: [brief, brief, brief, brief], fell }
  if (contradicts(short, long, isHigher(long, short) ? needed : contradiction))
    return { spans: [brief, short, short, short], fell }
  if (contradicts(middle, long)) return { ...memories, spans: [brief, short, middle, middle] }
  return contradicts(short, middle) ? { ...memories, spans: [brief, short, short, long] } : memories
}

/** How clearly the last sends did worse than is believed; below zero if they did better. */
export function fallOf({ spans: [brief, , , long] }: Memories): number {
  if (brief.ripe < 1) return 0
  const evidence = evidenceOf(brief, long)
  return isHigher(long, brief) ? evidence : -evidence
}

const isHigher = (one: Memory, other: Memory) => shareOf(one) > shareOf(other)

export const believed = (memories: Memories, fallElsewhere = 0): Memory =>
  forget(memories, fallElsewhere).spans[3]

const contradicts = (shorter: Memory, longer: Memory, by = contradiction) =>
  shorter.ripe >= 1 && evidenceOf(shorter, longer) > by

/** Compares with what was before: the longer memory contains the same sends, and would fall with them. */
function evidenceOf(shorter: Memory, longer: Memory): number {
  const before: Memory = {
    ripe: Math.max(0, longer.ripe - shorter.ripe),
    approved: Math.max(0, longer.approved - shorter.approved),
  }
  const size = (shorter.ripe * before.ripe) / (shorter.ripe + before.ripe)
  return size * divergence(shareOf(shorter), shareOf(before))
}

/** The share is kept away from 0 and 1, whose logarithms are infinite. */
const shareOf = ({ ripe, approved }: Memory) => Math.min(0.99, Math.max(0.01, (approved + 0.5) / (ripe + 1)))

/** The divergence of one share from another (Kullback and Leibler). */
const divergence = (share: number, other: number) =>
  share * Math.log(share / other) + (1 - share) * Math.log((1 - share) / (1 - other))
