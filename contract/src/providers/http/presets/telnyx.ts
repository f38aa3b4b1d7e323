import type { Preset } from '../preset.ts'

/** https://developers.telnyx.com/api/messaging/send-message */
export const telnyx: Preset = {
  label: 'Telnyx',
  asks: { secret: 'API key', account: 'Messaging profile ID', from: 'Sender' },
  optional: ['account'],
  settings: {
    base_url: 'https://api.telnyx.com',
    path: '/v2/messages',
    auth: 'bearer',
    body: '{"from": "{from}", "to": "{to}", "text": "{text}", "messaging_profile_id": "{account}", "webhook_url": "{callback_url}", "type": "SMS"}',
    message_id_at: ['/data/id'],
    code_at: ['/errors/0/code'],
    codes: {
      10007: 'retry',
      10009: 'broken',
      10010: 'broken',
      10011: 'busy',
      40001: 'unreachable',
      40011: 'busy',
    },
    error_at: ['/errors/0/detail', '/errors/0/title'],
    receipts: 'path',
    receipt_id_at: ['/data/payload/id'],
    receipt_state_at: ['/data/payload/to/0/status'],
    receipt_states: {
      delivered: 'delivered',
      delivery_failed: 'failed',
      sending_failed: 'failed',
      expired: 'failed',
    },
    receipt_error_at: ['/data/payload/errors/0/code'],
    receipt_errors: { 40001: 'unreachable' },
  },
}
