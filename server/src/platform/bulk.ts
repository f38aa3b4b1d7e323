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
  /** One array for each column. */
  readonly values: (rows: readonly Row[]) => unknown[][]
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
    values: (rows) => entries.map(([, [, value]]) => rows.map(value)),
    next: first + entries.length,
  }
}
