/** Many rows in one statement: one description of the columns makes their list, the `unnest` that reads them, and its values. */
export type Columns<Row> = Readonly<
  Record<string, readonly [arrayType: string, value: (row: Row) => unknown]>
>

export interface Bulk<Row> {
  /** `app_id, otp_id, …` */
  readonly names: string
  /** To stand after `from`. */
  readonly source: string
  /**
   * The same where each row is looked up in a table. PostgreSQL does not see how many there are and takes them for
   * ten: it looks them up one by one, and does not read the table for them.
   */
  readonly lookedUp: string
  /** One array for each column, as PostgreSQL reads it. */
  readonly values: (rows: readonly Row[]) => string[]
  /** The first parameter that is free after these. */
  readonly next: number
}

/** `first` is the number of the first parameter. */
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
      entries.map(([, [, value]]) => `{${rows.map((row) => elementOf(value(row))).join(',')}}`),
    next: first + entries.length,
  }
}

/**
 * Most values are ids and words, which need no quotes; the driver would search each of them for characters to
 * escape.
 */
const plain = /^[A-Za-z0-9_+:./@-]+$/

function elementOf(value: unknown): string {
  if (typeof value === 'string')
    return plain.test(value) && value.toLowerCase() !== 'null' ? value : quoted(value)
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return `${value}`
  if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`
  if (value instanceof Date) return `"${value.toISOString()}"`
  throw new Error('a value of a bulk statement that has no form in an array')
}

const quoted = (text: string) => `"${text.replaceAll(/[\\"]/g, '\\$&')}"`
