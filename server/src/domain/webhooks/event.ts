/** An event is made with the change it reports, in the same commit; its bytes never change again. */
import type { WebhookEvent } from '@countersign/contract'
import { newId } from '../../platform/ids.ts'
import type { Source } from '../../platform/source.ts'

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

/** Both endings of a verification, before it is known which: only one of them comes to be. */
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

/** SQL for the statement that inserts an event: where its app has no endpoint, nothing has to be sent. */
export const initialStatus = ({ column }: Source<'company_id' | 'app_id'>) =>
  `case when exists (select 1 from webhook_endpoints w where w.company_id = ${column('company_id')} and w.app_id = ${column('app_id')}) then 'waiting' else 'skipped' end`
