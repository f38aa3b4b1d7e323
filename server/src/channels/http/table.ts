/**
 * A table from texts to meanings, in which `*` matches any text. An exact text is preferred to a pattern, and a pattern
 * with more characters to one with fewer. Matching never backtracks, so its time is proportional to the text.
 */
export interface Table<Meaning> {
  readonly find: (text: string) => Meaning | undefined
}

interface Row<Meaning> {
  /** The parts between the stars, in lower case. */
  readonly parts: readonly string[]
  readonly meaning: Meaning
}

export function createTable<Meaning>(rows: Readonly<Record<string, Meaning>> = {}): Table<Meaning> {
  const whole = new Map<string, Meaning>()
  const patterns: Row<Meaning>[] = []
  for (const [key, meaning] of Object.entries(rows)) {
    const parts = key.toLowerCase().split('*')
    if (parts.length === 1) whole.set(key.toLowerCase(), meaning)
    else patterns.push({ parts, meaning })
  }
  const lengthOf = ({ parts }: Row<Meaning>) => parts.join('').length
  patterns.sort((left, right) => lengthOf(right) - lengthOf(left))
  return {
    find: (text) => {
      const small = text.toLowerCase()
      return whole.get(small) ?? patterns.find(({ parts }) => isLike(parts, small))?.meaning
    },
  }
}

/** The first part must begin the text, the last must end it, and the others must follow each other in between. */
function isLike(parts: readonly string[], text: string): boolean {
  const [first = '', ...others] = parts
  const last = others.pop() ?? ''
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false
  let at = first.length
  const end = text.length - last.length
  for (const part of others) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
