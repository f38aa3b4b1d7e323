/** A list is read page by page: the next page begins after the id of the last row. */
import { validationError } from './field-problems.ts'

export interface PageRequest {
  /** Null for the first page. */
  readonly cursor: string | null
  readonly limit: number
}

export interface Page<Row> {
  readonly rows: readonly Row[]
  /** Null on the last page. */
  readonly nextCursor: string | null
}

/** Reads one row more than the page has, to know whether another page follows. */
export async function readPage<Row>(
  limit: number,
  read: (limit: number) => Promise<readonly Row[]>,
  cursorOf: (row: Row) => string,
): Promise<Page<Row>> {
  return cutPage(await read(limit + 1), limit, cursorOf)
}

/** Cuts off the row that `readPage` has read beyond the page. */
export function cutPage<Row>(
  found: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => string,
): Page<Row> {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, nextCursor: found.length > limit && last !== undefined ? cursorOf(last) : null }
}

/** `parse` returns null for a cursor that no page can have given out. */
export function parseCursor<Cursor>(
  cursor: string | null,
  parse: (text: string) => Cursor | null,
): Cursor | null {
  if (cursor === null) return null
  const parsed = parse(cursor)
  if (parsed === null)
    throw validationError([{ path: 'cursor', message: 'is not one that a page has answered' }])
  return parsed
}
