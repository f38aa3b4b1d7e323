import type { Preset } from '../preset.ts'

/** The gateway that the simulator plays, to try this kind without an account anywhere. */
export const simulator: Preset = {
  label: 'Gateway of the simulator',
  asks: { secret: 'Any key' },
  settings: {
    base_url: 'http://127.0.0.1:3001',
    path: '/gateway/messages',
    auth: 'bearer',
    from: 'Countersign',
    body: '{"to": "{to}", "from": "{from}", "text": "{text}", "reference": "{delivery_id}", "callback_url": "{callback_url}"}',
    message_id_at: ['/id'],
    code_at: ['/error/code'],
    codes: { unreachable: 'unreachable', rejected: 'refused', key: 'broken' },
    error_at: ['/error/message'],
    receipts: 'path',
    receipt_header: 'X-Signature',
    receipt_id_at: ['/id'],
    receipt_delivery_at: ['/reference'],
    receipt_state_at: ['/status'],
    receipt_states: { delivered: 'delivered', failed: 'failed' },
    receipt_error_at: ['/error'],
  },
}
