/**
 * A named part of a statement (`with done as (…)`) and the columns that it has, for fragments of SQL that others
 * write into their statements: which columns a fragment needs is in its type, and a part without them does not compile.
 */
export interface Source<Column extends string> {
  readonly name: string
  /** `done.app_id` */
  readonly column: (name: Column) => string
}

export const sourceOf = <const Column extends string>(
  name: string,
  _columns: readonly Column[],
): Source<Column> => ({ name, column: (column) => `${name}.${column}` })
