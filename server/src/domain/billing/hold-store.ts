/**
 * The companies that a transaction decides for. It says which they are before anything else (`heldCompanies`), and a
 * statement that follows reaches their rows only.
 */
import { type Database, type Held, inOrder, sayHeld, type Transaction } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'

/** What a company pays with. */
export interface Funds {
  readonly isMetered: boolean
  balanceMicros: bigint
}

export interface Hold {
  /** The database's time, after the rows were locked: the one clock of all that is decided. */
  readonly nowMs: number
  /** Only of those whose row could be locked. */
  readonly funds: ReadonlyMap<CompanyId, Funds>
}

/**
 * `skip`: a row that somebody else has is passed over, and no later lock is waited for longer than a moment. `wait`: one
 * company, whose row is waited for a moment. `look`: nothing is locked, and nothing promised.
 */
type How = 'skip' | 'wait' | 'look'

const momentMs = 300

/** The key stays free (`no key`): each entry of the ledger refers to it, and need not wait for what is being decided. */
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
    from (select ${sayHeld('found.company_id', 'wanted.place')}, ${how === 'skip' ? `set_config('lock_timeout', '${momentMs}', true),` : ''}
                 set_config('countersign.now', date_trunc('milliseconds', clock_timestamp())::text, true) as now
            from unnest($1::text[]) with ordinality wanted (company_id, place) left join found using (company_id)) said
    left join found on true`

/** SQL for the time of the hold, in statements that follow. */
export const timeOfHold = "(select current_setting('countersign.now')::timestamptz)"

interface FoundRow {
  company_id: CompanyId | null
  metered: boolean
  balance_micros: bigint
  now_ms: bigint
}

/** All of it is asked for at once, so that what follows may go out in the same packet. */
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

/** Reads as a batch would, and changes nothing. */
export const lookAt = <Result>(
  database: Database,
  companyId: CompanyId,
  read: (held: Held, found: Promise<Hold>) => Promise<Result>,
): Promise<Result> =>
  database.inTwoTrips({
    read: (transaction) => read(transaction.holding([companyId]), hold(transaction, [companyId], 'look')),
    write: (_transaction, result) => ({ statements: [], result }),
  })
