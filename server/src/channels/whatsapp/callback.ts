import { createHmac } from 'node:crypto'
import type { CallbackRequest, CallbackResult, InboundMessage, Receipt } from '../channel.ts'
import { equalsInConstantTime } from '../constant-time.ts'
import { parseJson } from '../http-outcome.ts'
import { providerError } from '../provider-error.ts'
import { isUnreachable } from './errors.ts'
import type { WhatsappSettings } from './settings.ts'
import { readNotification, type WhatsappMessage, type WhatsappStatus } from './webhook.ts'

const WHATSAPP_NUMBER = /^\+?([1-9]\d{4,14})$/

export function parseCallback(settings: WhatsappSettings, request: CallbackRequest): CallbackResult {
  if (request.method === 'GET') return answerHandshake(settings, request)
  const mac = createHmac('sha256', settings.app_secret).update(request.body).digest('hex')
  if (!equalsInConstantTime(`sha256=${mac}`, request.headers['x-hub-signature-256'] ?? '')) {
    return { kind: 'rejected', reason: 'signature' }
  }
  const notification = readNotification(readBody(request.body), settings.phone_number_id)
  if (notification === null) return { kind: 'rejected', reason: 'malformed' }
  return {
    kind: 'accepted',
    receipts: notification.statuses.flatMap((status) => readReceipt(status) ?? []),
    inbound: notification.messages.flatMap((message) => readInbound(message) ?? []),
    isShared: notification.isShared,
  }
}

/** A callback for one number is passed to the accounts of all numbers of the app, and may be large: parsed once. */
const bodies = new WeakMap<Buffer, { readonly parsed: unknown }>()

function readBody(body: Buffer): unknown {
  const { parsed } = bodies.get(body) ?? { parsed: parseJson(body) }
  bodies.set(body, { parsed })
  return parsed
}

function answerHandshake(settings: WhatsappSettings, request: CallbackRequest): CallbackResult {
  const isOurs = equalsInConstantTime(request.query['hub.verify_token'] ?? '', settings.verify_token)
  const challenge = request.query['hub.challenge']
  if (!isOurs || request.query['hub.mode'] !== 'subscribe' || challenge === undefined) {
    return { kind: 'rejected', reason: 'handshake' }
  }
  return { kind: 'challenge', body: challenge }
}

function readReceipt(status: WhatsappStatus): Receipt | null {
  const names = { deliveryId: status.biz_opaque_callback_data || null, messageId: status.id }
  // A phone that shows the chat at once may send only `read`.
  if (status.status === 'delivered' || status.status === 'read') {
    return { ...names, status: 'delivered', error: null, unreachable: false }
  }
  if (status.status !== 'failed') return null
  const errors = status.errors?.filter((error) => error !== undefined) ?? []
  // Of several errors, the one with a consequence counts.
  const reported = errors.find(({ code }) => isUnreachable(code)) ?? errors[0]
  const error = providerError(
    reported?.code ?? 'failed',
    reported?.title ?? reported?.message ?? 'Not delivered.',
  )
  return {
    ...names,
    status: 'failed',
    error,
    unreachable: reported !== undefined && isUnreachable(reported.code),
  }
}

function readInbound(message: WhatsappMessage): InboundMessage | null {
  const text = textOf(message)
  if (text === null) return null
  const digits = WHATSAPP_NUMBER.exec(message.from ?? '')?.[1]
  return { messageId: message.id, from: digits === undefined ? null : `+${digits}`, text }
}

function textOf(message: WhatsappMessage): string | null {
  switch (message.type) {
    case 'text':
      return message.text?.body ?? null
    case 'button':
      return message.button?.text ?? null
    case 'interactive':
      return message.interactive?.button_reply?.title ?? message.interactive?.list_reply?.title ?? null
    default:
      return null
  }
}
