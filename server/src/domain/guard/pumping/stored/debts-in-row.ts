/** The debts of one stored row, for those who look at blocks. */
import type { Debt } from '../debt/debt.ts'
import { decodeDebt } from './debt-text.ts'
import { type BlockName, blockEntry, blockNameIn, isBlock, partsIn, withParts } from './state-text.ts'

export const debtsIn = (row: string): { part: string; debt: Debt; name: BlockName | null }[] =>
  partsIn(row).flatMap(([part, text]) =>
    isBlock(part) ? [] : [{ part, debt: decodeDebt(text), name: blockNameIn(row, part) }],
  )

/** The row with the debt of one part, and the name of its block, replaced. */
export const withDebt = (row: string, part: string, text: string, name: BlockName): string =>
  withParts(row, [[part, text], blockEntry(part, name)])
