import type { Preset } from '../preset.ts'

/** https://developers.sinch.com/docs/sms/api-reference/sms/tag/Batches and /tag/Delivery-reports */
export const sinch: Preset = {
  label: 'Sinch',
  asks: {
    base_url: 'Address of your region',
    account: 'Service plan ID',
    secret: 'API token',
    from: 'Sender',
  },
  settings: {
    base_url: 'https://us.sms.api.sinch.com',
    path: '/xms/v1/{account}/batches',
    auth: 'bearer',
    body: '{"from": "{from}", "to": ["{to}"], "body": "{text}", "delivery_report": "per_recipient_final", "callback_url": "{callback_url}", "client_reference": "{delivery_id}", "expire_at": "{expires_at}"}',
    message_id_at: ['/id'],
    code_at: ['/code'],
    // The path contains the service plan's id, so a 404 means that the id is wrong.
    statuses: { 404: 'broken' },
    error_at: ['/text'],
    receipts: 'path',
    receipt_id_at: ['/batch_id'],
    receipt_delivery_at: ['/client_reference'],
    receipt_state_at: ['/status'],
    receipt_states: {
      Delivered: 'delivered',
      Failed: 'failed',
      Rejected: 'failed',
      Expired: 'failed',
      Aborted: 'failed',
      Cancelled: 'failed',
      Deleted: 'failed',
    },
    receipt_error_at: ['/code'],
  },
}
