import type { CallbackRequest, CallbackResult, Receipt } from '../channel.ts'
import { providerError } from '../provider-error.ts'
import { FAILED, isUnreachable } from './errors.ts'
import type { TwilioSettings } from './settings.ts'
import { type FormFields, isSignedBody, isSignedForm, parseForm } from './signature.ts'

const DELIVERED = new Set(['delivered', 'read'])
const NOTHING: CallbackResult = { kind: 'accepted', receipts: [], inbound: [] }

export function parseCallback(settings: TwilioSettings, request: CallbackRequest): CallbackResult {
  if (request.method !== 'POST') return { kind: 'rejected', reason: 'method' }
  const signature = request.headers['x-twilio-signature'] ?? ''
  if (request.query.bodySHA256 !== undefined) {
    // Status callbacks are forms; any other signed body is from Twilio, but contains nothing for us.
    if (isSignedBody(settings.auth_token, signature, request.url, request.body)) return NOTHING
    return { kind: 'rejected', reason: 'signature' }
  }
  const fields = parseForm(request.body)
  if (fields === null) return { kind: 'rejected', reason: 'too long' }
  if (!isSignedForm(settings.auth_token, signature, request.url, fields)) {
    return { kind: 'rejected', reason: 'signature' }
  }
  const receipt = readReceipt(fields, request.query.delivery ?? null)
  return receipt === null ? NOTHING : { kind: 'accepted', receipts: [receipt], inbound: [] }
}

function readReceipt(fields: FormFields, deliveryId: string | null): Receipt | null {
  const field = (name: string): string | null => fields.get(name)?.[0] ?? null
  const messageId = field('MessageSid') ?? field('SmsSid')
  const status = field('MessageStatus') ?? field('SmsStatus') ?? ''
  if (messageId === null && deliveryId === null) return null
  if (DELIVERED.has(status))
    return { deliveryId, messageId, status: 'delivered', error: null, unreachable: false }
  if (!FAILED.has(status)) return null
  const code = field('ErrorCode')
  const error = providerError(code ?? status, `Twilio reports the message as ${status}.`)
  return { deliveryId, messageId, status: 'failed', error, unreachable: isUnreachable(Number(code)) }
}
