/** An event is stored in the same commit as the change that it reports; its bytes never change again. */
import type { EventType, WebhookEvent } from '@countersign/contract'
import { newId } from '../../platform/ids.ts'
import type { Source } from '../../platform/source.ts'
import { endpointsOfApp } from '../tenancy/index.ts'

export interface NewEvent {
  readonly eventId: string
  readonly body: string
}

type OtpEvent = Extract<WebhookEvent, { type: `otp.${string}` }>
type DeliveryEvent = Extract<WebhookEvent, { type: `delivery.${string}` }>

const make = (event: (id: string) => WebhookEvent, nowMs: number): NewEvent => {
  const eventId = newId('event', nowMs)
  return { eventId, body: JSON.stringify(event(eventId)) }
}

/** The events for both endings of a verification, made before it is known which one happens. */
export interface OtpEvents {
  readonly eventId: string
  readonly approvedBody: string
  readonly failedBody: string
}

export function otpEvents(otpId: string, nowMs: number): OtpEvents {
  const eventId = newId('event', nowMs)
  return {
    eventId,
    approvedBody: JSON.stringify(otpEventOf('approved', otpId, eventId)),
    failedBody: JSON.stringify(otpEventOf('failed', otpId, eventId)),
  }
}

const otpEventOf = (status: OtpEvent['payload']['status'], otpId: string, id: string): OtpEvent =>
  status === 'approved'
    ? { id, type: 'otp.approved', payload: { otp_id: otpId, status } }
    : { id, type: 'otp.failed', payload: { otp_id: otpId, status } }

export function otpEvent(status: OtpEvent['payload']['status'], otpId: string, nowMs: number): NewEvent {
  return make((id) => otpEventOf(status, otpId, id), nowMs)
}

export function deliveryEvent(
  status: DeliveryEvent['payload']['status'],
  otpId: string,
  deliveryId: string,
  nowMs: number,
): NewEvent {
  const ids = { otp_id: otpId, delivery_id: deliveryId }
  return status === 'delivered'
    ? make((id) => ({ id, type: 'delivery.delivered', payload: { ...ids, status } }), nowMs)
    : make((id) => ({ id, type: 'delivery.failed', payload: { ...ids, status } }), nowMs)
}

interface Inserted {
  readonly type: EventType
  /** The names of the columns with the id and the body of the event. */
  readonly eventId?: string
  readonly body: string
  readonly ofDelivery?: boolean
  /** A condition for the rows that have an event. */
  readonly where?: string
}

/**
 * SQL that inserts the events of a CTE's rows, in the commit of the change that they report: one row for each endpoint
 * that takes the type, or a single skipped one if none does. The limit makes PostgreSQL look endpoints up app by app.
 */
export const insertEvents = (
  { name, column }: Source<'company_id' | 'app_id' | 'otp_id'>,
  { type, eventId = 'event_id', body, ofDelivery = false, where = 'true' }: Inserted,
) => `
  insert into events (company_id, app_id, event_id, endpoint_id, type, otp_id, ${ofDelivery ? 'delivery_id, ' : ''}body, status)
  select ${column('company_id')}, ${column('app_id')}, ${eventId}, coalesce(taker.endpoint_id, ''), '${type}', ${column('otp_id')}, ${ofDelivery ? 'delivery_id, ' : ''}${body},
         case when taker.endpoint_id is null then 'skipped' else 'waiting' end
    from ${name}
    left join lateral (
         select w.endpoint_id from webhook_endpoints w
          where w.company_id = ${column('company_id')} and w.app_id = ${column('app_id')} and (w.types is null or '${type}' = any(w.types))
          limit ${endpointsOfApp.most}) taker on true
   where ${where}`
