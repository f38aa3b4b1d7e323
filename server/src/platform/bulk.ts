/** Many rows in one statement: one description of the columns makes their list, the `unnest` that reads them, and its values. */
export type Columns<Row> = Readonly<
  Record<string, readonly [arrayType: string, value: (row: Row) => unknown]>
>

export interface Bulk<Row> {
  /** `app_id, otp_id, …` */
  readonly names: string
  /** To stand after `from`. */
  readonly source: string
  /** One array for each column. */
  readonly values: (rows: readonly Row[]) => unknown[][]
  /** The first parameter that is free after these. */
  readonly next: number
}

/** `first` is the number of the first parameter. */
export function bulkOf<Row>(columns: Columns<Row>, first: number): Bulk<Row> {
  const entries = Object.entries(columns)
  const names = entries.map(([name]) => name).join(', ')
  const parameters = entries.map(([, [type]], index) => `$${first + index}::${type}[]`).join(', ')
  return {
    names,
    source: `unnest(${parameters}) row (${names})`,
    values: (rows) => entries.map(([, [, value]]) => rows.map(value)),
    next: first + entries.length,
  }
}
