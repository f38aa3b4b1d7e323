/** The same table for a terminal and for a page. */
import type { Row } from '../scenario.ts'
import { figureOf, ratioOf, shortNumber } from './figure.ts'

export interface Failure {
  readonly name: string
  readonly why: string
}

export interface Result {
  readonly machine: string
  readonly at: string
  readonly isQuick: boolean
  readonly rows: readonly Row[]
  readonly failures: readonly Failure[]
}

const heads = ['name', '', 'figure', 'beside', 'service µs', 'PostgreSQL µs', 'callers µs', '']

function cellsOf(row: Row, rows: readonly Row[]): string[] {
  const ratio = ratioOf(row, rows)
  const microseconds = (value: number | null | undefined) =>
    value === null || value === undefined ? '' : shortNumber(value)
  return [
    row.id,
    row.what,
    figureOf(row),
    ratio === null ? '' : `${shortNumber(ratio)} × ${row.beside}`,
    microseconds(row.costs?.serviceUs),
    microseconds(row.costs?.databaseUs),
    microseconds(row.costs?.callersUs),
    row.note ?? '',
  ]
}

export function textTable({ rows, failures }: Result): string {
  const lines = [heads, ...rows.map((row) => cellsOf(row, rows))]
  const widths = heads.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)))
  const isNumber = (column: number) => column === 2 || (column >= 4 && column <= 6)
  const text = lines.map((cells) =>
    cells
      .map((cell, column) =>
        isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
  return [...text, ...failures.map(({ name, why }) => `${name}: not measured (${why})`)].join('\n')
}

export function markdownTable(result: Result): string {
  const { rows, failures, machine, at, isQuick } = result
  return [
    `A ${isQuick ? 'quick' : 'full'} run of ${at} (UTC) on ${machine}.`,
    '',
    '| name | | figure | beside | service µs | PostgreSQL µs | callers µs | |',
    '|---|---|---:|---|---:|---:|---:|---|',
    ...rows.map((row) => `| ${cellsOf(row, rows).join(' | ')} |`),
    ...(failures.length > 0 ? ['', 'Not measured in this run:', ''] : []),
    ...failures.map(({ name, why }) => `- ${name}: ${why}`),
  ].join('\n')
}
