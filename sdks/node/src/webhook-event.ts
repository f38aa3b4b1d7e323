/** The events that a webhook carries, and how their bytes are read. */
import { toCamel, toSnake } from './case.ts'
import { isRecord, recordOf } from './record.ts'

interface Event<Type extends string, Payload> {
  /** The same on every redelivery: remember the ones you have handled. */
  id: string
  type: Type
  payload: Payload
}

export type WebhookEvent =
  | Event<'otp.approved', { otpId: string; status: 'approved' }>
  | Event<'otp.failed', { otpId: string; status: 'failed' }>
  | Event<'delivery.delivered', { otpId: string; deliveryId: string; status: 'delivered' }>
  | Event<'delivery.failed', { otpId: string; deliveryId: string; status: 'failed' }>

/** Undefined if the text is not an event. A type that is newer than this package is let through. */
export function parseEvent(text: string): WebhookEvent | undefined {
  const event = toCamel(parseJson(text))
  return isEvent(event) ? event : undefined
}

export const writeEvent = (event: WebhookEvent): string => JSON.stringify(toSnake(event))

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isEvent(value: unknown): value is WebhookEvent {
  const { id, type, payload } = recordOf(value)
  return typeof id === 'string' && typeof type === 'string' && isRecord(payload)
}
