/** Figures in a form that people can read. */
import type { Row } from '../scenario.ts'

export const shortNumber = (value: number): string => {
  if (!Number.isFinite(value)) return '—'
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export const figureOf = ({ value, unit }: Pick<Row, 'value' | 'unit'>) =>
  unit === '/s' ? `${shortNumber(value)}/s` : `${shortNumber(value)}${unit === '' ? '' : ` ${unit}`}`

/** The ratio to the row that `beside` names; null if that was not measured. */
export function ratioOf(row: Row, rows: readonly Row[]): number | null {
  const beside = rows.find(({ id }) => id === row.beside)
  return beside && beside.value > 0 ? row.value / beside.value : null
}
