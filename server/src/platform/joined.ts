/** A database whose statements are all part of a transaction that the caller commits. */
import type { Database, Transaction } from './database.ts'

/** A nested transaction is part of the same one, so an error in it must end the whole. */
export const joined = (database: Database, transaction: Transaction): Database => ({
  ...database,
  ...transaction,
  transaction: (work) => work(transaction),
  inTwoTrips: () => Promise.reject(new Error('a transaction of its own within another')),
})
