import type { Preset } from '../preset.ts'

/** Bird's current SMS API; `messagebird` is the one before it. https://bird.com/docs */
export const bird: Preset = {
  label: 'Bird',
  asks: { base_url: 'Address of your region', secret: 'API key', from: 'Sender' },
  settings: {
    path: '/v1/sms/messages',
    auth: 'bearer',
    headers: { 'Idempotency-Key': '{delivery_id}' },
    // Bird does not store texts of this category.
    body: '{"to": "{to}", "from": "{from}", "text": "{text}", "category": "authentication", "metadata": {"delivery_id": "{delivery_id}"}}',
    message_id_at: ['/id'],
    code_at: ['/error/name'],
    codes: {
      SMSInvalidRecipient: 'unreachable',
      SMSNoEligibleSender: 'broken',
      SMSSenderNotConfigured: 'broken',
      SenderCategoryNotPermitted: 'broken',
    },
    // 409: the same message is being processed, or was accepted before.
    statuses: { 409: 'uncertain' },
    error_at: ['/error/message'],
    receipts: 'path',
    receipt_id_at: ['/data/sms_id'],
    receipt_delivery_at: ['/data/metadata/delivery_id'],
    receipt_state_at: ['/type'],
    receipt_states: {
      'sms.delivered': 'delivered',
      'sms.failed': 'failed',
      'sms.rejected': 'failed',
      'sms.expired': 'failed',
      'sms.undelivered': 'failed',
    },
    receipt_error_at: ['/data/error/code'],
    receipt_errors: { landline_unreachable: 'unreachable', invalid_destination: 'unreachable' },
  },
}
