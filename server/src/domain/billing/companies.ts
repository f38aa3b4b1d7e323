/** A company may be opened with a balance, which is a credit like any other. */
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { type CompanyId, newId, parseId } from '../../platform/ids.ts'
import {
  noSuch,
  type Page,
  type PageRequest,
  parseCursor,
  readPage,
  validationError,
} from '../answers/index.ts'
import { type Company, findCompany, insertCompany } from '../tenancy/index.ts'
import { parseMicros } from './money.ts'
import * as store from './store.ts'

interface Dependencies {
  readonly database: Database
  readonly clock: Clock
}

export async function openCompany(
  { database, clock }: Dependencies,
  { name, metered, balance }: { readonly name: string; readonly metered: boolean; readonly balance: string },
): Promise<Company> {
  const companyId = newId('company', clock.nowMs())
  const amountMicros = parseMicros(balance)
  await database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    await insertCompany(tenant, { name, metered })
    if (amountMicros === 0n) return
    await store.credit(tenant, {
      entryId: newId('entry', clock.nowMs()),
      amountMicros,
      note: 'opening balance',
    })
  })
  return getCompany({ database }, companyId)
}

export async function getCompany(
  { database }: Pick<Dependencies, 'database'>,
  companyId: CompanyId,
): Promise<Company> {
  const company = await findCompany(database.of(companyId))
  if (!company) throw noSuch('company')
  return company
}

/** Returns the balance after the credit. */
export async function creditCompany(
  { database, clock }: Dependencies,
  companyId: CompanyId,
  { amount, note }: { readonly amount: string; readonly note: string | null },
): Promise<bigint> {
  const entry = { entryId: newId('entry', clock.nowMs()), amountMicros: parseMicros(amount), note }
  const balanceMicros = await store.credit(database.of(companyId), entry)
  if (balanceMicros === undefined) {
    await getCompany({ database }, companyId)
    throw validationError([{ path: 'amount', message: 'would make the balance larger than can be counted' }])
  }
  return balanceMicros
}

export async function listLedger(
  { database }: Pick<Dependencies, 'database'>,
  companyId: CompanyId,
  { cursor, limit }: PageRequest,
): Promise<Page<store.LedgerEntry>> {
  await getCompany({ database }, companyId)
  const before = parseCursor(cursor, (text) => parseId('entry', text))
  return readPage(
    limit,
    (limit) => store.listLedger(database.of(companyId), before, limit),
    ({ entryId }) => entryId,
  )
}
