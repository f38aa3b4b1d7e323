/** The debts of one row as it is stored, for whoever looks at blocks. */
import type { Debt } from './debt.ts'
import { decodeDebt } from './debt-text.ts'
import { type BlockName, blockEntry, blockNameIn, isBlock, partsIn, withParts } from './state-text.ts'

export const debtsIn = (row: string): { part: string; debt: Debt; name: BlockName | null }[] =>
  partsIn(row).flatMap(([part, text]) =>
    isBlock(part) ? [] : [{ part, debt: decodeDebt(text), name: blockNameIn(row, part) }],
  )

/** The same row with another debt in one of its parts, and another name of its block. */
export const withDebt = (row: string, part: string, text: string, name: BlockName): string =>
  withParts(row, [[part, text], blockEntry(part, name)])
