/** The chains of the audit trail in the database. Rows are added and expire; none is ever changed. */
import { type Queryable, type Tenant, type Transaction, timeNow } from '../../platform/database.ts'
import type { CompanyId, PersonId } from '../../platform/ids.ts'

/** Empty: the installation's own chain. */
export type ChainId = CompanyId | ''

/** What statements on one chain go through. */
type Chain = Tenant<ChainId>

export interface ChainRow {
  readonly company_id: ChainId
  readonly position: bigint
  readonly mac: Buffer
  readonly seal: Buffer
  readonly data_key: number
  readonly anchor_position: bigint
  readonly anchor_mac: Buffer
  readonly anchor_seal: Buffer
}

export interface EntryRow {
  readonly company_id: ChainId
  readonly position: bigint
  readonly audit_id: string
  readonly settles: string | null
  readonly outcome: 'done' | 'refused' | null
  readonly error_type: string | null
  readonly is_copy: boolean
  readonly actor: 'person' | 'token' | 'command_line' | 'stranger'
  readonly person_id: PersonId | null
  readonly action: string
  readonly app_id: string | null
  readonly subject: string | null
  /** As it was written, to the letter. */
  readonly changes_text: string
  readonly address: string | null
  readonly request_id: string
  readonly created_at: Date
  readonly expires_at: Date
  readonly data_key: number
  readonly mac: Buffer
}

/** Makes the chain where there is none. The lock orders those who write to it at once. */
export async function lockChain(tenant: Chain): Promise<ChainRow & { readonly now: Date }> {
  const locked = await tenant.query<ChainRow & { now: Date }>({
    name: 'lock-audit-chain',
    text: `insert into audit_chains (company_id) values ($1)
           on conflict (company_id) do update set company_id = excluded.company_id
           returning *, date_trunc('milliseconds', clock_timestamp()) as now`,
  })
  const row = locked.rows[0]
  if (!row) throw new Error('an insert returned nothing')
  return row
}

/** Under the lock of the chain. */
export async function appendRow(
  tenant: Chain,
  row: Omit<EntryRow, 'company_id'>,
  seal: Buffer,
): Promise<void> {
  await tenant.query({
    name: 'append-audit-entry',
    text: `with added as (
             insert into audit_entries
               (company_id, position, audit_id, settles, outcome, error_type, is_copy, actor, person_id, action,
                app_id, subject, changes, address, request_id, created_at, expires_at, data_key, mac)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19))
           update audit_chains set position = $2, mac = $19, seal = $20, data_key = $18 where company_id = $1`,
    values: [
      row.position,
      row.audit_id,
      row.settles,
      row.outcome,
      row.error_type,
      row.is_copy,
      row.actor,
      row.person_id,
      row.action,
      row.app_id,
      row.subject,
      row.changes_text,
      row.address,
      row.request_id,
      row.created_at,
      row.expires_at,
      row.data_key,
      row.mac,
      seal,
    ],
  })
}

export interface ListedRow extends Omit<EntryRow, 'changes_text'> {
  readonly changes: Record<string, unknown>
  readonly email: Buffer | null
  readonly settled_outcome: 'done' | 'refused' | null
  readonly settled_error: string | null
  readonly settled_subject: string | null
}

const listed = (condition: string) => `
  select entry.*, person.email, settled.outcome as settled_outcome, settled.error_type as settled_error,
         settled.subject as settled_subject
    from audit_entries entry
    left join people person on person.person_id = entry.person_id
    left join audit_entries settled on settled.company_id = entry.company_id and settled.settles = entry.audit_id
   where ${condition} and entry.settles is null`

export async function listEntries(tenant: Chain, cursor: string | null, limit: number): Promise<ListedRow[]> {
  const found = await tenant.query<ListedRow>({
    text: `${listed('entry.company_id = $1')} and ($2::text is null or entry.audit_id < $2)
           order by entry.audit_id desc limit $3`,
    values: [cursor, limit],
  })
  return found.rows
}

/** The operator's list, by the index on the id; what is there twice is shown once. */
export async function listAllEntries(
  queryable: Queryable,
  cursor: string | null,
  limit: number,
): Promise<ListedRow[]> {
  const found = await queryable.query<ListedRow>({
    text: `${listed('not entry.is_copy')} and ($1::text is null or entry.audit_id < $1) /* every company: the operator's list */
           order by entry.audit_id desc limit $2`,
    values: [cursor, limit],
  })
  return found.rows
}

/** What is read after it is of one instant, whatever is written meanwhile. */
export async function readInOneInstant(transaction: Transaction): Promise<void> {
  await transaction.query({ text: 'set transaction isolation level repeatable read read only' })
}

/** The installation's first. */
export async function listChains(queryable: Queryable): Promise<ChainId[]> {
  const found = await queryable.query<{ company_id: ChainId }>({
    text: 'select company_id from audit_chains order by company_id /* every company: the whole trail is looked at */',
  })
  return found.rows.map((row) => row.company_id)
}

export async function findChain(tenant: Chain): Promise<ChainRow | undefined> {
  const found = await tenant.query<ChainRow>({ text: 'select * from audit_chains where company_id = $1' })
  return found.rows[0]
}

/** One chain by itself: its head, and what follows a position. */
export async function readRows(tenant: Chain, after: bigint, limit: number): Promise<EntryRow[]> {
  const found = await tenant.query<EntryRow>({
    text: `select *, changes::text as changes_text from audit_entries
            where company_id = $1 and position > $2 order by position limit $3`,
    values: [after, limit],
  })
  return found.rows
}

/** Rows at or before a position that retention has taken away already: somebody put them there. */
export async function findStray(tenant: Chain, chain: ChainRow): Promise<bigint | null> {
  const found = await tenant.query<{ position: bigint }>({
    text: `select position from audit_entries where company_id = $1 and position <= $2
            order by position limit 1`,
    values: [chain.anchor_position],
  })
  return found.rows[0]?.position ?? null
}

/** Rows of chains that are not there at all. */
export async function findOrphans(queryable: Queryable): Promise<ChainId[]> {
  const found = await queryable.query<{ company_id: ChainId }>({
    text: `select distinct company_id from audit_entries entry /* every company: the whole trail is looked at */
            where not exists (select 1 from audit_chains chain where chain.company_id = entry.company_id)
            order by company_id`,
  })
  return found.rows.map((row) => row.company_id)
}

/** Companies that the installation's chain says were made, and whose chain is not there or does not begin with it. */
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

/** Whether a company's chain begins with its making, of which the installation's knows nothing and should. */
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

/** Chains whose oldest rows are over, of all companies. */
export async function findExpiredChains(queryable: Queryable, limit: number): Promise<ChainId[]> {
  const found = await queryable.query<{ company_id: ChainId }>({
    text: `select distinct company_id from
             (select company_id from audit_entries /* every company: upkeep */ where expires_at < ${timeNow} order by expires_at limit $1) expired`,
    values: [limit],
  })
  return found.rows.map((row) => row.company_id)
}

/** The last of the oldest rows that are over, without a gap: what stays must begin right after it. */
export async function findLastExpired(
  tenant: Chain,
  limit: number,
): Promise<{ readonly position: bigint; readonly mac: Buffer } | undefined> {
  const found = await tenant.query<{ position: bigint; mac: Buffer }>({
    text: `with oldest as (
             select position, mac, expires_at < ${timeNow} as is_over from audit_entries
              where company_id = $1 order by position limit $2)
           select position, mac from oldest
            where position < coalesce((select min(position) from oldest where not is_over), position + 1)
            order by position desc limit 1`,
    values: [limit],
  })
  return found.rows[0]
}

export async function deleteThrough(
  tenant: Chain,
  anchor: { readonly position: bigint; readonly mac: Buffer; readonly seal: Buffer },
): Promise<number> {
  await tenant.query({
    text: `update audit_chains set anchor_position = $2, anchor_mac = $3, anchor_seal = $4 where company_id = $1`,
    values: [anchor.position, anchor.mac, anchor.seal],
  })
  const deleted = await tenant.query({
    text: 'delete from audit_entries where company_id = $1 and position <= $2',
    values: [anchor.position],
  })
  return deleted.rowCount ?? 0
}
