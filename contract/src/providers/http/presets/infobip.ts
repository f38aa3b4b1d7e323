import type { Preset } from '../preset.ts'

/** https://www.infobip.com/docs/api/channels/sms/outbound-sms/send-sms-messages */
export const infobip: Preset = {
  label: 'Infobip',
  asks: { base_url: 'Your base URL', secret: 'API key', from: 'Sender' },
  settings: {
    path: '/sms/3/messages',
    auth: 'header',
    auth_name: 'Authorization',
    auth_prefix: 'App ',
    body: '{"messages": [{"sender": "{from}", "destinations": [{"to": "{to_digits}", "messageId": "{delivery_id}"}], "content": {"text": "{text}"}, "options": {"validityPeriod": {"amount": {ttl_s}, "timeUnit": "SECONDS"}}, "webhooks": {"delivery": {"url": "{callback_url}"}, "contentType": "application/json"}}]}',
    message_id_at: ['/messages/0/messageId'],
    code_at: ['/messages/0/status/name', '/requestError/serviceException/messageId', '/errorCode'],
    codes: {
      MESSAGE_ACCEPTED: 'accepted',
      'PENDING_*': 'accepted',
      'DELIVERED_*': 'accepted',
      'REJECTED_*': 'refused',
      REJECTED_NOT_ENOUGH_CREDITS: 'broken',
      REJECTED_PREPAID_PACKAGE_EXPIRED: 'broken',
      'UNDELIVERABLE_*': 'refused',
    },
    error_at: ['/messages/0/status/description', '/requestError/serviceException/text', '/description'],
    receipts: 'path',
    receipt_list: '/results',
    receipt_id_at: ['/messageId'],
    receipt_state_at: ['/status/name', '/status/groupName'],
    receipt_states: {
      // Delivered to the operator is not delivered to the person, and an unknown report says nothing.
      DELIVERED_TO_OPERATOR: 'ignored',
      EXPIRED_DLR_UNKNOWN: 'ignored',
      'DELIVERED*': 'delivered',
      'UNDELIVERABLE*': 'failed',
      'EXPIRED*': 'failed',
      'REJECTED*': 'failed',
    },
    receipt_error_at: ['/error/name'],
    receipt_errors: { EC_UNKNOWN_SUBSCRIBER: 'unreachable' },
  },
}
