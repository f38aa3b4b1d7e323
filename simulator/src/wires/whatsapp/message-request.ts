import { isRecord } from '../../http/fields.ts'
import { findPhone } from '../../recipient.ts'
import { type GraphError, graphError } from './graph-error.ts'
import { readTemplateCode } from './template.ts'

export interface MessageRequest {
  readonly to: string
  readonly kind: 'template' | 'text'
  readonly text: string
  /** Returned unchanged with every status. */
  readonly callbackData: string | null
}

const MAX_TEXT_CHARACTERS = 4_096

export function parseMessageRequest(body: unknown): MessageRequest | GraphError {
  if (!isRecord(body) || body.messaging_product !== 'whatsapp') {
    return graphError(400, 100, 'Invalid parameter', 'messaging_product must be whatsapp')
  }
  const to = typeof body.to === 'string' ? findPhone(body.to) : null
  if (to === null) return graphError(400, 131009, 'Parameter value is not valid', 'to is not a phone number')
  const callbackData =
    typeof body.biz_opaque_callback_data === 'string' ? body.biz_opaque_callback_data : null
  if (body.type === 'template') {
    const code = readTemplateCode(body.template)
    if (typeof code !== 'string') return code
    const text = `${code} is your verification code. Keep it to yourself: nobody should ever ask you for it.`
    return { to, kind: 'template', text, callbackData }
  }
  if (body.type === 'text') {
    const text = isRecord(body.text) ? body.text.body : undefined
    if (typeof text !== 'string' || text === '' || text.length > MAX_TEXT_CHARACTERS) {
      return graphError(
        400,
        131009,
        'Parameter value is not valid',
        'text.body must have 1 to 4096 characters',
      )
    }
    return { to, kind: 'text', text, callbackData }
  }
  return graphError(400, 131009, 'Parameter value is not valid', 'type must be template or text')
}
