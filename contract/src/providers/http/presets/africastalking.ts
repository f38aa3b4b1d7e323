import type { Preset } from '../preset.ts'

/** https://developers.africastalking.com/docs/sms/sending/bulk and /docs/sms/notifications */
export const africastalking: Preset = {
  label: 'Africa’s Talking',
  asks: { user: 'Username', secret: 'API key', from: 'Sender ID or short code' },
  optional: ['from'],
  settings: {
    base_url: 'https://api.africastalking.com',
    path: '/version1/messaging',
    auth: 'header',
    auth_name: 'apiKey',
    // Without this header it answers in XML.
    headers: { Accept: 'application/json' },
    body_type: 'form',
    body: 'username={user}&to={to}&message={text}&from={from}&bulkSMSMode=1',
    message_id_at: ['/SMSMessageData/Recipients/0/messageId'],
    code_at: ['/SMSMessageData/Recipients/0/statusCode', '/SMSMessageData/Message'],
    codes: {
      100: 'accepted',
      101: 'accepted',
      102: 'accepted',
      402: 'broken',
      404: 'unreachable',
      405: 'broken',
      407: 'broken',
      500: 'retry',
      501: 'retry',
      InvalidSenderId: 'broken',
      '*': 'refused',
    },
    error_at: ['/SMSMessageData/Recipients/0/status', '/SMSMessageData/Message'],
    receipts: 'path',
    receipt_id_at: ['/id'],
    receipt_state_at: ['/status'],
    receipt_states: {
      Success: 'delivered',
      Failed: 'failed',
      Rejected: 'failed',
      Expired: 'failed',
      AbsentSubscriber: 'failed',
    },
    receipt_error_at: ['/failureReason'],
    receipt_errors: { UserDoesNotExist: 'unreachable', UserIsInactive: 'unreachable' },
  },
}
