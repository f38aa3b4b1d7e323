/** Writes deliveries that a provider took, that have to wait, or that have arrived. */
import { bulkOf } from '../../platform/bulk.ts'
import type { Queryable } from '../../platform/database.ts'
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
  type Named,
  nameColumns,
  queued,
  queuedOrSent,
  type SizedTable,
} from './finish-statement.ts'

export interface Sent extends Finish {
  readonly providerId: string
  readonly message: { readonly sealedId: Buffer; readonly hash: Buffer } | null
  /** The text with the code masked; null if it is not known, or is the provider's own. */
  readonly sentText: string | null
  readonly entryId: string
}

export interface Postponed extends Finish {
  readonly providerId: string
  readonly afterSeconds: number
}

export interface Delivered extends Named {
  readonly entryId: string
  readonly event: NewEvent
}

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

/** Counts even when it comes late: whoever holds the delivery by now must not hand the message over again. */
export const markSent = (queryable: Queryable, into: SizedTable, rows: readonly Sent[]) =>
  finish(queryable, into, rows, {
    name: 'mark-sent',
    isOpen: queued,
    values: sentRows.values(rows),
    text: `
      /* every company: what their accounts have taken, written together */
      with ${locked(into.table, sentRows, queued)}, done as (
        update ${into.table} d
           set status = 'sent', charge = 'captured', provider_id = target.provider_id,
               -- Already empty if the person was erased meanwhile, and stays so: the id may contain their number.
               message_id = coalesce(d.message_id, target.message_id),
               message_hash = target.message_hash, sent_text = target.sent_text, error_code = target.error_code, error_message = target.error_message,
               sent_at = clock_timestamp(), ${asked}, ${endsLease}
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

export const postpone = (queryable: Queryable, into: SizedTable, rows: readonly Postponed[]) =>
  finish(queryable, into, rows, {
    name: 'postpone',
    isOpen: queued,
    values: postponedRows.values(rows),
    text: `
      /* every company: what their accounts could not take, written together */
      with ${locked(into.table, postponedRows, queued)}, done as (
        update ${into.table} d
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

/** Applies the receipt of an arrival, which may come before the service has written that the message was sent. */
export const deliverByReceipt = (queryable: Queryable, into: SizedTable, rows: readonly Delivered[]) =>
  finish(queryable, into, rows, {
    name: 'deliver-by-receipt',
    isOpen: queuedOrSent,
    values: deliveredRows.values(rows),
    text: `
      /* every company: what providers said of their messages, written together */
      with ${locked(into.table, deliveredRows, queuedOrSent)}, done as (
        update ${into.table} d
           set status = 'delivered', charge = 'captured', error_code = null, error_message = null,
               event_id = target.event_id, ${endsLease}
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
