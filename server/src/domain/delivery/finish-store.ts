/**
 * What became of deliveries, many in one statement. A row that somebody else has locked is left out and said to be,
 * so that it keeps none of the others waiting. Each row is judged for itself: a failure or a pause is good only for
 * the attempt that it was taken with; that a provider took the message, or may have, is good whoever has it by now.
 *
 * A statement names the partition of the day (`partitionOf`). It is prepared, since to plan it takes as long as to write
 * twenty rows, and prepared anew as the table grows (`Place`): a plan from when it was small would read it whole.
 */
import type { ProviderError } from '../../channels/channel.ts'
import { type Bulk, bulkOf } from '../../platform/bulk.ts'
import { type Queryable, timeNow, unlessBroken } from '../../platform/database.ts'
import type { AppId, CompanyId, OtpId } from '../../platform/ids.ts'
import { sourceOf } from '../../platform/source.ts'
import { returnedSpend } from '../billing/index.ts'
import { insertEvents, type NewEvent } from '../webhooks/index.ts'

export interface Named {
  readonly companyId: CompanyId
  readonly appId: AppId
  readonly deliveryId: string
  readonly otpId: OtpId
}

/** Good only for the attempt that it was taken with. */
export interface Finish extends Named {
  readonly attempt: number
  /** Attempts since then: other accounts were asked too. */
  readonly further: number
  /** Accounts that will not be asked again; null where there are no new ones. */
  readonly tried: readonly string[] | null
  readonly error: ProviderError | null
}

export interface Sent extends Finish {
  readonly providerId: string
  readonly message: { readonly sealedId: Buffer; readonly hash: Buffer } | null
  /** With the code masked; null where it is not known, or not ours. */
  readonly sentText: string | null
  readonly entryId: string
}

export interface Postponed extends Finish {
  readonly providerId: string
  readonly afterSeconds: number
}

export interface Failed extends Finish {
  readonly error: ProviderError
  readonly isUnreachable: boolean
  readonly entryId: string
  readonly event: NewEvent
}

export interface Delivered extends Named {
  readonly entryId: string
  readonly event: NewEvent
}

export type FailedByReceipt = Omit<Failed, 'attempt' | 'further' | 'tried'>

const nameColumns = {
  company_id: ['text', (row: Named) => row.companyId],
  app_id: ['text', (row: Named) => row.appId],
  delivery_id: ['text', (row: Named) => row.deliveryId],
  otp_id: ['text', (row: Named) => row.otpId],
} as const
const finishColumns = {
  ...nameColumns,
  attempt: ['integer', (row: Finish) => row.attempt],
  further: ['integer', (row: Finish) => row.further],
  tried: ['text', (row: Finish) => row.tried && JSON.stringify(row.tried)],
  error_code: ['text', (row: Finish) => row.error?.code ?? null],
  error_message: ['text', (row: Finish) => row.error?.message ?? null],
} as const

const queued = `d.status = 'queued'`
const queuedOrSent = `d.status in ('queued', 'sent')`

/** Where rows are written. */
export interface Place {
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
  /** Set where all rows of the statement are of one company. */
  readonly companyId?: CompanyId | undefined
}

const names = bulkOf<Named>(nameColumns, 1)

/** Those that somebody else has locked. A row that is not open any more has been decided, and that stands. */
async function finish(
  queryable: Queryable,
  { table, size }: Place,
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

/** With the verification: by the company, the app and the delivery alone, PostgreSQL may walk the index of verifications. */
const isRow = (row: string) =>
  `d.company_id = ${row}.company_id and d.app_id = ${row}.app_id and d.otp_id = ${row}.otp_id and d.delivery_id = ${row}.delivery_id`

/** The rows of the call as `row`, and of them those that are there and not locked, as `target`. */
const locked = (
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
const isTarget = isRow('target')
/** Counts what was asked since the delivery was taken. */
const asked = `attempt = d.attempt + target.further,
               tried = case when target.tried is null then d.tried else array(select json_array_elements_text(target.tried::json)) end`
/** Nobody holds it and nothing is to be tried: it leaves the indexes of what waits and what is held. */
const isOver = 'held_by = null, next_attempt_at = null, updated_at = clock_timestamp()'

const sentRows = bulkOf<Sent>(
  {
    ...finishColumns,
    provider_id: ['text', (row) => row.providerId],
    message_id: ['bytea', (row) => row.message?.sealedId ?? null],
    message_hash: ['bytea', (row) => row.message?.hash ?? null],
    sent_text: ['text', (row) => row.sentText],
    entry_id: ['text', (row) => row.entryId],
  },
  1,
)

/** A late word counts too: what a provider has taken is not handed over again, whoever holds it by now. */
export const markSent = (queryable: Queryable, place: Place, rows: readonly Sent[]) =>
  finish(queryable, place, rows, {
    name: 'mark-sent',
    isOpen: queued,
    values: sentRows.values(rows),
    text: `
      /* every company: what their accounts have taken, written together */
      with ${locked(place.table, sentRows, queued)}, done as (
        update ${place.table} d
           set status = 'sent', charge = 'captured', provider_id = target.provider_id, message_id = target.message_id,
               message_hash = target.message_hash, sent_text = target.sent_text, error_code = target.error_code, error_message = target.error_message,
               sent_at = clock_timestamp(), ${asked}, ${isOver}
          from target where ${isTarget} and d.attempt >= target.attempt
        returning d.company_id, d.otp_id, d.delivery_id, d.price_micros, target.entry_id
      ), entry as (
        insert into ledger (company_id, entry_id, kind, amount_micros, otp_id, delivery_id)
        select company_id, entry_id, 'capture', 0, otp_id, delivery_id from done where price_micros > 0
      )
      select delivery_id from target`,
  })

const postponedRows = bulkOf<Postponed>(
  {
    ...finishColumns,
    provider_id: ['text', (row) => row.providerId],
    after_s: ['float8', (row) => row.afterSeconds],
  },
  1,
)

export const postpone = (queryable: Queryable, place: Place, rows: readonly Postponed[]) =>
  finish(queryable, place, rows, {
    name: 'postpone',
    isOpen: queued,
    values: postponedRows.values(rows),
    text: `
      /* every company: what their accounts could not take, written together */
      with ${locked(place.table, postponedRows, queued)}, done as (
        update ${place.table} d
           set next_attempt_at = least(clock_timestamp() + target.after_s * interval '1 second', d.give_up_at),
               provider_id = target.provider_id, error_code = target.error_code, error_message = target.error_message,
               held_by = null, updated_at = clock_timestamp(), ${asked}
          from target where ${isTarget} and d.attempt = target.attempt
      )
      select delivery_id from target`,
  })

const deliveredRows = bulkOf<Delivered>(
  {
    ...nameColumns,
    entry_id: ['text', (row) => row.entryId],
    event_id: ['text', (row) => row.event.eventId],
    body: ['text', (row) => row.event.body],
  },
  1,
)

const done = sourceOf('done', ['company_id', 'app_id', 'otp_id', 'delivery_id', 'spend_micros', 'created_at'])

/** A receipt: also before our own write of the acceptance. */
export const deliverByReceipt = (queryable: Queryable, place: Place, rows: readonly Delivered[]) =>
  finish(queryable, place, rows, {
    name: 'deliver-by-receipt',
    isOpen: queuedOrSent,
    values: deliveredRows.values(rows),
    text: `
      /* every company: what providers said of their messages, written together */
      with ${locked(place.table, deliveredRows, queuedOrSent)}, done as (
        update ${place.table} d
           set status = 'delivered', charge = 'captured', error_code = null, error_message = null,
               event_id = target.event_id, ${isOver}
          from target where ${isTarget}
        returning d.company_id, d.app_id, d.otp_id, d.delivery_id, d.price_micros,
                  target.charge_before, target.entry_id, target.event_id, target.body
      ), entry as (
        insert into ledger (company_id, entry_id, kind, amount_micros, otp_id, delivery_id)
        select company_id, entry_id, 'capture', 0, otp_id, delivery_id
          from done where price_micros > 0 and charge_before = 'reserved'
      ), event as (${insertEvents(done, { type: 'delivery.delivered', body: 'body', ofDelivery: true })}
      )
      select delivery_id from target`,
  })

const daysUnreachable = 30

const failedColumns = {
  entry_id: ['text', (row: FailedByReceipt) => row.entryId],
  event_id: ['text', (row: FailedByReceipt) => row.event.eventId],
  body: ['text', (row: FailedByReceipt) => row.event.body],
  is_unreachable: ['boolean', (row: FailedByReceipt) => row.isUnreachable],
} as const
const failedRows = bulkOf<Failed>({ ...finishColumns, ...failedColumns }, 2)
const failedByReceiptRows = bulkOf<FailedByReceipt>(
  {
    ...nameColumns,
    error_code: ['text', (row) => row.error.code],
    error_message: ['text', (row) => row.error.message],
    ...failedColumns,
  },
  2,
)

/** Money back, events, and memory of unreachable people: all in the commit that fails the deliveries. */
const failure = (table: string, target: string, own: string, condition: string, isCounted: boolean) => `
  with ${target}, done as (
    update ${table} d
       set status = 'failed', charge = 'returned', error_code = target.error_code, error_message = target.error_message,
           event_id = target.event_id, ${own}${isOver}
      from target where d.company_id = $1 and ${isTarget} and ${condition}
    returning d.company_id, d.app_id, d.otp_id, d.delivery_id, d.channel, d.price_micros, d.spend_micros, d.created_at,
              target.entry_id, target.event_id, target.body, target.is_unreachable
  ), balance as (
    update companies c set balance_micros = c.balance_micros + total.micros
      from (select sum(price_micros)::bigint as micros from done) total where c.company_id = $1 and total.micros > 0
    returning c.company_id
  ), ${isCounted ? `${returnedSpend(done, 'balance')},` : ''} entry as (
    insert into ledger (company_id, entry_id, kind, amount_micros, otp_id, delivery_id)
    select company_id, entry_id, 'return', price_micros, otp_id, delivery_id from done where price_micros > 0
  ), event as (${insertEvents(done, { type: 'delivery.failed', body: 'body', ofDelivery: true })}
  ), memory as (
    insert into unreachable as u (company_id, app_id, recipient_hash, channel, expires_at)
    select distinct v.company_id, v.app_id, v.recipient_hash, done.channel, ${timeNow} + ${daysUnreachable} * interval '1 day'
      from done join verifications v on v.company_id = done.company_id and v.app_id = done.app_id and v.otp_id = done.otp_id
     where done.is_unreachable and v.recipient_hash is not null
    on conflict (company_id, app_id, recipient_hash, channel) do update set expires_at = excluded.expires_at
  )
  select delivery_id from target`

/** Of one company, and no two of one verification: each returns money to both. */
export const markFailed = (queryable: Queryable, place: Place, rows: readonly Failed[]) =>
  unlessBroken((isCounted) =>
    finish(queryable, place, rows, {
      name: isCounted ? 'mark-failed' : 'mark-failed-uncounted',
      isOpen: queued,
      companyId: rows[0]?.companyId,
      values: failedRows.values(rows),
      text: failure(
        place.table,
        locked(place.table, failedRows, `d.company_id = $1 and ${queued}`),
        `${asked}, `,
        'd.attempt = target.attempt',
        isCounted,
      ),
    }),
  )

/** A failure receipt: also before our own write of the acceptance. */
export const failByReceipt = (queryable: Queryable, place: Place, rows: readonly FailedByReceipt[]) =>
  unlessBroken((isCounted) =>
    finish(queryable, place, rows, {
      name: isCounted ? 'fail-by-receipt' : 'fail-by-receipt-uncounted',
      isOpen: queuedOrSent,
      companyId: rows[0]?.companyId,
      values: failedByReceiptRows.values(rows),
      text: failure(
        place.table,
        locked(place.table, failedByReceiptRows, `d.company_id = $1 and ${queuedOrSent}`),
        '',
        'true',
        isCounted,
      ),
    }),
  )
