/** Reads what a batch needs of the guard's tables, under the lock of the company; a preview reads without it. */
import { heldBulkOf, onceEach, withHeld } from '../../../../platform/bulk.ts'
import type { Held } from '../../../../platform/database.ts'
import type { CompanyId } from '../../../../platform/ids.ts'
import { stranger } from '../acquaintance/acquaintance.ts'
import { noFit } from '../fit/fit.ts'
import { fitRow, rowNameOf, rowsOf } from '../place.ts'
import type { Loaded, WantedPlace } from '../pumping.ts'
import { decodeAcquaintance, textIn, textKeys } from './acquaintance-text.ts'
import { decodeFit } from './fit-text.ts'

/** One recipient that a batch is about to judge, and where its number lies. */
export interface Wanted extends WantedPlace {
  readonly companyId: CompanyId
  readonly appId: string
  readonly recipientHash: Buffer
}

/** The most notes of approvals that a batch takes: more than come between two batches. The next one takes the rest. */
const mostNotes = 500

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
 * Rows are looked up one by one (`limit 1`) and deleted by `ctid`: a plan made while the tables were small must not
 * read large ones whole. Without `isTaken`, for previews, the approvals stay for the next batch. A row that cannot be
 * decoded counts as unknown, and is overwritten with what is known from then on.
 */
export async function readPumping(
  held: Held,
  wanted: readonly Wanted[],
  isTaken: boolean,
  onUnreadable: OnUnreadable = () => {},
): Promise<Map<CompanyId, Loaded>> {
  const found = await held.query<FoundRow>({
    name: isTaken ? 'take-pumping' : 'read-pumping',
    text: `
      with ${withHeld}, /* every company: those that the transaction holds */
      noted as materialized (
        select one.* from ${app.lookedUp} app
         cross join lateral (select a.*, a.ctid as row_at from pumping_approvals a
                              where a.company_id = app.company_id and a.app_id = app.app_id order by a.otp_id limit ${mostNotes}) one
      ), note as (
        ${isTaken ? 'delete from pumping_approvals taken using noted where taken.ctid = noted.row_at returning taken.*' : 'select * from noted'}
      ), approval as materialized (
        select company_id, app_id, unnest(recipient_hashes) as recipient_hash, approved_at from note
      ), known as (
        select wanted.company_id, wanted.app_id, wanted.recipient_hash, wanted.is_approved, k.acquaintance
          from (select company_id, app_id, recipient_hash, bool_or(is_approved) as is_approved
                  from (select company_id, app_id, recipient_hash, false as is_approved from ${person.lookedUp} listed
                         union all select company_id, app_id, recipient_hash, true from approval) one
                 group by company_id, app_id, recipient_hash) wanted
         cross join lateral (select acquaintance from pumping_acquaintances k
                              where k.company_id = wanted.company_id and k.app_id = wanted.app_id and k.recipient_hash = wanted.recipient_hash limit 1) k
      ), wanted as (
        select company_id, app_id, row_key from ${place.lookedUp} listed
         union
        select known.company_id, key.app_id, key.row_key
          from known
         cross join lateral (select ${textIn('known.acquaintance', textKeys.range)} as range, ${textIn('known.acquaintance', textKeys.ip)} as ip,
                                    ${textIn('known.acquaintance', textKeys.carrier)} as carrier, ${textIn('known.acquaintance', textKeys.issuer)} as issuer
                             offset 0 /* else each is looked for as often as it is used */) open
         cross join lateral (values ('', 'range:' || range), ('', 'ip:' || ip), ('', 'trial'),
                                    ('', 'carrier:' || carrier), (known.app_id, 'carrier:' || carrier), (known.app_id, issuer),
                                    ('', 'country:' || split_part(carrier, ':', 1)), (known.app_id, 'country:' || split_part(carrier, ':', 1)),
                                    (known.app_id, '${fitRow}')) key (app_id, row_key)
         where known.is_approved and key.row_key is not null
      )
      select 'state' as kind, wanted.company_id, wanted.app_id, wanted.row_key, null::bytea as recipient_hash, s.state as value, null::bigint as at_ms
        from wanted
       cross join lateral (select state from pumping_states s
                            where s.company_id = wanted.company_id and s.app_id = wanted.app_id and s.row_key = wanted.row_key limit 1) s
       union all
      select 'known', company_id, app_id, null, recipient_hash, acquaintance, null from known
       union all
      select 'approval', company_id, app_id, null, recipient_hash, null, (extract(epoch from approved_at) * 1000)::bigint from approval`,
    values: [
      ...app.lookUpValues(
        onceEach<OfApp>(wanted, ({ appId }) => appId),
        held,
      ),
      ...person.lookUpValues(wanted, held),
      ...place.lookUpValues(wantedRowsOf(wanted), held),
    ],
  })
  const rows = new Map<CompanyId, FoundRow[]>(wanted.map(({ companyId }) => [companyId, []]))
  for (const row of found.rows) rows.get(row.company_id)?.push(row)
  return new Map([...rows].map(([companyId, own]) => [companyId, loadedFrom(own, onUnreadable)]))
}

/** A row of one app, or with an empty scope of all apps of the company. */
interface WantedRow {
  readonly companyId: CompanyId
  readonly scope: string
  readonly row: string
}

/** Lists each row once: most people of a batch share their country. */
function wantedRowsOf(wanted: readonly Wanted[]): WantedRow[] {
  const companies = new Map<CompanyId, Map<string, WantedRow>>()
  for (const { companyId, place } of wanted) {
    const rows = companies.get(companyId) ?? new Map<string, WantedRow>()
    companies.set(companyId, rows)
    for (const { scope, row, rowName } of rowsOf(place))
      if (!rows.has(rowName)) rows.set(rowName, { companyId, scope, row })
  }
  return [...companies.values()].flatMap((rows) => [...rows.values()])
}

type FoundRow = {
  company_id: CompanyId
  app_id: string
} & (
  | { kind: 'state'; row_key: string; value: string }
  | { kind: 'known'; recipient_hash: Buffer; value: string }
  | { kind: 'approval'; recipient_hash: Buffer; at_ms: bigint }
)

type OnUnreadable = (error: unknown) => void

const textOf = (hash: Buffer) => hash.toString('base64')

function loadedFrom(found: readonly FoundRow[], onUnreadable: OnUnreadable): Loaded {
  const readable = <Value>(decode: () => Value, nothing: Value): Value => {
    try {
      return decode()
    } catch (error) {
      onUnreadable(error)
      return nothing
    }
  }
  const rows = new Map<string, string>()
  const fits: Loaded['fits'][number][] = []
  const acquaintances: Loaded['acquaintances'][number][] = []
  const approvals: Loaded['approvals'][number][] = []
  for (const row of found) {
    const appId = row.app_id
    if (row.kind === 'approval') {
      approvals.push({ appId, recipient: textOf(row.recipient_hash), atMs: Number(row.at_ms) })
    } else if (row.kind === 'known') {
      const acquaintance = readable(() => decodeAcquaintance(appId, row.value), stranger)
      acquaintances.push({ appId, recipient: textOf(row.recipient_hash), acquaintance, isStored: true })
    } else if (row.row_key === fitRow) {
      fits.push({ appId, fit: readable(() => decodeFit(row.value), noFit) })
    } else {
      rows.set(rowNameOf(appId, row.row_key), row.value)
    }
  }
  return {
    debts: [],
    rows,
    fits,
    acquaintances,
    approvals: approvals.sort((left, right) => left.atMs - right.atMs),
  }
}
