/** Blocks a recipient in a company until somebody lifts the block, or lets them past the guard for a day. */
import type { ExceptionKind } from '@countersign/contract'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/database.ts'
import { aboveAllIds, type CompanyId, newId, type PersonId, parseId } from '../../../platform/ids.ts'
import { noSuch, type Page, type PageRequest, parseCursor, readPage } from '../../answers/index.ts'
import { exceptionsOfCompany, limitReached, lockCompany } from '../../tenancy/index.ts'
import type { Exception, KnownRecipient } from './exception.ts'
import * as store from './store.ts'

interface Dependencies {
  readonly database: Database
  readonly clock: Clock
}

interface Wanted {
  readonly kind: ExceptionKind
  readonly personId: PersonId | null
}

export async function exceptRecipient(
  { database, clock }: Dependencies,
  companyId: CompanyId,
  recipient: KnownRecipient,
  { kind, personId }: Wanted,
): Promise<Exception> {
  const exceptionId = newId('exception', clock.nowMs())
  const wanted = { ...recipient, exceptionId, kind, personId }
  const put = await database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    // Made one at a time, so that the bound holds if many are made at once.
    if (!(await lockCompany(tenant))) throw noSuch('company')
    return store.putException(tenant, wanted, exceptionsOfCompany.most)
  })
  if (!put) throw limitReached(exceptionsOfCompany)
  return put
}

export async function liftException(
  { database }: Pick<Dependencies, 'database'>,
  companyId: CompanyId,
  text: string,
): Promise<void> {
  const exceptionId = parseId('exception', text)
  if (!exceptionId || !(await store.deleteException(database.of(companyId), exceptionId))) {
    throw noSuch('exception')
  }
}

export async function listExceptions(
  { database }: Pick<Dependencies, 'database'>,
  companyId: CompanyId,
  { cursor, limit }: PageRequest,
): Promise<Page<Exception>> {
  const before = parseCursor(cursor, (text) => parseId('exception', text)) ?? aboveAllIds('exception')
  const read = (most: number) => store.listExceptions(database.of(companyId), before, most)
  return readPage(limit, read, ({ exceptionId }) => exceptionId)
}
