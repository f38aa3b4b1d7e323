import type { Preset } from '../preset.ts'

/** The SMS API: https://developer.vonage.com/en/api/sms */
export const vonage: Preset = {
  label: 'Vonage',
  asks: { user: 'API key', secret: 'API secret', from: 'Sender' },
  settings: {
    base_url: 'https://rest.nexmo.com',
    path: '/sms/json',
    auth: 'basic',
    body_type: 'form',
    // Vonage takes a lifetime in milliseconds, of 20 seconds at least.
    shortest_ttl_s: 20,
    body: 'from={from}&to={to_digits}&text={text}&type={unicode}&ttl={ttl_ms}&client-ref={delivery_id}&callback={callback_url}',
    when_unicode: 'unicode',
    when_plain: 'text',
    message_id_at: ['/messages/0/message-id'],
    code_at: ['/messages/0/status'],
    codes: {
      0: 'accepted',
      1: 'busy',
      4: 'broken',
      5: 'retry',
      8: 'broken',
      9: 'broken',
      10: 'busy',
      11: 'broken',
      14: 'broken',
      15: 'broken',
      29: 'broken',
      32: 'broken',
      33: 'unreachable',
      '*': 'refused',
    },
    error_at: ['/messages/0/error-text'],
    receipts: 'path',
    receipt_id_at: ['/messageId'],
    receipt_delivery_at: ['/client-ref'],
    receipt_state_at: ['/status'],
    receipt_states: { delivered: 'delivered', expired: 'failed', failed: 'failed', rejected: 'failed' },
    receipt_error_at: ['/err-code'],
    receipt_errors: { 3: 'unreachable' },
  },
}
