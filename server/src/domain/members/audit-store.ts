import type { Queryable } from '../../platform/database.ts'
import type { CompanyId, PersonId } from '../../platform/ids.ts'
import type { AuditNote } from './audit.ts'

export async function insertEntry(
  queryable: Queryable,
  entry: Omit<AuditNote, 'companyId' | 'changes'> & {
    readonly auditId: string
    readonly companyId: string
    readonly changes: string
  },
): Promise<void> {
  await queryable.query({
    text: `insert into audit_entries
             (company_id, audit_id, actor, person_id, action, app_id, subject, changes, request_id)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      entry.companyId,
      entry.auditId,
      entry.actor,
      entry.personId,
      entry.action,
      entry.appId,
      entry.subject,
      entry.changes,
      entry.requestId,
    ],
  })
}

export async function settleEntry(
  queryable: Queryable,
  companyId: string,
  auditId: string,
  settledCompanyId: string,
): Promise<void> {
  await queryable.query({
    text: 'update audit_entries set is_certain = true, company_id = $3 where company_id = $1 and audit_id = $2',
    values: [companyId, auditId, settledCompanyId],
  })
}

export async function deleteEntry(queryable: Queryable, companyId: string, auditId: string): Promise<void> {
  await queryable.query({
    text: 'delete from audit_entries where company_id = $1 and audit_id = $2',
    values: [companyId, auditId],
  })
}

export interface AuditRow {
  readonly company_id: string
  readonly audit_id: string
  readonly actor: AuditNote['actor']
  readonly person_id: PersonId | null
  readonly email: Buffer | null
  readonly action: string
  readonly app_id: string | null
  readonly subject: string | null
  readonly changes: Record<string, unknown>
  readonly is_certain: boolean
  readonly request_id: string
  readonly created_at: Date
}

export async function listEntries(
  queryable: Queryable,
  companyId: CompanyId | null,
  cursor: string | null,
  limit: number,
): Promise<AuditRow[]> {
  // Without a company it is the operator's list, by the index on the id.
  const ofCompany = companyId === null ? 'true or $1::text is null' : 'entry.company_id = $1'
  const found = await queryable.query<AuditRow>({
    text: `select entry.*, person.email
             from audit_entries entry left join people person on person.person_id = entry.person_id
            where (${ofCompany}) and ($2::text is null or entry.audit_id < $2)
            order by entry.audit_id desc limit $3`,
    values: [companyId, cursor, limit],
  })
  return found.rows
}
