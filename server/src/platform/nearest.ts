/** The known word that somebody probably meant; null if none is similar. */
export function nearest(said: string, known: readonly string[]): string | null {
  const [first] = known
    .map((word) => ({ word, apart: distance(said.toLowerCase(), word) }))
    .filter(({ word, apart }) => apart <= Math.max(1, Math.floor(word.length / 3)))
    .toSorted((one, other) => one.apart - other.apart)
  return first?.word ?? null
}

/** The edit distance: how many letters have to be changed, inserted, deleted or swapped with their neighbour. */
export function distance(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, index) => index)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= one.length; row++) {
    rows.push([row])
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isSame ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(one.length, other.length)
}
