/** Reads what shows whether the audit trail is whole: every chain, and rows that belong to none. */
import type { Queryable, Transaction } from '../../../platform/database.ts'
import type { CompanyId } from '../../../platform/ids.ts'
import type { Chain, ChainEnds, ChainId } from './store.ts'

/** Everything read after this is from one instant, whatever is written meanwhile. */
export async function readInOneInstant(transaction: Transaction): Promise<void> {
  await transaction.query({ text: 'set transaction isolation level repeatable read read only' })
}

/** The installation's own chain comes first. */
export async function listChains(queryable: Queryable): Promise<ChainId[]> {
  const found = await queryable.query<{ company_id: ChainId }>({
    text: 'select company_id from audit_chains order by company_id /* every company: the whole trail is looked at */',
  })
  return found.rows.map((row) => row.company_id)
}

/** Finds a row at or before a position that retention has already deleted: somebody else has added it. */
export async function findStray(
  tenant: Chain,
  { anchorPosition }: Pick<ChainEnds, 'anchorPosition'>,
): Promise<bigint | null> {
  const found = await tenant.query<{ position: bigint }>({
    text: `select position from audit_entries where company_id = $1 and position <= $2
            order by position limit 1`,
    values: [anchorPosition],
  })
  return found.rows[0]?.position ?? null
}

/** Finds chains that have entries, but no row in `audit_chains`. */
export async function findOrphans(queryable: Queryable): Promise<ChainId[]> {
  const found = await queryable.query<{ company_id: ChainId }>({
    text: `select distinct company_id from audit_entries entry /* every company: the whole trail is looked at */
            where not exists (select 1 from audit_chains chain where chain.company_id = entry.company_id)
            order by company_id`,
  })
  return found.rows.map((row) => row.company_id)
}

/** Companies that the installation's chain says were made, but whose own chain is missing or begins differently. */
export async function findMissingChains(queryable: Queryable): Promise<CompanyId[]> {
  const found = await queryable.query<{ subject: CompanyId }>({
    text: `select entry.subject from audit_entries entry /* every company: the whole trail is looked at */
            where entry.company_id = '' and entry.settles is not null and entry.outcome = 'done'
              and entry.subject like 'cmp\\_%'
              and not exists (
                select 1 from audit_chains chain
                 where chain.company_id = entry.subject
                   and (chain.anchor_position > 0
                        or exists (select 1 from audit_entries first
                                    where first.company_id = chain.company_id and first.position = 1 and first.is_copy)))
            order by entry.position`,
  })
  return found.rows.map((row) => row.subject)
}

/** Whether a company's chain begins with its creation, but the installation's chain does not have it. */
export async function isInstallationForgotten(queryable: Queryable): Promise<boolean> {
  const found = await queryable.query({
    text: `select 1 from audit_entries copy /* every company: the whole trail is looked at */
            where copy.position = 1 and copy.is_copy
              and exists (select 1 from audit_chains chain where chain.company_id = '' and chain.anchor_position = 0)
              and not exists (select 1 from audit_entries made
                               where made.company_id = '' and made.request_id = copy.request_id)
            limit 1`,
  })
  return found.rowCount === 1
}
