/** A company is opened with its balance, which is then a credit like any other. */
import { AppError } from '@countersign/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import { type CompanyId, newId } from '../../platform/ids.ts'
import { type Company, findCompany, insertCompany, validationError } from '../tenancy/index.ts'
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
  if (!company) throw new AppError('NotFoundError', 'There is no such company.')
  return company
}

/** Returns the balance after it. */
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
  { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
): Promise<{ entries: store.LedgerEntry[]; nextCursor: string | null }> {
  await getCompany({ database }, companyId)
  const entries = await store.listLedger(database.of(companyId), cursor, limit + 1)
  const page = entries.slice(0, limit)
  return { entries: page, nextCursor: entries.length > limit ? (page.at(-1)?.entryId ?? null) : null }
}
