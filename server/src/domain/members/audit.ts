/**
 * Who changed what, and who tried to. An entry is written before the change and its outcome after it, as a row of
 * its own, so that no change lacks one and no row is ever touched again: what a crash cut short stays without an
 * outcome. What is known to have happened, or to be refused, when it is written is one row.
 */
import type { Clock } from '../../platform/clock.ts'
import type { CompanyId, PersonId } from '../../platform/ids.ts'
import { newId, parseId } from '../../platform/ids.ts'
import { append, type ChainDependencies } from './audit-chain.ts'
import * as store from './audit-store.ts'
import { type MemberDependencies, openEmail } from './person.ts'

export interface AuditNote {
  /** Null: the installation's own chain. */
  readonly companyId: CompanyId | null
  readonly actor: store.EntryRow['actor']
  readonly personId: PersonId | null
  readonly action: string
  readonly appId: string | null
  readonly subject: string | null
  readonly changes: Readonly<Record<string, unknown>>
  readonly address: string | null
  readonly requestId: string
}

export type AuditDependencies = ChainDependencies & { readonly clock: Clock }

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

const draftOf = (note: AuditNote, auditId: string) => ({
  audit_id: auditId,
  settles: null,
  outcome: null,
  error_type: null,
  is_copy: false,
  actor: note.actor,
  person_id: note.personId,
  action: note.action,
  app_id: note.appId,
  subject: note.subject,
  changes_text: briefly(note.changes),
  address: note.address,
  request_id: note.requestId,
})

export interface OpenEntry {
  /** The company that a call has just created is known only now. */
  readonly settle: (created: CompanyId | null) => Promise<void>
  readonly refuse: (errorType: string) => Promise<void>
}

export async function openAuditEntry(dependencies: AuditDependencies, note: AuditNote): Promise<OpenEntry> {
  const nextId = () => newId('audit', dependencies.clock.nowMs())
  const chain = note.companyId ?? ''
  const opened = draftOf(note, nextId())
  await append(dependencies, chain, opened)
  const end = (outcome: 'done' | 'refused', errorType: string | null, subject: string | null) =>
    append(dependencies, chain, {
      ...opened,
      audit_id: nextId(),
      settles: opened.audit_id,
      outcome,
      error_type: errorType,
      subject,
      changes_text: '{}',
    })
  return {
    settle: async (created) => {
      const madeCompany = note.companyId === null ? created : null
      const copy = {
        ...opened,
        audit_id: nextId(),
        outcome: 'done',
        is_copy: true,
        subject: madeCompany,
      } as const
      // First: a company of which the installation's chain knows has a chain.
      if (madeCompany) await append(dependencies, madeCompany, copy)
      await end('done', null, madeCompany ?? note.subject)
    },
    refuse: (errorType) => end('refused', errorType, note.subject),
  }
}

/** What has happened already, or was refused before anything was begun. `errorType` null: it happened. */
export async function recordAudit(
  dependencies: AuditDependencies,
  note: AuditNote,
  errorType: string | null = null,
): Promise<void> {
  await append(dependencies, note.companyId ?? '', {
    ...draftOf(note, newId('audit', dependencies.clock.nowMs())),
    outcome: errorType === null ? 'done' : 'refused',
    error_type: errorType,
  })
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
  readonly outcome: 'done' | 'refused' | 'unknown'
  readonly errorType: string | null
  readonly address: string | null
  readonly requestId: string
}

/** `companyId` null: of all companies, and of none. */
export async function listAudit(
  { database, keyring }: Pick<MemberDependencies, 'database' | 'keyring'>,
  companyId: CompanyId | null,
  { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
): Promise<{ entries: AuditEntry[]; nextCursor: string | null }> {
  const rows = await (companyId === null
    ? store.listAllEntries(database, cursor, limit + 1)
    : store.listEntries(database.of(companyId), cursor, limit + 1))
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
      // Of a company that it made, the installation's chain knows the id.
      companyId: row.company_id || parseId('company', row.settled_subject ?? ''),
      appId: row.app_id,
      subject: row.subject,
      changes: row.changes,
      outcome: row.outcome ?? row.settled_outcome ?? 'unknown',
      errorType: row.error_type ?? row.settled_error,
      address: row.address,
      requestId: row.request_id,
    })),
    nextCursor: rows.length > limit ? (page.at(-1)?.audit_id ?? null) : null,
  }
}
