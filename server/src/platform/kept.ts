/** What a module keeps for a while only, and how it goes: each module says it of its own tables, upkeep goes over all. */
import type { Database } from './database.ts'
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
