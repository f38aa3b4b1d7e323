/**
 * What a statement calls by a name (`approved`, `v`), and the columns that are there under it. A part of a statement
 * that stands in another file says which columns it reads, and the compiler holds the statement to them.
 */
export interface Relation<Column extends string> {
  readonly name: string
  /** `v.company_id, v.app_id` */
  readonly list: string
  /** `v.app_id` */
  readonly at: (column: Column) => string
}

export function relationOf<const Column extends string>(
  name: string,
  columns: readonly Column[],
): Relation<Column> {
  const at = (column: Column) => `${name}.${column}`
  return { name, list: columns.map(at).join(', '), at }
}
