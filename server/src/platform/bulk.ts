/**
 * Many rows in one statement: one description of the columns gives the list of their names, the `unnest` that reads
 * them, and its values.
 */
import type { CompanyId } from './ids.ts'
import { type Held, heldCompanies } from './tenant.ts'

export type Columns<Row> = Readonly<
  Record<string, readonly [arrayType: string, value: (row: Row) => unknown]>
>

export interface Bulk<Row> {
  /** The column names as SQL: `app_id, otp_id, …` */
  readonly names: string
  /** SQL that goes after `from`. */
  readonly source: string
  /**
   * Like `source`, for rows that are looked up in a table. It hides the number of rows from PostgreSQL, which then
   * assumes ten and looks them up one by one instead of reading the whole table.
   */
  readonly lookedUp: string
  /** One array for each column, as the text of a PostgreSQL array. */
  readonly values: (rows: readonly Row[]) => string[]
  /** The number of the first free parameter after these columns. */
  readonly next: number
}

/**
 * Rows of companies that the transaction holds: before its columns each row has the `position` of its company. `names`
 * does not include the position, and `company` is SQL for the company's id.
 */
export interface HeldBulk<Row> extends Pick<Bulk<Row>, 'names' | 'source' | 'next'> {
  readonly company: string
  /**
   * Like `source`, for rows that are looked up, with their `company_id`. It ends with a limit, as one more parameter.
   * The limit cuts nothing off, but with it PostgreSQL plans for a single row and keeps the plan.
   */
  readonly lookedUp: string
  /** The values of `lookedUp`, including its limit. */
  readonly lookUpValues: (rows: readonly Row[], held: Held) => unknown[]
  readonly values: (rows: readonly Row[], held: Held) => string[]
}

/** Keeps the last of several rows with the same key, so that a statement looks up or locks each row once. */
export const onceEach = <Row>(rows: readonly Row[], keyOf: (row: Row) => string): Row[] => [
  ...new Map(rows.map((row) => [keyOf(row), row])).values(),
]

/** A CTE that every statement with a `HeldBulk` needs, once: put it into the `with` of the statement. */
export const withHeld = `held as materialized (select ${heldCompanies} as ids)`

export function heldBulkOf<Row>(
  companyOf: (row: Row) => CompanyId,
  columns: Columns<Row>,
  first: number,
): HeldBulk<Row> {
  const { names, values, next } = bulkOf(columns, first + 1)
  const types = Object.values(columns).map(([type], index) => `$${first + 1 + index}::${type}[]`)
  const company = 'held.ids[row.position]'
  const source = `held cross join unnest($${first}::smallint[], ${types.join(', ')}) row (position, ${names})`
  const valuesOf = (rows: readonly Row[], held: Held) => [
    `{${rows.map((row) => held.positionOf(companyOf(row))).join(',')}}`,
    ...values(rows),
  ]
  return {
    names,
    company,
    source,
    lookedUp: `(select ${company} as company_id, ${names} from ${source} limit $${next})`,
    values: valuesOf,
    lookUpValues: (rows, held) => [...valuesOf(rows, held), rows.length],
    next,
  }
}

/** `first` is the number of the first parameter to use. */
export function bulkOf<Row>(columns: Columns<Row>, first: number): Bulk<Row> {
  const entries = Object.entries(columns)
  const names = entries.map(([name]) => name).join(', ')
  const parameters = entries.map(([, [type]], index) => `$${first + index}::${type}[]`)
  const hidden = parameters.map((parameter) => `(select ${parameter})`)
  return {
    names,
    source: `unnest(${parameters.join(', ')}) row (${names})`,
    lookedUp: `unnest(${hidden.join(', ')}) row (${names})`,
    values: (rows) =>
      entries.map(([, [type, value]]) => {
        const write = type.startsWith('json') ? jsonElementOf : elementOf
        return `{${rows.map((row) => write(value(row))).join(',')}}`
      }),
    next: first + entries.length,
  }
}

/** Most values are ids and words, which need no quotes. The driver would search each for characters to escape. */
const plain = /^[A-Za-z0-9_+:./@|-]+$/

function elementOf(value: unknown): string {
  if (typeof value === 'string') return plain.test(value) && !isNull(value) ? value : quoted(value)
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return `${value}`
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`
  if (value instanceof Date) return `"${value.toISOString()}"`
  throw new Error('a value of a bulk statement that has no form in an array')
}

/** In an array, an unquoted `null` in upper or lower case is a null, not a text. */
const isNull = (text: string) => text.length === 4 && text.toLowerCase() === 'null'

/** The text of a JSON document has no raw control characters and no lone surrogates, so it is not searched for them. */
const jsonElementOf = (value: unknown) =>
  typeof value === 'string' ? JSON.stringify(value) : elementOf(value)

/** Characters that JSON escapes in a way that PostgreSQL does not read: control characters and lone surrogates. */
const unlikeJson = /[^ -\ud7ff\ue000-\uffff]/

/** JSON escapes quotes and backslashes as PostgreSQL does, and `JSON.stringify` is far quicker than a replacement. */
const quoted = (text: string) =>
  unlikeJson.test(text) ? `"${text.replaceAll(/[\\"]/g, '\\$&')}"` : JSON.stringify(text)
