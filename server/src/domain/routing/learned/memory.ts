/**
 * What is remembered of one account in one place, and how it fades.
 *
 * A send is not judged before its code could have been typed: it ripens, and what is counted is how ripe sends are,
 * beside those that were approved. There are four memories, of about 4, 25, 100 and 400 sends; all of them lose half in
 * three hours, down to what a dozen sends are worth. The longest is believed, until a shorter one contradicts it: then
 * the account has changed, and what was before is forgotten. The shortest is believed only of one that got better, which is
 * then tried more often. So what is steady is known well, what has changed is seen within a few sends, and what is hardly
 * used is unknown after some hours.
 */

/** Both are sums of weights. */
export interface Memory {
  readonly ripe: number
  readonly approved: number
}

/** What share of codes is typed where nothing is known, and as how many sends that counts. */
const usualConversion = 0.7
export const usualWeight = 6

/** Few sends say little: their share is drawn to what is assumed otherwise. */
export const conversionOf = ({ ripe, approved }: Memory, otherwise = usualConversion) =>
  (approved + otherwise * usualWeight) / (Math.max(ripe, approved) + usualWeight)

/** After as many ripe sends, a third is left of what was. The shortest first. */
export const spans = [4, 25, 100, 400] as const
export const halfLifeSeconds = 10_800
/** Time alone leaves as many: after a quiet week something is still known. */
export const keptSends = 12

export type Memories = readonly [least: Memory, short: Memory, middle: Memory, long: Memory]

const nothing: Memory = { ripe: 0, approved: 0 }
export const noMemories: Memories = [nothing, nothing, nothing, nothing]

/** What time alone leaves. */
export function fade(memories: Memories, elapsedSeconds: number): Memories {
  const byTime = 0.5 ** (Math.max(0, elapsedSeconds) / halfLifeSeconds)
  return each(memories, ({ ripe, approved }) => {
    const left = ripe > keptSends ? Math.max(byTime, keptSends / ripe) : 1
    return { ripe: ripe * left, approved: approved * left }
  })
}

/** As the statement in `store.ts` has it; a test holds one against the other. */
export function remember(memories: Memories, more: Memory): Memories {
  return each(memories, (memory, span) => {
    const left = Math.exp(-Math.max(0, more.ripe) / span)
    // Many at once fade among themselves, too.
    const gain = more.ripe > 0 ? (span * (1 - left)) / more.ripe : 1
    return {
      ripe: Math.max(0, memory.ripe * left + more.ripe * gain),
      approved: memory.approved * left + more.approved * gain,
    }
  })
}

const each = (
  [least, short, middle, long]: Memories,
  change: (memory: Memory, span: number) => Memory,
): Memories => [
  change(least, spans[0]),
  change(short, spans[1]),
  change(middle, spans[2]),
  change(long, spans[3]),
]

/** How much likelier the shorter memory must be by its own share than by the longer's, as a logarithm. */
const contradiction = 3.5
/** That one got better is believed sooner: it is only tried more often then. */
const improvement = 2

/** Without what is not true any more; the same where nothing has changed. */
export function forget(memories: Memories): Memories {
  const [least, short, middle, long] = memories
  if (shareOf(least) > shareOf(long) && contradicts(least, long, improvement))
    return [least, least, least, least]
  if (contradicts(short, long)) return [least, short, short, short]
  if (contradicts(middle, long)) return [least, short, middle, middle]
  return contradicts(short, middle) ? [least, short, short, long] : memories
}

export const believed = (memories: Memories): Memory => forget(memories)[3]

function contradicts(shorter: Memory, longer: Memory, by = contradiction): boolean {
  if (shorter.ripe < 1) return false
  return shorter.ripe * divergence(shareOf(shorter), shareOf(longer)) > by
}

/** Never quite nobody or everybody. */
const shareOf = ({ ripe, approved }: Memory) => Math.min(0.99, Math.max(0.01, (approved + 0.5) / (ripe + 1)))

/** Of one share from another (Kullback and Leibler). */
const divergence = (share: number, other: number) =>
  share * Math.log(share / other) + (1 - share) * Math.log((1 - share) / (1 - other))
