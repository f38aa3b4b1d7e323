/** The states of accounts, of one owner or of all. */
import type { Database } from '../../../platform/database.ts'
import type { Owner } from '../../../platform/tenant.ts'
import type { AccountRef } from './book.ts'
import { type AccountState, judge, noHour } from './health.ts'
import {
  accountKey,
  type FactsByAccount,
  type HoursByAccount,
  readAllFacts,
  readAllHours,
  readFacts,
  readHours,
} from './store.ts'

export type StateOf = (account: Pick<AccountRef, 'providerId' | 'revision'>) => AccountState

/** With null, reads the states of all owners. */
export async function readStates(database: Database, ownerId: Owner | null): Promise<StateOf> {
  const [facts, hours]: [FactsByAccount, HoursByAccount] =
    ownerId === null
      ? await Promise.all([readAllFacts(database), readAllHours(database)])
      : await Promise.all([readFacts(database.of(ownerId)), readHours(database.of(ownerId))])
  return (account) => ({
    ...judge(facts.get(accountKey(account))),
    hour: hours.get(account.providerId) ?? noHour,
  })
}
