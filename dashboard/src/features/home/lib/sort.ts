/** Companies in the order that somebody chose. Money is compared exactly, in millionths, not as a float. */
import type { InstallationAnswer } from '@countersign/contract'

export type CompanyRow = InstallationAnswer['companies'][number]

export type SortColumn = 'name' | 'sends' | 'conversion' | 'refusals' | 'cost' | 'balance' | 'alerts'

/** Amounts have six decimals, so without the point they are whole numbers. */
const microsOf = (amount: string) => BigInt(amount.replace('.', ''))

const compareBy: Readonly<Record<SortColumn, (one: CompanyRow, other: CompanyRow) => number>> = {
  name: (one, other) => other.name.localeCompare(one.name),
  sends: (one, other) => one.sends - other.sends,
  conversion: (one, other) => (one.conversion ?? -1) - (other.conversion ?? -1),
  refusals: (one, other) => one.refusals - other.refusals,
  cost: (one, other) => Number(microsOf(one.cost) - microsOf(other.cost)),
  balance: (one, other) => Number(microsOf(one.balance) - microsOf(other.balance)),
  alerts: (one, other) => one.alerts - other.alerts,
}

/** The most first; `isUp` reverses the order. */
export const sorted = (rows: readonly CompanyRow[], by: SortColumn, isUp: boolean): readonly CompanyRow[] => {
  const down = rows.toSorted((one, other) => compareBy[by](other, one) || one.name.localeCompare(other.name))
  return isUp ? down.toReversed() : down
}
