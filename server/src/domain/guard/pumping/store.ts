/** The guard's statements. All but `approvalNote` run under the lock of the company's row, or promise nothing. */
import { heldBulkOf, onceEach, withHeld } from '../../../platform/bulk.ts'
import type { Held } from '../../../platform/database.ts'
import { type CompanyId, newId } from '../../../platform/ids.ts'
import type { Source } from '../../../platform/source.ts'
import {
  acquaintanceOverMs,
  debtOverMs,
  decodeAcquaintance,
  decodeDebt,
  decodeFit,
  encodeAcquaintance,
  encodeDebt,
  encodeFit,
  fitOverMs,
  type StoredAcquaintance,
  type StoredDebt,
  type StoredFit,
} from './codec.ts'
import type { Debt } from './debt.ts'
import { historyClause, notesToWrite } from './history-store.ts'
import { holdMs } from './levels.ts'
import { fitRow, type PlaceKey, rowsOf } from './place.ts'
import type { Loaded, LoadedAcquaintance, Pumping, WantedPlace } from './pumping.ts'

/** What a batch is about to judge: one recipient, and where its number lies. */
export interface Wanted extends WantedPlace {
  readonly companyId: CompanyId
  readonly appId: string
  readonly recipientHash: Buffer
}

/** More than come between two batches; what is left is taken by the next. */
const mostApprovals = 5_000

/** The name of a block, which stands beside its debt. */
export interface BlockName {
  readonly block_id: string
  /** Sealed, in base64. */
  readonly label: string
}
const blockNameKey = (part: string) => `#${part}`
const fitPart = ''
type Stored = StoredDebt | BlockName | StoredFit
export type StoredState = Readonly<Record<string, Stored>>

type OfApp = Pick<Wanted, 'companyId' | 'appId'>
const companyOf = ({ companyId }: OfApp) => companyId

const app = heldBulkOf<OfApp>(companyOf, { app_id: ['text', (row) => row.appId] }, 1)
const person = heldBulkOf<Wanted>(
  companyOf,
  { app_id: ['text', (row) => row.appId], recipient_hash: ['bytea', (row) => row.recipientHash] },
  app.next + 1,
)
const place = heldBulkOf<WantedRow>(
  ({ companyId }) => companyId,
  { app_id: ['text', (row) => row.scope], row_key: ['text', (row) => row.row] },
  person.next + 1,
)

/**
 * Row by row (`limit 1`), and what is taken by its place in the table: a plan made while the tables were small must not read them whole when they are not.
 * `isTaken` false: a look, for previews; the approvals stay for the next batch.
 */
export async function readPumping(
  held: Held,
  wanted: readonly Wanted[],
  isTaken: boolean,
): Promise<Map<CompanyId, Loaded>> {
  const found = await held.query<FoundRow>({
    name: isTaken ? 'take-pumping' : 'read-pumping',
    text: `
      with ${withHeld}, /* every company: those that the transaction holds */
      noted as materialized (
        select one.* from ${app.lookedUp} app
         cross join lateral (select a.*, a.ctid as place from pumping_approvals a
                              where a.company_id = app.company_id and a.app_id = app.app_id order by a.otp_id limit ${mostApprovals}) one
      ), approval as (
        ${isTaken ? 'delete from pumping_approvals taken using noted where taken.ctid = noted.place returning taken.*' : 'select * from noted'}
      ), known as (
        select wanted.company_id, wanted.app_id, wanted.recipient_hash, k.acquaintance
          from (select company_id, app_id, recipient_hash from ${person.lookedUp} listed
                 union select company_id, app_id, recipient_hash from approval) wanted
         cross join lateral (select acquaintance from pumping_acquaintances k
                              where k.company_id = wanted.company_id and k.app_id = wanted.app_id and k.recipient_hash = wanted.recipient_hash limit 1) k
      ), wanted as (
        select company_id, app_id, row_key from ${place.lookedUp} listed
         union
        select known.company_id, key.app_id, key.row_key
          from approval join known using (company_id, app_id, recipient_hash)
         cross join lateral (select known.acquaintance -> 'open' as open) charge
         cross join lateral (values ('', 'range:' || (open ->> 'range')), ('', 'ip:' || (open ->> 'ip')), ('', 'trial'),
                                    ('', 'carrier:' || (open ->> 'carrier')), (known.app_id, 'carrier:' || (open ->> 'carrier')),
                                    (known.app_id, open ->> 'issuer'),
                                    ('', 'country:' || split_part(open ->> 'carrier', ':', 1)),
                                    (known.app_id, 'country:' || split_part(open ->> 'carrier', ':', 1)),
                                    (known.app_id, '${fitRow}')) key (app_id, row_key)
         where key.row_key is not null
      )
      select 'state' as kind, wanted.company_id, wanted.app_id, wanted.row_key, null::bytea as recipient_hash, s.state::text as value, null::bigint as at_ms
        from wanted
       cross join lateral (select state from pumping_states s
                            where s.company_id = wanted.company_id and s.app_id = wanted.app_id and s.row_key = wanted.row_key limit 1) s
       union all
      select 'known', company_id, app_id, null, recipient_hash, acquaintance::text, null from known
       union all
      select 'approval', company_id, app_id, null, recipient_hash, null, (extract(epoch from approved_at) * 1000)::bigint from approval`,
    values: [
      ...app.lookUpValues(
        onceEach<OfApp>(wanted, ({ appId }) => appId),
        held,
      ),
      ...person.lookUpValues(wanted, held),
      ...place.lookUpValues(placesOf(wanted), held),
    ],
  })
  return new Map(
    [...new Set(wanted.map(({ companyId }) => companyId))].map((companyId) => [
      companyId,
      loadedFrom(found.rows.filter((row) => row.company_id === companyId)),
    ]),
  )
}

/** Of one app, or with an empty scope of all apps of the company. */
interface WantedRow {
  readonly companyId: CompanyId
  readonly scope: string
  readonly row: string
}

/** Each row once: most people of a batch share their country. */
const placesOf = (wanted: readonly Wanted[]): WantedRow[] =>
  onceEach(
    wanted.flatMap(({ companyId, place }) =>
      rowsOf(place).map(({ scope, row }) => ({ companyId, scope, row })),
    ),
    ({ companyId, scope, row }) => `${companyId} ${scope} ${row}`,
  )

type FoundRow = {
  company_id: CompanyId
  app_id: string
} /** As text: what is written out and read again as JSON by PostgreSQL costs as much as finding it. */ & (
  | { kind: 'state'; row_key: string; value: string }
  | { kind: 'known'; recipient_hash: Buffer; value: string }
  | { kind: 'approval'; recipient_hash: Buffer; at_ms: bigint }
)

const textOf = (hash: Buffer) => hash.toString('base64')

function loadedFrom(rows: readonly FoundRow[]): Loaded {
  const debts: Loaded['debts'][number][] = []
  const fits: Loaded['fits'][number][] = []
  const acquaintances: Loaded['acquaintances'][number][] = []
  const approvals: Loaded['approvals'][number][] = []
  for (const row of rows) {
    const appId = row.app_id
    if (row.kind === 'approval') {
      approvals.push({ appId, recipient: textOf(row.recipient_hash), atMs: Number(row.at_ms) })
    } else if (row.kind === 'known') {
      const acquaintance = decodeAcquaintance(appId, JSON.parse(row.value) as StoredAcquaintance)
      acquaintances.push({ appId, recipient: textOf(row.recipient_hash), acquaintance })
    } else if (row.row_key === fitRow) {
      const fit = fitIn(JSON.parse(row.value) as StoredState)
      if (fit) fits.push({ appId, fit: decodeFit(fit) })
    } else {
      for (const { part, debt } of debtsIn(JSON.parse(row.value) as StoredState))
        debts.push({ name: `${appId} ${row.row_key}/${part}`, debt })
    }
  }
  return {
    debts,
    fits,
    acquaintances,
    approvals: approvals.sort((left, right) => left.atMs - right.atMs),
  }
}

export function debtsIn(state: StoredState): { part: string; debt: Debt; name: BlockName | null }[] {
  return Object.entries(state).flatMap(([part, value]) =>
    isName(value) || isFit(value) ? [] : [{ part, debt: decodeDebt(value), name: nameIn(state, part) }],
  )
}

const isName = (value: Stored): value is BlockName => 'block_id' in value
const isFit = (value: Stored): value is StoredFit => 'strangers' in value

export function fitIn(state: StoredState): StoredFit | null {
  const fit = state[fitPart]
  return fit && isFit(fit) ? fit : null
}

function nameIn(state: StoredState, part: string): BlockName | null {
  const name = state[blockNameKey(part)]
  return name && isName(name) ? name : null
}

const acquaintance = heldBulkOf<OfApp & LoadedAcquaintance & { readonly nowMs: number }>(
  companyOf,
  {
    app_id: ['text', (row) => row.appId],
    recipient_hash: ['bytea', (row) => Buffer.from(row.recipient, 'base64')],
    acquaintance: ['json', (row) => JSON.stringify(encodeAcquaintance(row.acquaintance))],
    over: ['bigint', (row) => wholeHour(acquaintanceOverMs(row.acquaintance, row.nowMs))],
  },
  1,
)
const state = heldBulkOf<OfApp & WrittenState>(
  companyOf,
  {
    app_id: ['text', (row) => row.appId],
    row_key: ['text', (row) => row.rowKey],
    state: ['jsonb', (row) => JSON.stringify(row.state)],
    blocked_until: ['timestamptz', (row) => (row.blockedUntilMs > 0 ? new Date(row.blockedUntilMs) : null)],
    over: ['bigint', (row) => wholeHour(row.expiresAtMs)],
  },
  acquaintance.next,
)

/** Most batches have nothing to tell, and so a statement without it. */
const history = historyClause(state.next)

/** What the calls of one company have changed. */
export interface Changed {
  readonly companyId: CompanyId
  readonly pumping: Pumping
}

/** Resolves when it is written; nothing is asked for where nothing has changed. */
export async function writePumping(
  held: Held,
  changed: readonly Changed[],
  nowMs: number,
  seal: (label: string) => string,
): Promise<void> {
  const states = changed.flatMap(({ companyId, pumping }) =>
    statesOf(pumping, nowMs, seal).map((row) => ({ ...row, companyId })),
  )
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
  const isTold = notes.length > 0
  await held.query({
    name: isTold ? 'write-pumping-and-tell' : 'write-pumping',
    text: `
      with ${withHeld}, /* every company: those that the transaction holds */
      ${isTold ? history.text : ''}known as (
        insert into pumping_acquaintances as stored (company_id, app_id, recipient_hash, acquaintance, expires_at)
        select ${acquaintance.company}, app_id, recipient_hash, acquaintance, to_timestamp(over) from ${acquaintance.source}
        on conflict (company_id, app_id, recipient_hash) do update set acquaintance = excluded.acquaintance, expires_at = excluded.expires_at
      )
      insert into pumping_states as stored (company_id, app_id, row_key, state, blocked_until, expires_at)
      select ${state.company}, app_id, row_key, state, blocked_until, to_timestamp(over) from ${state.source}
      on conflict (company_id, app_id, row_key) do update
         set state = stored.state || excluded.state,
             blocked_until = greatest(stored.blocked_until, excluded.blocked_until),
             expires_at = greatest(stored.expires_at, excluded.expires_at)`,
    values: [
      ...acquaintance.values(acquaintances, held),
      ...state.values(states, held),
      ...(isTold ? history.values(notes, held) : []),
    ],
  })
}

const hourMs = 3_600_000
/** In seconds. A busy row whose indexed columns stay as they are is updated in place. */
const wholeHour = (timeMs: number) => (Math.ceil(timeMs / hourMs) * hourMs) / 1000

interface WrittenState {
  readonly appId: string
  readonly rowKey: string
  readonly state: Record<string, Stored>
  blockedUntilMs: number
  expiresAtMs: number
}

/** The changed parts of each row together. */
function statesOf(pumping: Pumping, nowMs: number, seal: (label: string) => string): WrittenState[] {
  const rows = new Map<string, WrittenState>()
  for (const { key, debt } of pumping.changedDebts()) {
    const name = `${key.scope} ${key.row}`
    const row = rows.get(name) ?? {
      appId: key.scope,
      rowKey: key.row,
      state: {},
      blockedUntilMs: 0,
      expiresAtMs: 0,
    }
    rows.set(name, row)
    row.state[key.part] = encodeDebt(key.level, debt)
    if (isNewBlock(key, debt, nowMs))
      row.state[blockNameKey(key.part)] = { block_id: newId('block', nowMs), label: seal(key.label) }
    row.blockedUntilMs = Math.max(row.blockedUntilMs, debt.blockedUntilMs, debt.heldUntilMs)
    row.expiresAtMs = Math.max(row.expiresAtMs, debtOverMs(key.level, debt))
  }
  const fits = pumping.changedFits().map(({ appId, fit }) => ({
    appId,
    rowKey: fitRow,
    state: { [fitPart]: encodeFit(fit) },
    blockedUntilMs: 0,
    expiresAtMs: fitOverMs(fit),
  }))
  return [...rows.values(), ...fits]
}

const isNewBlock = (key: PlaceKey, debt: Debt, nowMs: number) =>
  key.label !== '' && (debt.struckAtMs === nowMs || debt.heldUntilMs === nowMs + holdMs)

/** Approvals wait here for the next batch; longer than any app stays without a send and still has debts. */
const approvalKept = "interval '7 days'"

/** A clause of the statement that approves: only for people whom the guard knows, each looked up by the key. */
export const approvalNote = ({ name }: Source<'company_id' | 'app_id' | 'otp_id' | 'recipient_hash'>) => `
        insert into pumping_approvals (company_id, app_id, otp_id, recipient_hash, approved_at, expires_at)
        select hit.company_id, hit.app_id, hit.otp_id, hit.recipient_hash, clock_timestamp(), clock_timestamp() + ${approvalKept}
          from ${name} hit
         cross join lateral (select 1 from pumping_acquaintances p
                              where p.company_id = hit.company_id and p.app_id = hit.app_id and p.recipient_hash = hit.recipient_hash
                              limit 1) known
        on conflict (company_id, app_id, otp_id) do nothing`
