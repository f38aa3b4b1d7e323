/** Writes deliveries that have failed. */
import type { ProviderError } from '../../channels/channel.ts'
import { bulkOf } from '../../platform/bulk.ts'
import { type Queryable, timeNow, unlessBroken } from '../../platform/database.ts'
import { returnedSpend } from '../billing/index.ts'
import { insertEvents, type NewEvent } from '../webhooks/index.ts'
import {
  asked,
  done,
  endsLease,
  type Finish,
  finish,
  finishColumns,
  isTarget,
  locked,
  nameColumns,
  queued,
  queuedOrSent,
  type SizedTable,
} from './finish-statement.ts'

export interface Failed extends Finish {
  readonly error: ProviderError
  readonly isUnreachable: boolean
  readonly entryId: string
  readonly event: NewEvent
}

export type FailedByReceipt = Omit<Failed, 'attempt' | 'further' | 'tried'>

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

/** Returns money, makes events and remembers unreachable people, all in the commit that fails the deliveries. */
const failure = (
  table: string,
  target: string,
  assignments: string,
  condition: string,
  isCounted: boolean,
) => `
  with ${target}, done as (
    update ${table} d
       set status = 'failed', charge = 'returned', error_code = target.error_code,
           event_id = target.event_id, ${assignments}${endsLease}
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

/** That the code expired does not say why nobody took the message until then: the last try does. */
const saysWhy = `error_message = target.error_message
             || case when target.error_code = 'expired' then coalesce(' The last problem: ' || d.error_message, '') else '' end`

/** All rows are of one company, and no two of one verification: each returns money to both. */
export const markFailed = (queryable: Queryable, into: SizedTable, rows: readonly Failed[]) =>
  unlessBroken((isCounted) =>
    finish(queryable, into, rows, {
      name: isCounted ? 'mark-failed' : 'mark-failed-uncounted',
      isOpen: queued,
      companyId: rows[0]?.companyId,
      values: failedRows.values(rows),
      text: failure(
        into.table,
        locked(into.table, failedRows, `d.company_id = $1 and ${queued}`),
        `${saysWhy}, ${asked}, `,
        'd.attempt = target.attempt',
        isCounted,
      ),
    }),
  )

/** Applies the receipt of a failure, which may come before the service has written that the message was sent. */
export const failByReceipt = (queryable: Queryable, into: SizedTable, rows: readonly FailedByReceipt[]) =>
  unlessBroken((isCounted) =>
    finish(queryable, into, rows, {
      name: isCounted ? 'fail-by-receipt' : 'fail-by-receipt-uncounted',
      isOpen: queuedOrSent,
      companyId: rows[0]?.companyId,
      values: failedByReceiptRows.values(rows),
      text: failure(
        into.table,
        locked(into.table, failedByReceiptRows, `d.company_id = $1 and ${queuedOrSent}`),
        'error_message = target.error_message, ',
        'true',
        isCounted,
      ),
    }),
  )
