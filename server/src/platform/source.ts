/**
 * A named part of a statement (`with done as (…)`) and its columns, for SQL fragments that read from it. A fragment says
 * in its type which columns it needs, so a part without them does not compile.
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
