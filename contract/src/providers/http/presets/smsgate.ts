import type { Preset } from '../preset.ts'

/** SMS Gateway for Android, with one's own SIM in a phone. https://docs.sms-gate.app */
export const smsgate: Preset = {
  label: 'SMS Gateway for Android',
  asks: { base_url: 'Address of the server', user: 'Username', secret: 'Password' },
  optional: ['base_url'],
  settings: {
    base_url: 'https://api.sms-gate.app',
    path: '/3rdparty/v1/messages',
    auth: 'basic',
    // From priority 100 on, the phone does not delay a message.
    body: '{"id": "{delivery_id}", "textMessage": {"text": "{text}"}, "phoneNumbers": ["{to}"], "ttl": {ttl_s}, "priority": 100, "withDeliveryReport": true}',
    shortest_ttl_s: 5,
    // 409: it has a message with this id, so ours was accepted before.
    statuses: { 409: 'uncertain' },
    message_id_at: ['/id'],
    error_at: ['/message'],
    receipts: 'path',
    // Used only if `receipts` is set to `hmac`, with the Android app's signing key.
    receipt_header: 'X-Signature',
    receipt_signed: '{body}{timestamp}',
    receipt_timestamp_header: 'X-Timestamp',
    receipt_id_at: ['/payload/messageId'],
    receipt_state_at: ['/event'],
    receipt_states: { 'sms:delivered': 'delivered', 'sms:failed': 'failed' },
    receipt_error_at: ['/payload/reason'],
  },
}
