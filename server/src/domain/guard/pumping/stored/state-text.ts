/** A row of places in the form in which it is stored: its parts, and the names of their blocks, as one text. */
const betweenParts = '/'
const afterName = '@'
const blockMark = '#'
const inBlock = ':'

/** A part of the row: its name, and the text of a debt or of a block's name. */
export type Part = readonly [name: string, text: string]

/** A row has a few parts, of which one or two are needed: searching for them costs less than splitting the row. */
export function partIn(row: string, wanted: string): string | undefined {
  for (let at = 0; at < row.length; ) {
    const next = row.indexOf(betweenParts, at)
    const end = next < 0 ? row.length : next
    if (row.startsWith(wanted, at) && row[at + wanted.length] === afterName)
      return row.slice(at + wanted.length + 1, end)
    at = end + 1
  }
  return undefined
}

export function partsIn(row: string): Part[] {
  return row.split(betweenParts).map((entry) => {
    const at = entry.indexOf(afterName)
    return [entry.slice(0, at), entry.slice(at + 1)]
  })
}

export const rowText = (parts: readonly Part[]): string =>
  parts.map(([name, text]) => `${name}${afterName}${text}`).join(betweenParts)

/** The row with these parts replaced or added. */
export function withParts(row: string, changed: readonly Part[]): string {
  const others = partsIn(row).filter(([name]) => !changed.some((part) => part[0] === name))
  return rowText([...others, ...changed])
}

/** The id and label of a block, stored beside its debt. */
export interface BlockName {
  readonly blockId: string
  /** Sealed, in base64url, so that it contains none of the separators. */
  readonly label: string
  /** The debt as it was when somebody lifted the block, so that it can be put back. */
  readonly lifted?: string
}

export const isBlock = (name: string) => name.startsWith(blockMark)
export const blockEntry = (part: string, { blockId, label, lifted }: BlockName): Part => [
  `${blockMark}${part}`,
  [blockId, label, ...(lifted ? [lifted] : [])].join(inBlock),
]

export function blockNameIn(row: string, part: string): BlockName | null {
  const [blockId = '', label = '', lifted] = partIn(row, `${blockMark}${part}`)?.split(inBlock) ?? []
  return blockId === '' ? null : { blockId, label, ...(lifted && { lifted }) }
}
