/** What a module keeps only for a while, and how it is deleted. Each module lists its tables; upkeep handles all. */
import { type Database, timeNow } from './database.ts'
import type { Keyring } from './keyring.ts'

export interface ExpiryDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
}

/** How many rows are deleted at a time. */
export const rowsAtOnce = 5_000

export interface Kept {
  readonly table: string
  /**
   * `by row`: each row at its own `expires_at`, on which the table has an index. `by day`: with the partition of its
   * day, when retention no longer keeps it. A function: deletes in its own way, and returns how many rows it deleted;
   * it is called again soon if that is at least `rowsAtOnce`.
   */
  readonly goes: 'by row' | 'by day' | ((dependencies: ExpiryDependencies) => Promise<number>)
}

/** Deletes over all companies: expired rows belong to nobody any more. */
export async function deleteExpired(database: Database, table: string): Promise<number> {
  const deleted = await database.query({
    text: `delete from ${table} /* every company: upkeep */ where ctid = any(array(
             select ctid from ${table} where expires_at < ${timeNow} order by expires_at limit ${rowsAtOnce} for update skip locked))`,
  })
  return deleted.rowCount ?? 0
}
