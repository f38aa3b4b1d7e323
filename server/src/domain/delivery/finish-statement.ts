/**
 * Writes the outcomes of many deliveries in one statement. A row that somebody else has locked is left out and
 * reported, so that the others do not wait for it. Each row is judged by itself: a failure or a pause counts only for
 * the attempt that it was taken with; that a provider took the message, or may have, counts whichever worker holds it
 * by now.
 *
 * A statement names the partition of the day (`partitionOf`). It is prepared, since planning takes as long as writing
 * twenty rows, and prepared again as the table grows (`SizedTable`): a plan for a small table would read a large one whole.
 */
import type { ProviderError } from '../../channels/channel.ts'
import { type Bulk, bulkOf } from '../../platform/bulk.ts'
import type { Queryable } from '../../platform/database.ts'
import type { AppId, CompanyId, OtpId } from '../../platform/ids.ts'
import { sourceOf } from '../../platform/source.ts'

export interface Named {
  readonly companyId: CompanyId
  readonly appId: AppId
  readonly deliveryId: string
  readonly otpId: OtpId
}

/** An outcome that counts only for the attempt that the delivery was taken with. */
export interface Finish extends Named {
  readonly attempt: number
  /** How many more attempts there were since then, because other accounts were asked too. */
  readonly further: number
  /** Accounts that will not be asked again; null if there are no new ones. */
  readonly tried: readonly string[] | null
  readonly error: ProviderError | null
}

export const nameColumns = {
  company_id: ['text', (row: Named) => row.companyId],
  app_id: ['text', (row: Named) => row.appId],
  delivery_id: ['text', (row: Named) => row.deliveryId],
  otp_id: ['text', (row: Named) => row.otpId],
} as const
export const finishColumns = {
  ...nameColumns,
  attempt: ['integer', (row: Finish) => row.attempt],
  further: ['integer', (row: Finish) => row.further],
  tried: ['text', (row: Finish) => row.tried && JSON.stringify(row.tried)],
  error_code: ['text', (row: Finish) => row.error?.code ?? null],
  error_message: ['text', (row: Finish) => row.error?.message ?? null],
} as const

export const queued = `d.status = 'queued'`
export const queuedOrSent = `d.status in ('queued', 'sent')`

/** The table that rows are written to. */
export interface SizedTable {
  readonly table: string
  /** Changes as the table grows, and with it the name of the prepared statement. */
  readonly size: number
}

interface Finishing {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
  /** SQL for the state that a delivery must be in to be written. */
  readonly isOpen: string
  /** Set if all rows of the statement are of one company. */
  readonly companyId?: CompanyId | undefined
}

const names = bulkOf<Named>(nameColumns, 1)

/** Returns the ids of rows that somebody else has locked. A row that is no longer open was decided before. */
export async function finish(
  queryable: Queryable,
  { table, size }: SizedTable,
  rows: readonly Named[],
  { name, text, values, isOpen, companyId }: Finishing,
): Promise<ReadonlySet<string>> {
  const { query } = companyId ? queryable.of(companyId) : queryable
  const reached = await query<{ delivery_id: string }>({ name: `${name} ${table} ${size}`, text, values })
  if (reached.rows.length === rows.length) return none
  const ids = new Set(reached.rows.map((row) => row.delivery_id))
  const left = await queryable.query<{ delivery_id: string }>({
    text: `/* every company: rows of a batch that it did not reach */
           select d.delivery_id from ${names.lookedUp}
             join ${table} d on ${isRow('row')}
            where ${isOpen}`,
    values: names.values(rows.filter(({ deliveryId }) => !ids.has(deliveryId))),
  })
  return new Set(left.rows.map((row) => row.delivery_id))
}
const none: ReadonlySet<string> = new Set()

/** Compares the whole key: without the verification, PostgreSQL may scan the index by verifications. */
const isRow = (row: string) =>
  `d.company_id = ${row}.company_id and d.app_id = ${row}.app_id and d.otp_id = ${row}.otp_id and d.delivery_id = ${row}.delivery_id`

/** Two CTEs: `row` has the rows of the call, and `target` those of them that exist and are not locked. */
export const locked = (
  table: string,
  { lookedUp, names }: Pick<Bulk<never>, 'lookedUp' | 'names'>,
  condition: string,
) => `
  row as materialized (
    select ${names} from ${lookedUp}
  ), target as (
    select row.*, d.charge as charge_before
      from row join ${table} d on ${isRow('row')}
     where ${condition} for update of d skip locked
  )`
export const isTarget = isRow('target')
/** Counts the accounts that were asked since the delivery was taken. */
export const asked = `attempt = d.attempt + target.further,
               tried = case when target.tried is null then d.tried else array(select json_array_elements_text(target.tried::json)) end`
/** Nobody holds the delivery and nothing is left to try: it leaves the indexes of waiting and of held deliveries. */
export const endsLease = 'held_by = null, next_attempt_at = null, updated_at = clock_timestamp()'

export const done = sourceOf('done', [
  'company_id',
  'app_id',
  'otp_id',
  'delivery_id',
  'spend_micros',
  'created_at',
])
