/**
 * The companies that a transaction decides for. It names them before anything else (`heldCompanies`), and later
 * statements reach only their rows.
 */
import { type Database, type Held, inOrder, sayHeld, type Transaction } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'

/** What a company pays with. */
export interface Funds {
  readonly isMetered: boolean
  balanceMicros: bigint
}

export interface Hold {
  /** The database's time after the rows were locked: everything in the transaction is decided by this clock. */
  readonly nowMs: number
  /** Only companies whose row could be locked. */
  readonly funds: ReadonlyMap<CompanyId, Funds>
}

/**
 * `skip`: rows that somebody else has locked are skipped, and later locks are waited for only for a moment. `wait`: the
 * row of one company is waited for, for a moment. `look`: nothing is locked, so what is read may change.
 */
type How = 'skip' | 'wait' | 'look'

const momentMs = 300

/** `no key`, since entries of the ledger refer to the company's key, and must not wait for the decision. */
const locks: Readonly<Record<How, string>> = {
  skip: 'for no key update skip locked',
  wait: 'for no key update',
  look: '',
}

const holdText = (how: How) => `
  with found as materialized ( /* every company: those that the transaction says it is for */
    select company_id, metered, balance_micros from companies where company_id = any($1) order by company_id ${locks[how]}
  )
  select found.company_id, found.metered, found.balance_micros, (extract(epoch from said.now::timestamptz) * 1000)::bigint as now_ms
    from (select ${sayHeld('found.company_id', 'wanted.position')}, ${how === 'skip' ? `set_config('lock_timeout', '${momentMs}', true),` : ''}
                 set_config('countersign.now', date_trunc('milliseconds', clock_timestamp())::text, true) as now
            from unnest($1::text[]) with ordinality wanted (company_id, position) left join found using (company_id)) said
    left join found on true`

/** SQL for the time of the hold, in statements that follow. */
export const timeOfHold = "(select current_setting('countersign.now')::timestamptz)"

interface FoundRow {
  company_id: CompanyId | null
  metered: boolean
  balance_micros: bigint
  now_ms: bigint
}

/** All statements are issued at once, so that later ones may go out in the same packet. */
export async function hold(
  transaction: Transaction,
  companyIds: readonly CompanyId[],
  how: How,
): Promise<Hold> {
  const set = (timeout: string) => transaction.query({ text: `set local lock_timeout = ${timeout}` })
  const isPatient = how === 'wait'
  const [, { rows }] = await inOrder([
    isPatient ? set(String(momentMs)) : Promise.resolve(),
    transaction.query<FoundRow>({ name: `hold-${how}`, text: holdText(how), values: [companyIds] }),
    isPatient ? set('default') : Promise.resolve(),
  ])
  return {
    nowMs: Number(rows[0]?.now_ms),
    funds: new Map(
      rows.flatMap(({ company_id, metered, balance_micros }) =>
        company_id === null ? [] : [[company_id, { isMetered: metered, balanceMicros: balance_micros }]],
      ),
    ),
  }
}

/** Reads as a batch does, without locks or changes. */
export const lookAt = <Result>(
  database: Database,
  companyId: CompanyId,
  read: (held: Held, found: Promise<Hold>) => Promise<Result>,
): Promise<Result> =>
  database.inTwoTrips({
    read: (transaction) => read(transaction.holding([companyId]), hold(transaction, [companyId], 'look')),
    write: (_transaction, result) => ({ statements: [], result }),
  })
