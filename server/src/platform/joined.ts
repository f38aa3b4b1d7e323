/** A database all of whose statements are part of a transaction that somebody else commits. */
import type { Database, Transaction } from './database.ts'

/** A transaction within it is a part of the same one: what throws there has to end the whole. */
export const joined = (database: Database, transaction: Transaction): Database => ({
  ...database,
  ...transaction,
  transaction: (work) => work(transaction),
  inTwoTrips: () => Promise.reject(new Error('a transaction of its own within another')),
})
