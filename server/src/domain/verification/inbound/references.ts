/** Finds what may be the reference of a link in a person's message. */

const referenceLength = 16
const longestText = 1_000
/** A bound, since each candidate is hashed and looked up, and anybody may write to the number. */
export const mostReferences = 100

/**
 * Every run of reference characters in the text, whatever the case, spacing and dashes. Runs that begin and end at the
 * edge of a word come first: a reference does so, and hardly anything else of its length.
 */
export function referencesIn(text: string): string[] {
  const words = text
    .slice(0, longestText)
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, ' ')
    .split(' ')
  const letters = words.join('').replace(/O/g, '0').replace(/[IL]/g, '1')
  const edges = new Set<number>([0])
  let end = 0
  for (const word of words) {
    end += word.length
    edges.add(end)
  }
  const starts = Array.from(
    { length: Math.max(0, letters.length - referenceLength + 1) },
    (_, start) => start,
  )
  const isOfWholeWords = (start: number) => edges.has(start) && edges.has(start + referenceLength)
  const found = new Set<string>()
  for (const start of [...starts.filter(isOfWholeWords), ...starts]) {
    const candidate = letters.slice(start, start + referenceLength)
    if (!candidate.includes('U')) found.add(candidate)
    if (found.size === mostReferences) break
  }
  return [...found]
}
