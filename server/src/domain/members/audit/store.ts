/** The chains of the audit trail in the database. Rows are added and expire; none is ever changed. */
import type { Queryable, Tenant } from '../../../platform/database.ts'
import type { CompanyId, PersonId } from '../../../platform/ids.ts'

/** A company, or empty for the installation's own chain. */
export type ChainId = CompanyId | ''

/** Runs the statements on one chain. */
export type Chain = Tenant<ChainId>

export interface ChainEnds {
  readonly companyId: ChainId
  readonly position: bigint
  readonly mac: Buffer
  readonly seal: Buffer
  readonly dataKey: number
  readonly anchorPosition: bigint
  readonly anchorMac: Buffer
  readonly anchorSeal: Buffer
}

interface ChainRow {
  company_id: ChainId
  position: bigint
  mac: Buffer
  seal: Buffer
  data_key: number
  anchor_position: bigint
  anchor_mac: Buffer
  anchor_seal: Buffer
}

const endsOf = (row: ChainRow): ChainEnds => ({
  companyId: row.company_id,
  position: row.position,
  mac: row.mac,
  seal: row.seal,
  dataKey: row.data_key,
  anchorPosition: row.anchor_position,
  anchorMac: row.anchor_mac,
  anchorSeal: row.anchor_seal,
})

/** The fields of an entry, without its changes. */
interface EntryFields {
  readonly companyId: ChainId
  readonly position: bigint
  readonly auditId: string
  readonly settles: string | null
  readonly outcome: 'done' | 'refused' | null
  readonly errorType: string | null
  readonly isCopy: boolean
  readonly actor: 'person' | 'token' | 'command_line' | 'stranger'
  readonly personId: PersonId | null
  readonly action: string
  readonly appId: string | null
  readonly subject: string | null
  readonly address: string | null
  readonly requestId: string
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly dataKey: number
  readonly mac: Buffer
}

export interface ChainEntry extends EntryFields {
  /** The text exactly as it was written, since the hash is over it. */
  readonly changesText: string
}

interface EntryRow {
  company_id: ChainId
  position: bigint
  audit_id: string
  settles: string | null
  outcome: EntryFields['outcome']
  error_type: string | null
  is_copy: boolean
  actor: EntryFields['actor']
  person_id: PersonId | null
  action: string
  app_id: string | null
  subject: string | null
  address: string | null
  request_id: string
  created_at: Date
  expires_at: Date
  data_key: number
  mac: Buffer
}

const fieldsOf = (row: EntryRow): EntryFields => ({
  companyId: row.company_id,
  position: row.position,
  auditId: row.audit_id,
  settles: row.settles,
  outcome: row.outcome,
  errorType: row.error_type,
  isCopy: row.is_copy,
  actor: row.actor,
  personId: row.person_id,
  action: row.action,
  appId: row.app_id,
  subject: row.subject,
  address: row.address,
  requestId: row.request_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  dataKey: row.data_key,
  mac: row.mac,
})

/** Makes the chain if there is none. The lock puts writers to the same chain in order. */
export async function lockChain(tenant: Chain): Promise<ChainEnds & { readonly now: Date }> {
  const locked = await tenant.query<ChainRow & { now: Date }>({
    name: 'lock-audit-chain',
    text: `insert into audit_chains (company_id) values ($1)
           on conflict (company_id) do update set company_id = excluded.company_id
           returning *, date_trunc('milliseconds', clock_timestamp()) as now`,
  })
  const row = locked.rows[0]
  if (!row) throw new Error('an insert returned nothing')
  return { ...endsOf(row), now: row.now }
}

/** Must be called under the lock of the chain. */
export async function appendEntry(
  tenant: Chain,
  entry: Omit<ChainEntry, 'companyId'>,
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
      entry.position,
      entry.auditId,
      entry.settles,
      entry.outcome,
      entry.errorType,
      entry.isCopy,
      entry.actor,
      entry.personId,
      entry.action,
      entry.appId,
      entry.subject,
      entry.changesText,
      entry.address,
      entry.requestId,
      entry.createdAt,
      entry.expiresAt,
      entry.dataKey,
      entry.mac,
      seal,
    ],
  })
}

export interface ListedEntry extends EntryFields {
  readonly changes: Readonly<Record<string, unknown>>
  readonly sealedEmail: Buffer | null
  /** The outcome, as recorded by the entry that settles this one. */
  readonly settled: Pick<EntryFields, 'outcome' | 'errorType' | 'subject'>
}

interface ListedRow extends EntryRow {
  changes: Record<string, unknown>
  email: Buffer | null
  settled_outcome: EntryFields['outcome']
  settled_error: string | null
  settled_subject: string | null
}

const listedOf = (row: ListedRow): ListedEntry => ({
  ...fieldsOf(row),
  changes: row.changes,
  sealedEmail: row.email,
  settled: { outcome: row.settled_outcome, errorType: row.settled_error, subject: row.settled_subject },
})

const listed = (condition: string) => `
  select entry.*, person.email, settled.outcome as settled_outcome, settled.error_type as settled_error,
         settled.subject as settled_subject
    from audit_entries entry
    left join people person on person.person_id = entry.person_id
    left join audit_entries settled on settled.company_id = entry.company_id and settled.settles = entry.audit_id
   where ${condition} and entry.settles is null`

export async function listEntries(
  tenant: Chain,
  cursor: string | null,
  limit: number,
  personId: string | null,
): Promise<ListedEntry[]> {
  const found = await tenant.query<ListedRow>({
    text: `${listed('entry.company_id = $1')} and ($2::text is null or entry.audit_id < $2)
              and ($4::text is null or entry.person_id = $4)
           order by entry.audit_id desc limit $3`,
    values: [cursor, limit, personId],
  })
  return found.rows.map(listedOf)
}

/** The operator's list, by the index on the id. An entry that is in two chains is shown once. */
export async function listAllEntries(
  queryable: Queryable,
  cursor: string | null,
  limit: number,
): Promise<ListedEntry[]> {
  const found = await queryable.query<ListedRow>({
    text: `${listed('not entry.is_copy')} and ($1::text is null or entry.audit_id < $1) /* every company: the operator's list */
           order by entry.audit_id desc limit $2`,
    values: [cursor, limit],
  })
  return found.rows.map(listedOf)
}

export async function findChain(tenant: Chain): Promise<ChainEnds | undefined> {
  const found = await tenant.query<ChainRow>({ text: 'select * from audit_chains where company_id = $1' })
  return found.rows.map(endsOf)[0]
}

/** Reads the entries of one chain after a position. */
export async function readEntries(tenant: Chain, after: bigint, limit: number): Promise<ChainEntry[]> {
  const found = await tenant.query<EntryRow & { changes_text: string }>({
    text: `select *, changes::text as changes_text from audit_entries
            where company_id = $1 and position > $2 order by position limit $3`,
    values: [after, limit],
  })
  return found.rows.map((row) => ({ ...fieldsOf(row), changesText: row.changes_text }))
}
