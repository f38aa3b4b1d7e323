/** The history of debts, for people to read. It is written by a clause of a statement that a batch runs anyway. */
import { heldBulkOf } from '../../../../platform/bulk.ts'
import { type Held, type Tenant, timeNow } from '../../../../platform/database.ts'
import type { AppId, CompanyId } from '../../../../platform/ids.ts'
import { isParent } from '../debt/barrier.ts'
import type { PlaceLevel } from '../levels.ts'
import type { Note } from './notes.ts'

export const slotSeconds = 300
export const historyDays = 7
/** An attack uses few places or very many; of very many, the first few say enough. */
const mostPlaces = 15

export interface WrittenNote extends Note {
  readonly companyId: CompanyId
  /** Sealed, in base64url. */
  readonly label: string
  readonly nowMs: number
}

const slotOf = (nowMs: number) => Math.floor(nowMs / 1_000 / slotSeconds) * slotSeconds

/** The widest places first, then those that held back most. */
export const notesToWrite = (notes: readonly Note[]): Note[] =>
  notes
    .toSorted(
      (one, other) =>
        Number(isParent(other.key.level)) - Number(isParent(one.key.level)) ||
        other.held + other.watched - one.held - one.watched,
    )
    .slice(0, mostPlaces)

/** `first` is the number of the clause's first parameter. */
export function historyClause(first: number) {
  const note = heldBulkOf<WrittenNote>(
    ({ companyId }) => companyId,
    {
      app_id: ['text', (row) => row.appId],
      slot: ['bigint', (row) => slotOf(row.nowMs)],
      place_key: ['text', ({ key }) => `${key.row}/${key.part}`],
      level: ['text', ({ key }) => key.level],
      label: ['text', (row) => row.label],
      debt: ['real', (row) => Math.max(0, row.debt)],
      threshold: ['real', (row) => row.threshold],
      held: ['integer', (row) => row.held],
      watched: ['integer', (row) => row.watched],
      held_micros: ['bigint', (row) => row.heldMicros],
      watched_micros: ['bigint', (row) => row.watchedMicros],
    },
    first,
  )
  const sameSlot = `h.company_id = ${note.company} and h.app_id = row.app_id and h.since = to_timestamp(row.slot)`
  const isWorse = 'excluded.debt * stored.threshold > stored.debt * excluded.threshold'
  const text = `told as (
        insert into pumping_history as stored
               (company_id, app_id, since, place, level, label, debt, threshold, held, watched, held_micros, watched_micros,
                expires_at)
        select ${note.company}, app_id, to_timestamp(slot), place_key, level, label, debt, threshold, held, watched,
               held_micros, watched_micros, to_timestamp(slot) + interval '${historyDays} days'
          from ${note.source}
         where (select count(*) from (select 1 from pumping_history h where ${sameSlot} limit ${mostPlaces}) few) < ${mostPlaces}
            or exists (select 1 from pumping_history h where ${sameSlot} and h.place = row.place_key)
        on conflict (company_id, app_id, since, place) do update
           set debt = case when ${isWorse} then excluded.debt else stored.debt end,
               threshold = case when ${isWorse} then excluded.threshold else stored.threshold end,
               held = stored.held + excluded.held, watched = stored.watched + excluded.watched,
               held_micros = stored.held_micros + excluded.held_micros,
               watched_micros = stored.watched_micros + excluded.watched_micros
      ), `
  return { text, values: (notes: readonly WrittenNote[], held: Held) => note.values(notes, held) }
}

/** One place at one step of time. */
export interface HistoryStep {
  readonly place: string
  readonly level: PlaceLevel
  readonly label: string
  readonly at: Date
  readonly debt: number
  readonly threshold: number
  readonly held: number
  readonly watched: number
  readonly heldMicros: bigint
  readonly watchedMicros: bigint
}

interface HistoryRow extends Omit<HistoryStep, 'heldMicros' | 'watchedMicros'> {
  readonly held_micros: bigint
  readonly watched_micros: bigint
}

const stepOf = ({ held_micros, watched_micros, ...row }: HistoryRow): HistoryStep => ({
  ...row,
  heldMicros: held_micros,
  watchedMicros: watched_micros,
})

/** How many places people are shown. */
const mostShown = 12

/** Reads the places that held back most, then those that owed most. Each step shows its worst moment. */
export async function readHistory(
  tenant: Tenant,
  appId: AppId,
  {
    fromMs,
    toMs,
    stepSeconds,
  }: { readonly fromMs: number; readonly toMs: number; readonly stepSeconds: number },
): Promise<HistoryStep[]> {
  const found = await tenant.query<HistoryRow>({
    // Arrays compare by their first element, so `max` finds the worst moment without sorting a group.
    text: `
      with stepped as materialized (
        select place, date_bin($5 * interval '1 second', since, '2000-01-01Z') as at, max(since) as last,
               max(array[debt / threshold, debt, threshold]) as worst, sum(held)::integer as held, sum(watched)::integer as watched,
               sum(held_micros)::bigint as held_micros, sum(watched_micros)::bigint as watched_micros
          from pumping_history where company_id = $1 and app_id = $2 and since >= $3 and since < $4 group by 1, 2
      ), shown as (
        select place, max(last) as last from stepped group by place
         order by sum(held + watched) desc, max(worst[1]) desc, place limit ${mostShown}
      ), named as materialized ( /* Before the join: else a table without statistics is compared row by row. */
        select shown.place, n.level, n.label from shown
         cross join lateral (select level, label from pumping_history h
                              where h.company_id = $1 and h.app_id = $2 and h.since = shown.last and h.place = shown.place limit 1) n
      )
      select place, level, label, at, worst[2] as debt, worst[3] as threshold, held, watched, held_micros, watched_micros
        from stepped join named using (place)
       order by place, at`,
    values: [appId, new Date(fromMs), new Date(toMs), stepSeconds],
  })
  return found.rows.map(stepOf)
}

export async function readClock(tenant: Tenant): Promise<number> {
  const found = await tenant.query<{ now_ms: bigint }>({
    text: `select (extract(epoch from ${timeNow}) * 1000)::bigint as now_ms from companies where company_id = $1`,
  })
  return Number(found.rows[0]?.now_ms ?? 0)
}
