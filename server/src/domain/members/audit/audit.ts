/**
 * Records who changed what, and who tried to. An entry is written before the change, and its outcome after it as
 * another row, so that no change lacks an entry and no row is ever changed: after a crash the outcome is missing. If
 * the outcome is known when the entry is written, both are one row.
 */
import type { Clock } from '../../../platform/clock.ts'
import type { Transaction } from '../../../platform/database.ts'
import type { CompanyId, PersonId } from '../../../platform/ids.ts'
import { newId, parseId } from '../../../platform/ids.ts'
import { type Page, type PageRequest, parseCursor, readPage } from '../../answers/index.ts'
import { type MemberDependencies, openEmail } from '../person.ts'
import { briefly } from './briefly.ts'
import { append, appendWithin, type ChainDependencies, type Draft } from './chain.ts'
import * as store from './store.ts'

export interface AuditNote {
  /** Null for the installation's own chain. */
  readonly companyId: CompanyId | null
  readonly actor: store.ChainEntry['actor']
  readonly personId: PersonId | null
  readonly action: string
  readonly appId: string | null
  readonly subject: string | null
  readonly changes: Readonly<Record<string, unknown>>
  readonly address: string | null
  readonly requestId: string
}

export type AuditDependencies = ChainDependencies & { readonly clock: Clock }

const draftOf = (note: AuditNote, auditId: string) => ({
  auditId,
  settles: null,
  outcome: null,
  errorType: null,
  isCopy: false,
  actor: note.actor,
  personId: note.personId,
  action: note.action,
  appId: note.appId,
  subject: note.subject,
  changesText: briefly(note.changes),
  address: note.address,
  requestId: note.requestId,
})

export interface OpenEntry {
  /** `created` is the company that the call has just made, which was not known before. */
  readonly settle: (created: CompanyId | null) => Promise<void>
  /** Settles it in the transaction of the change, as its last statement: there is neither without the other. */
  readonly settleWithin: (transaction: Transaction, created: CompanyId | null) => Promise<void>
  readonly refuse: (errorType: string) => Promise<void>
}

export async function openAuditEntry(dependencies: AuditDependencies, note: AuditNote): Promise<OpenEntry> {
  const nextId = () => newId('audit', dependencies.clock.nowMs())
  const chain = note.companyId ?? ''
  const opened = draftOf(note, nextId())
  await append(dependencies, chain, opened)
  const ended = (outcome: 'done' | 'refused', errorType: string | null, subject: string | null) => ({
    ...opened,
    auditId: nextId(),
    settles: opened.auditId,
    outcome,
    errorType,
    subject,
    changesText: '{}',
  })
  const done = async (
    created: CompanyId | null,
    write: (chain: CompanyId | '', draft: Draft) => Promise<void>,
  ) => {
    const madeCompany = note.companyId === null ? created : null
    const copy = {
      ...opened,
      auditId: nextId(),
      outcome: 'done',
      isCopy: true,
      subject: madeCompany,
    } as const
    // The company's own chain comes first: each company in the installation's chain must have one.
    if (madeCompany) await write(madeCompany, copy)
    await write(chain, ended('done', null, madeCompany ?? note.subject))
  }
  return {
    settle: (created) => done(created, (chain, draft) => append(dependencies, chain, draft)),
    settleWithin: (transaction, created) =>
      done(created, (chain, draft) => appendWithin(dependencies, transaction, chain, draft)),
    refuse: (errorType) => append(dependencies, chain, ended('refused', errorType, note.subject)),
  }
}

/** Records what has happened already (`errorType` null), or was refused before anything was begun. */
export async function recordAudit(
  dependencies: AuditDependencies,
  note: AuditNote,
  errorType: string | null = null,
): Promise<void> {
  await append(dependencies, note.companyId ?? '', {
    ...draftOf(note, newId('audit', dependencies.clock.nowMs())),
    outcome: errorType === null ? 'done' : 'refused',
    errorType,
  })
}

/** Recorded in the same transaction as the change, as its last statement: there is neither without the other. */
export async function recordWithin(
  dependencies: Omit<AuditDependencies, 'database'>,
  transaction: Transaction,
  personId: PersonId,
  { action, subject, address, requestId }: Pick<AuditNote, 'action' | 'subject' | 'address' | 'requestId'>,
): Promise<void> {
  const note = { companyId: null, actor: 'person', personId, appId: null, changes: {} } as const
  await appendWithin(dependencies, transaction, '', {
    ...draftOf({ ...note, action, subject, address, requestId }, newId('audit', dependencies.clock.nowMs())),
    outcome: 'done',
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

/** With `companyId` null, lists the whole trail; with `personId` null, the entries of everybody. */
export async function listAudit(
  { database, keyring }: Pick<MemberDependencies, 'database' | 'keyring'>,
  companyId: CompanyId | null,
  { cursor, limit, personId = null }: PageRequest & { readonly personId?: string | null },
): Promise<Page<AuditEntry>> {
  const before = parseCursor(cursor, (text) => parseId('audit', text))
  const { rows, nextCursor } = await readPage(
    limit,
    (limit) =>
      companyId === null
        ? store.listAllEntries(database, before, limit)
        : store.listEntries(database.of(companyId), before, limit, personId),
    ({ auditId }) => auditId,
  )
  const keys = keyring()
  return {
    rows: rows.map(({ settled, ...entry }) => ({
      auditId: entry.auditId,
      at: entry.createdAt,
      actor: entry.actor,
      personId: entry.personId,
      email: entry.sealedEmail && openEmail(keys, entry.sealedEmail),
      action: entry.action,
      // If an entry of the installation's chain has made a company, the subject is that company's id.
      companyId: entry.companyId || parseId('company', settled.subject ?? ''),
      appId: entry.appId,
      subject: entry.subject,
      changes: entry.changes,
      outcome: entry.outcome ?? settled.outcome ?? 'unknown',
      errorType: entry.errorType ?? settled.errorType,
      address: entry.address,
      requestId: entry.requestId,
    })),
    nextCursor,
  }
}
