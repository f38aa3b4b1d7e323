/** Writes what a batch has changed in the guard's rows, whole and under the lock that they were read under. */
import { type Columns, heldBulkOf, withHeld } from '../../../../platform/bulk.ts'
import type { Held } from '../../../../platform/database.ts'
import { type CompanyId, newId } from '../../../../platform/ids.ts'
import type { Debt } from '../debt/debt.ts'
import { historyClause, notesToWrite } from '../history/history-store.ts'
import { holdMs, type Level } from '../levels.ts'
import { fitRow, type PlaceKey } from '../place.ts'
import type { LoadedAcquaintance, Pumping } from '../pumping.ts'
import { acquaintanceOverMs, encodeAcquaintance } from './acquaintance-text.ts'
import { debtOverMs, encodeDebt, isRange } from './debt-text.ts'
import { encodeFit, fitOverMs } from './fit-text.ts'
import { blockEntry, type Part, rowText, withParts } from './state-text.ts'

const companyOf = ({ companyId }: { readonly companyId: CompanyId }) => companyId

type WrittenAcquaintance = LoadedAcquaintance & { readonly companyId: CompanyId; readonly nowMs: number }
const acquaintanceColumns: Columns<WrittenAcquaintance> = {
  app_id: ['text', (row) => row.appId],
  recipient_hash: ['bytea', (row) => Buffer.from(row.recipient, 'base64')],
  acquaintance: ['text', (row) => encodeAcquaintance(row.acquaintance)],
  over: ['bigint', (row) => wholeHour(acquaintanceOverMs(row.acquaintance, row.nowMs))],
}
const stateColumns: Columns<WrittenState> = {
  app_id: ['text', (row) => row.appId],
  row_key: ['text', (row) => row.rowKey],
  state: ['text', (row) => row.state],
  blocked_until: ['timestamptz', (row) => (row.blockedUntilMs > 0 ? new Date(row.blockedUntilMs) : null)],
  over: ['bigint', (row) => wholeHour(row.expiresAtMs)],
}
/** New rows, which nobody else can make under the lock, are just inserted; rows that were read are updated. */
const newAcquaintance = heldBulkOf(companyOf, acquaintanceColumns, 1)
const acquaintance = heldBulkOf(companyOf, acquaintanceColumns, newAcquaintance.next)
const newState = heldBulkOf(companyOf, stateColumns, acquaintance.next)
const state = heldBulkOf(companyOf, stateColumns, newState.next)

/** Most batches have no notes, and their statement leaves this clause out. */
const history = historyClause(state.next)

/** What the calls of one company have changed. */
export interface Changed {
  readonly companyId: CompanyId
  readonly pumping: Pumping
}

/** Resolves when all is written; runs no statement if nothing has changed. */
export async function writePumping(
  held: Held,
  changed: readonly Changed[],
  nowMs: number,
  seal: (label: string) => string,
): Promise<void> {
  const states = changed.flatMap((one) => statesOf(one, nowMs, seal))
  const acquaintances = changed.flatMap(({ companyId, pumping }) =>
    pumping.changedAcquaintances().map((row) => ({ ...row, companyId, nowMs })),
  )
  const notes = changed.flatMap(({ companyId, pumping }) =>
    notesToWrite(pumping.takeNotes()).map((note) => ({
      ...note,
      companyId,
      nowMs,
      label: seal(note.key.label),
    })),
  )
  if (states.length === 0 && acquaintances.length === 0 && notes.length === 0) return
  const hasNotes = notes.length > 0
  await held.query({
    name: hasNotes ? 'write-pumping-and-tell' : 'write-pumping',
    text: `
      with ${withHeld}, /* every company: those that the transaction holds */
      ${hasNotes ? history.text : ''}met as (
        insert into pumping_acquaintances (company_id, app_id, recipient_hash, acquaintance, expires_at)
        select ${newAcquaintance.company}, app_id, recipient_hash, acquaintance, to_timestamp(over) from ${newAcquaintance.source}
      ), known as (
        insert into pumping_acquaintances as stored (company_id, app_id, recipient_hash, acquaintance, expires_at)
        select ${acquaintance.company}, app_id, recipient_hash, acquaintance, to_timestamp(over) from ${acquaintance.source}
        on conflict (company_id, app_id, recipient_hash) do update set acquaintance = excluded.acquaintance, expires_at = excluded.expires_at
      ), seen as (
        insert into pumping_states (company_id, app_id, row_key, state, blocked_until, expires_at)
        select ${newState.company}, app_id, row_key, state, blocked_until, to_timestamp(over) from ${newState.source}
      )
      insert into pumping_states as stored (company_id, app_id, row_key, state, blocked_until, expires_at)
      select ${state.company}, app_id, row_key, state, blocked_until, to_timestamp(over) from ${state.source}
      on conflict (company_id, app_id, row_key) do update
         set state = excluded.state,
             blocked_until = greatest(stored.blocked_until, excluded.blocked_until),
             expires_at = greatest(stored.expires_at, excluded.expires_at)`,
    values: [
      ...newAcquaintance.values(acquaintances.filter(isNew), held),
      ...acquaintance.values(acquaintances.filter(isStored), held),
      ...newState.values(states.filter(isNew), held),
      ...state.values(states.filter(isStored), held),
      ...(hasNotes ? history.values(notes, held) : []),
    ],
  })
}

const isStored = (row: { readonly isStored: boolean }) => row.isStored
const isNew = (row: { readonly isStored: boolean }) => !row.isStored

const hourMs = 3_600_000
/** A time in seconds, rounded up to the hour, so that a busy row keeps its indexed columns and is updated in place. */
const wholeHour = (timeMs: number) => (Math.ceil(timeMs / hourMs) * hourMs) / 1000

interface WrittenState {
  readonly companyId: CompanyId
  readonly appId: string
  readonly rowKey: string
  readonly isStored: boolean
  readonly state: string
  readonly blockedUntilMs: number
  readonly expiresAtMs: number
}

interface ChangedRow {
  readonly key: PlaceKey
  /** The row as it was read; undefined for a new row. */
  readonly stored: string | undefined
  readonly parts: Part[]
  blockedUntilMs: number
  expiresAtMs: number
}

/** Puts each changed row together: its changed parts, and the others as they were read. */
function statesOf(
  { companyId, pumping }: Changed,
  nowMs: number,
  seal: (label: string) => string,
): WrittenState[] {
  const rows = new Map<string, ChangedRow>()
  const textOf = writingAlike()
  for (const { key, debt } of pumping.changedDebts()) {
    let row = rows.get(key.rowName)
    if (!row) {
      row = { key, stored: pumping.rows.get(key.rowName), parts: [], blockedUntilMs: 0, expiresAtMs: 0 }
      rows.set(key.rowName, row)
    }
    row.parts.push([key.part, textOf(key.level, debt)])
    if (isNewBlock(key, debt, nowMs))
      row.parts.push(blockEntry(key.part, { blockId: newId('block', nowMs), label: seal(key.label) }))
    row.blockedUntilMs = Math.max(row.blockedUntilMs, debt.blockedUntilMs, debt.heldUntilMs)
    row.expiresAtMs = Math.max(row.expiresAtMs, debtOverMs(key.level, debt))
  }
  const states: WrittenState[] = []
  for (const { key, stored, parts, blockedUntilMs, expiresAtMs } of rows.values())
    states.push({
      companyId,
      appId: key.scope,
      rowKey: key.row,
      isStored: stored !== undefined,
      state: stored === undefined ? rowText(parts) : withParts(stored, parts),
      blockedUntilMs,
      expiresAtMs,
    })
  for (const { appId, fit } of pumping.changedFits()) {
    const [state, expiresAtMs] = [encodeFit(fit), fitOverMs(fit)]
    // There is one such row for each app, so it need not be known whether it is new.
    states.push({ companyId, appId, rowKey: fitRow, isStored: true, state, blockedUntilMs: 0, expiresAtMs })
  }
  return states
}

/** The ranges of a stranger often have the same debt, whose text is made once. */
function writingAlike() {
  const texts = new Map<Debt, string>()
  return (level: Level, debt: Debt): string => {
    if (!isRange(level)) return encodeDebt(level, debt)
    const text = texts.get(debt) ?? encodeDebt(level, debt)
    texts.set(debt, text)
    return text
  }
}

const isNewBlock = (key: PlaceKey, debt: Debt, nowMs: number) =>
  key.label !== '' && (debt.struckAtMs === nowMs || debt.heldUntilMs === nowMs + holdMs)
