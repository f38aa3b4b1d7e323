import { type LedgerKind, type PriceBook, priceBook } from '@countersign/contract'
import type { Queryable, Tenant } from '../../platform/database.ts'

/** The largest amount that the API can express: twelve digits and six decimals. */
const highestMicros = 999_999_999_999_999_999n

/** Balance and ledger change in one statement, so that the ledger adds up to the balance at every commit. */
export async function credit(
  tenant: Tenant,
  entry: { entryId: string; amountMicros: bigint; note: string | null },
): Promise<bigint | undefined> {
  const credited = await tenant.query<{ balance_micros: bigint }>({
    text: `with company as (
             update companies set balance_micros = balance_micros + $3
              where company_id = $1 and closed_at is null and balance_micros <= ${highestMicros} - $3::bigint returning balance_micros
           ), entry as (
             insert into ledger (company_id, entry_id, kind, amount_micros, note)
             select $1, $2, 'credit', $3, $4 from company
           )
           select balance_micros from company`,
    values: [entry.entryId, entry.amountMicros, entry.note],
  })
  return credited.rows[0]?.balance_micros
}

export interface LedgerEntry {
  readonly entryId: string
  readonly kind: LedgerKind
  readonly amountMicros: bigint
  readonly otpId: string | null
  readonly note: string | null
  readonly createdAt: Date
}

interface LedgerRow {
  entry_id: string
  kind: LedgerKind
  amount_micros: bigint
  otp_id: string | null
  note: string | null
  created_at: Date
}

export async function listLedger(
  tenant: Tenant,
  before: string | null,
  limit: number,
): Promise<LedgerEntry[]> {
  const found = await tenant.query<LedgerRow>({
    text: `select * from ledger where company_id = $1 and ($2::text is null or entry_id < $2)
            order by entry_id desc limit $3`,
    values: [before, limit],
  })
  return found.rows.map((row) => ({
    entryId: row.entry_id,
    kind: row.kind,
    amountMicros: row.amount_micros,
    otpId: row.otp_id,
    note: row.note,
    createdAt: row.created_at,
  }))
}

/**
 * Merges old entries of one company into a single one that carries their sum. It is one statement, under the company's
 * own lock, so the ledger adds up before and after.
 */
export async function carryForward(
  tenant: Tenant,
  { entryId, before, limit }: { readonly entryId: string; readonly before: string; readonly limit: number },
): Promise<number> {
  const carried = await tenant.query<{ count: number }>({
    text: `with locked as (select company_id from companies where company_id = $1 for no key update),
           old as (
             select l.entry_id from ledger l join locked using (company_id)
              where l.company_id = $1 and l.entry_id < $3 order by l.entry_id limit $4
           ), gone as (
             delete from ledger
              where company_id = $1 and entry_id in (select entry_id from old) and (select count(*) from old) > 1
             returning amount_micros, created_at
           ), kept as (
             insert into ledger (company_id, entry_id, kind, amount_micros, created_at)
             select $1, $2, 'carried', sum(amount_micros), max(created_at) from gone having count(*) > 0
           )
           select count(*)::integer as count from gone`,
    values: [entryId, before, limit],
  })
  return carried.rows[0]?.count ?? 0
}

export async function findPrices(queryable: Queryable): Promise<PriceBook | undefined> {
  const found = await queryable.query<{ book: unknown }>({ text: 'select book from prices' })
  return found.rows[0] && priceBook.parse(found.rows[0].book)
}

export async function putPrices(queryable: Queryable, book: PriceBook): Promise<void> {
  await queryable.query({
    text: 'insert into prices (book) values ($1) on conflict (singleton) do update set book = excluded.book',
    values: [book],
  })
}
