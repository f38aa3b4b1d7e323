import type { Preset } from '../preset.ts'

/** https://www.plivo.com/docs/messaging/api/message/send-a-message and /message-status-callbacks */
export const plivo: Preset = {
  label: 'Plivo',
  asks: { user: 'Auth ID', secret: 'Auth token', from: 'Sender' },
  settings: {
    base_url: 'https://api.plivo.com',
    path: '/v1/Account/{user}/Message/',
    auth: 'basic',
    // Not logged, so that Plivo stores neither the number nor the code.
    body: '{"src": "{from}", "dst": "{to_digits}", "text": "{text}", "url": "{callback_url}", "method": "POST", "log": false}',
    message_id_at: ['/message_uuid/0'],
    // The path contains the account's id, so a 404 means that the id is wrong.
    statuses: { 404: 'broken' },
    error_at: ['/error'],
    receipts: 'path',
    receipt_id_at: ['/MessageUUID'],
    receipt_state_at: ['/Status'],
    receipt_states: {
      delivered: 'delivered',
      failed: 'failed',
      undelivered: 'failed',
      rejected: 'failed',
    },
    receipt_error_at: ['/ErrorCode'],
  },
}
