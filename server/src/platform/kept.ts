/** What a module keeps for a while only, and how it goes: each module says it of its own tables, upkeep goes over all. */
import { type Database, timeNow } from './database.ts'
import type { Keyring } from './keyring.ts'

export interface ExpiryDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
}

/** How many rows go at a time. */
export const bite = 5_000

export interface Kept {
  readonly table: string
  /**
   * `by row`: each at its own `expires_at`, on which the table has an index. `by day`: with the partition of its day,
   * when retention does not keep it. A function: in a way of its own; it answers how many went, and is called again
   * soon when that is a bite or more.
   */
  readonly goes: 'by row' | 'by day' | ((dependencies: ExpiryDependencies) => Promise<number>)
}

/** Over all companies: what is expired is nobody's any more. */
export async function deleteExpired(database: Database, table: string): Promise<number> {
  const deleted = await database.query({
    text: `delete from ${table} /* every company: upkeep */ where ctid = any(array(
             select ctid from ${table} where expires_at < ${timeNow} order by expires_at limit ${bite} for update skip locked))`,
  })
  return deleted.rowCount ?? 0
}
