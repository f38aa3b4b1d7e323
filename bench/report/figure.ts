/** Figures as people read them. */
import type { Row } from '../scenario.ts'

export const shortNumber = (value: number): string => {
  if (!Number.isFinite(value)) return '—'
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export const figureOf = ({ value, unit }: Pick<Row, 'value' | 'unit'>) =>
  unit === '/s' ? `${shortNumber(value)}/s` : `${shortNumber(value)}${unit === '' ? '' : ` ${unit}`}`

/** As a ratio to the row that it is beside, where that was measured. */
export function ratioOf(row: Row, rows: readonly Row[]): number | null {
  const beside = rows.find(({ id }) => id === row.beside)
  return beside && beside.value > 0 ? row.value / beside.value : null
}
