/** Shortens a change for the audit trail, which says who did what and is not a second copy of the data. */

const maxLength = 8_192
export const notRecorded = '(not recorded)'

type Fields = Readonly<Record<string, unknown>>

/** Leaves out only the longest values: padding must not hide which limit or host was changed. */
export function briefly(changes: Fields): string {
  const fields = JSON.stringify({ fields: Object.keys(changes) })
  try {
    const text = JSON.stringify(changes)
    if (text.length <= maxLength) return text
    // If it is too long because of many short values, whole fields are left out.
    const shortened = [Number.POSITIVE_INFINITY, 1].map((depth) =>
      withoutLongest(changes, text.length, depth),
    )
    return shortened.find(({ length }) => length <= maxLength) ?? fields
  } catch {
    // Settings are not validated yet, and may be nested too deeply to be written.
    return fields
  }
}

/** A list counts as one value; so does everything deeper than `depth`. */
function withoutLongest(changes: Fields, length: number, depth: number): string {
  const marker = lengthOf(notRecorded)
  const longestFirst = lengthsIn(changes, depth).sort((one, other) => other - one)
  let excess = length - maxLength
  let most = Number.POSITIVE_INFINITY
  for (const one of longestFirst) {
    if (excess <= 0 || one <= marker) break
    excess -= one - marker
    most = one - 1
  }
  return JSON.stringify(upTo(changes, most, depth))
}

const lengthsIn = (value: unknown, depth: number): number[] =>
  depth > 0 && hasFields(value)
    ? Object.values(value).flatMap((part) => lengthsIn(part, depth - 1))
    : [lengthOf(value)]

const upTo = (value: unknown, most: number, depth: number): unknown => {
  if (depth === 0 || !hasFields(value)) return lengthOf(value) > most ? notRecorded : value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, upTo(part, most, depth - 1)]))
}

const hasFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const lengthOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0
