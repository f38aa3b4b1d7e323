/**
 * A CTE of a statement (`with done as (…)`) and its columns, for SQL fragments that read from it. The type of a
 * fragment says which columns it needs, so a CTE without them does not compile.
 */
export interface Source<Column extends string> {
  readonly name: string
  /** The qualified name, such as `done.app_id`. */
  readonly column: (name: Column) => string
}

export const sourceOf = <const Column extends string>(
  name: string,
  _columns: readonly Column[],
): Source<Column> => ({ name, column: (column) => `${name}.${column}` })
