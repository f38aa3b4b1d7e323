/** The chains of the audit trail in the database. Rows are added and expire; none is ever changed. */
import { type Queryable, type Transaction, timeNow } from '../../platform/database.ts'
import type { CompanyId, PersonId } from '../../platform/ids.ts'

/** Empty: the installation's own chain. */
export type ChainId = CompanyId | ''

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
export async function lockChain(
  queryable: Queryable,
  companyId: ChainId,
): Promise<ChainRow & { readonly now: Date }> {
  const locked = await queryable.query<ChainRow & { now: Date }>({
    name: 'lock-audit-chain',
    text: `insert into audit_chains (company_id) values ($1)
           on conflict (company_id) do update set company_id = excluded.company_id
           returning *, date_trunc('milliseconds', clock_timestamp()) as now`,
    values: [companyId],
  })
  const row = locked.rows[0]
  if (!row) throw new Error('an insert returned nothing')
  return row
}

/** Under the lock of the chain. */
export async function appendRow(queryable: Queryable, row: EntryRow, seal: Buffer): Promise<void> {
  await queryable.query({
    name: 'append-audit-entry',
    text: `with added as (
             insert into audit_entries
               (company_id, position, audit_id, settles, outcome, error_type, is_copy, actor, person_id, action,
                app_id, subject, changes, address, request_id, created_at, expires_at, data_key, mac)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19))
           update audit_chains set position = $2, mac = $19, seal = $20, data_key = $18 where company_id = $1`,
    values: [
      row.company_id,
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

export async function listEntries(
  queryable: Queryable,
  companyId: CompanyId | null,
  cursor: string | null,
  limit: number,
): Promise<ListedRow[]> {
  // Without a company it is the operator's list, by the index on the id; what is there twice is shown once.
  const ofCompany = companyId === null ? 'not entry.is_copy and $1::text is null' : 'entry.company_id = $1'
  const found = await queryable.query<ListedRow>({
    text: `select entry.*, person.email, settled.outcome as settled_outcome, settled.error_type as settled_error,
                  settled.subject as settled_subject
             from audit_entries entry
             left join people person on person.person_id = entry.person_id
             left join audit_entries settled
               on settled.company_id = entry.company_id and settled.settles = entry.audit_id
            where ${ofCompany}
              and entry.settles is null and ($2::text is null or entry.audit_id < $2)
            order by entry.audit_id desc limit $3`,
    values: [companyId, cursor, limit],
  })
  return found.rows
}

/** What is read after it is of one instant, whatever is written meanwhile. */
export async function readInOneInstant(transaction: Transaction): Promise<void> {
  await transaction.query({ text: 'set transaction isolation level repeatable read read only' })
}

/** `companyId` null: all of them, the installation's first. */
export async function listChains(queryable: Queryable, companyId: ChainId | null): Promise<ChainRow[]> {
  const found = await queryable.query<ChainRow>({
    text: 'select * from audit_chains where ($1::text is null or company_id = $1) order by company_id',
    values: [companyId],
  })
  return found.rows
}

/** One chain by itself: its head, and what follows a position. */
export async function readRows(
  queryable: Queryable,
  companyId: ChainId,
  after: bigint,
  limit: number,
): Promise<EntryRow[]> {
  const found = await queryable.query<EntryRow>({
    text: `select *, changes::text as changes_text from audit_entries
            where company_id = $1 and position > $2 order by position limit $3`,
    values: [companyId, after, limit],
  })
  return found.rows
}

/** Rows at or before a position that retention has taken away already: somebody put them there. */
export async function findStray(queryable: Queryable, chain: ChainRow): Promise<bigint | null> {
  const found = await queryable.query<{ position: bigint }>({
    text: `select position from audit_entries where company_id = $1 and position <= $2
            order by position limit 1`,
    values: [chain.company_id, chain.anchor_position],
  })
  return found.rows[0]?.position ?? null
}

/** Rows of chains that are not there at all. Over all companies, as the whole is what is looked at. */
export async function findOrphans(queryable: Queryable): Promise<ChainId[]> {
  const found = await queryable.query<{ company_id: ChainId }>({
    text: `select distinct company_id from audit_entries entry
            where not exists (select 1 from audit_chains chain where chain.company_id = entry.company_id)
            order by company_id`,
  })
  return found.rows.map((row) => row.company_id)
}

/** Companies that the installation's chain says were made, and that have no chain. */
export async function findMissingChains(queryable: Queryable): Promise<CompanyId[]> {
  const found = await queryable.query<{ subject: CompanyId }>({
    text: `select entry.subject from audit_entries entry
            where entry.company_id = '' and entry.settles is not null and entry.outcome = 'done'
              and entry.subject like 'cmp\\_%'
              and not exists (select 1 from audit_chains chain where chain.company_id = entry.subject)
            order by entry.position`,
  })
  return found.rows.map((row) => row.subject)
}

/** Chains whose oldest rows are over, of all companies. */
export async function findExpiredChains(queryable: Queryable, limit: number): Promise<ChainId[]> {
  const found = await queryable.query<{ company_id: ChainId }>({
    text: `select distinct company_id from
             (select company_id from audit_entries where expires_at < ${timeNow} order by expires_at limit $1) expired`,
    values: [limit],
  })
  return found.rows.map((row) => row.company_id)
}

/** The last of the oldest rows that are over, without a gap: what stays must begin right after it. */
export async function findLastExpired(
  queryable: Queryable,
  companyId: ChainId,
  limit: number,
): Promise<{ readonly position: bigint; readonly mac: Buffer } | undefined> {
  const found = await queryable.query<{ position: bigint; mac: Buffer }>({
    text: `with oldest as (
             select position, mac, expires_at < ${timeNow} as is_over from audit_entries
              where company_id = $1 order by position limit $2)
           select position, mac from oldest
            where position < coalesce((select min(position) from oldest where not is_over), position + 1)
            order by position desc limit 1`,
    values: [companyId, limit],
  })
  return found.rows[0]
}

export async function deleteThrough(
  queryable: Queryable,
  companyId: ChainId,
  anchor: { readonly position: bigint; readonly mac: Buffer; readonly seal: Buffer },
): Promise<number> {
  await queryable.query({
    text: `update audit_chains set anchor_position = $2, anchor_mac = $3, anchor_seal = $4 where company_id = $1`,
    values: [companyId, anchor.position, anchor.mac, anchor.seal],
  })
  const deleted = await queryable.query({
    text: 'delete from audit_entries where company_id = $1 and position <= $2',
    values: [companyId, anchor.position],
  })
  return deleted.rowCount ?? 0
}
