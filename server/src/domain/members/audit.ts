/**
 * Who changed what. An entry is written before the change and settled after it, so that no change lacks
 * one: what a crash cut short stays there, marked as uncertain; what was refused is taken back.
 */
import type { CompanyId, PersonId } from '../../platform/ids.ts'
import { newId } from '../../platform/ids.ts'
import * as store from './audit-store.ts'
import { type MemberDependencies, openEmail } from './person.ts'

export interface AuditNote {
  readonly companyId: CompanyId | null
  readonly actor: 'person' | 'token' | 'command_line'
  readonly personId: PersonId | null
  readonly action: string
  readonly appId: string | null
  readonly subject: string | null
  readonly changes: Readonly<Record<string, unknown>>
  readonly requestId: string
}

/** What is longer is not written down: the trail says who did what, and is no second store of it. */
const maxChangesLength = 8_192

function briefly(changes: AuditNote['changes']): string {
  const fields = JSON.stringify({ fields: Object.keys(changes) })
  try {
    const text = JSON.stringify(changes)
    return text.length <= maxChangesLength ? text : fields
  } catch {
    // Settings come unjudged, and may be nested deeper than can be written.
    return fields
  }
}

export interface OpenEntry {
  /** The company that a call has just created is known only now. */
  readonly settle: (companyId: CompanyId | null) => Promise<void>
  readonly takeBack: () => Promise<void>
}

export async function openAuditEntry(
  { database, clock }: Pick<MemberDependencies, 'database' | 'clock'>,
  note: AuditNote,
): Promise<OpenEntry> {
  const auditId = newId('audit', clock.nowMs())
  const companyId = note.companyId ?? ''
  await store.insertEntry(database, { ...note, auditId, companyId, changes: briefly(note.changes) })
  return {
    settle: (created) => store.settleEntry(database, companyId, auditId, companyId || (created ?? '')),
    takeBack: () => store.deleteEntry(database, companyId, auditId),
  }
}

export interface AuditEntry {
  readonly auditId: string
  readonly at: Date
  readonly actor: AuditNote['actor']
  readonly personId: PersonId | null
  readonly email: string | null
  readonly action: string
  readonly companyId: string | null
  readonly appId: string | null
  readonly subject: string | null
  readonly changes: Readonly<Record<string, unknown>>
  readonly isCertain: boolean
  readonly requestId: string
}

/** `companyId` null: of all companies, and of none. */
export async function listAudit(
  { database, keyring }: Pick<MemberDependencies, 'database' | 'keyring'>,
  companyId: CompanyId | null,
  { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
): Promise<{ entries: AuditEntry[]; nextCursor: string | null }> {
  const rows = await store.listEntries(database, companyId, cursor, limit + 1)
  const page = rows.slice(0, limit)
  const keys = keyring()
  return {
    entries: page.map((row) => ({
      auditId: row.audit_id,
      at: row.created_at,
      actor: row.actor,
      personId: row.person_id,
      email: row.email && openEmail(keys, row.email),
      action: row.action,
      companyId: row.company_id || null,
      appId: row.app_id,
      subject: row.subject,
      changes: row.changes,
      isCertain: row.is_certain,
      requestId: row.request_id,
    })),
    nextCursor: rows.length > limit ? (page.at(-1)?.audit_id ?? null) : null,
  }
}
