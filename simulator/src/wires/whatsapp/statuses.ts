import type { Outcome } from '../../behaviour.ts'

type StatusName = 'sent' | 'delivered' | 'read' | 'failed'

export interface SentMessage {
  readonly id: string
  readonly waId: string
  readonly category: 'authentication' | 'service'
  readonly callbackData: string | null
}

const NOT_ON_WHATSAPP = { code: 131026, title: 'Message undeliverable', message: 'Message undeliverable' }
const HELD_BACK = {
  code: 131049,
  title: 'Message held back',
  message: 'The message was not delivered, to keep the ecosystem healthy',
}

const PLANS: Record<Outcome, readonly StatusName[]> = {
  deliver: ['sent', 'delivered', 'read'],
  duplicate: ['read', 'delivered', 'sent', 'delivered', 'read'],
  fail: ['sent', 'failed'],
  unreachable: ['failed'],
  silent: [],
  reject: [],
  error: [],
  throttle: [],
}

/** The statuses that follow an accepted message, as webhooks carry them. */
export function planStatuses(message: SentMessage, outcome: Outcome): (() => Record<string, unknown>)[] {
  return PLANS[outcome].map((status) => () => ({
    id: message.id,
    status,
    timestamp: String(Math.floor(Date.now() / 1_000)),
    recipient_id: message.waId,
    ...(message.callbackData === null ? {} : { biz_opaque_callback_data: message.callbackData }),
    ...(status === 'failed' ? { errors: [failure(outcome)] } : price(message)),
  }))
}

function price(message: SentMessage): Record<string, unknown> {
  const billable = message.category === 'authentication'
  return { pricing: { billable, pricing_model: 'PMP', category: message.category } }
}

function failure(outcome: Outcome): Record<string, unknown> {
  const error = outcome === 'unreachable' ? NOT_ON_WHATSAPP : HELD_BACK
  return { ...error, error_data: { details: 'Simulated by the behaviour set for this person' } }
}
