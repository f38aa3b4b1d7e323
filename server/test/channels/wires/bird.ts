import { text, type Wire } from '../wire.ts'

export const birdWire: Wire = {
  given: { secret: 'bk_eu1_key', from: 'Shop' },
  path: '/v1/sms/messages',
  headers: { authorization: 'Bearer bk_eu1_key', 'idempotency-key': 'dlv_01' },
  body: {
    to: '+14155550123',
    from: 'Shop',
    text,
    category: 'authentication',
    metadata: { delivery_id: 'dlv_01' },
  },
  answers: [
    [202, { id: 'sms_1', status: 'accepted', direction: 'outbound' }, 'accepted', 'sms_1'],
    [
      402,
      { error: { type: 'billing_error', code: 'E1', name: 'insufficient_balance', message: 'x' } },
      'broken',
    ],
    [401, { error: { type: 'auth_error', code: 'E2', name: 'unauthorized', message: 'x' } }, 'broken'],
    [409, { error: { type: 'conflict_error', code: 'E01004', name: 'request_in_progress' } }, 'uncertain'],
    [422, { error: { type: 'validation_error', code: 'E3', name: 'SMSNoEligibleSender' } }, 'broken'],
    [422, { error: { type: 'validation_error', code: 'E5', name: 'SMSInvalidRecipient' } }, 'unreachable'],
    [422, { error: { type: 'validation_error', code: 'E6', name: 'SMSUnsupportedFeature' } }, 'refused'],
    [429, { error: { type: 'rate_limit_error', code: 'E4', name: 'rate_limited' } }, 'retry'],
  ],
  receipts: [
    [{ type: 'sms.delivered', data: { sms_id: 'sms_1', metadata: null } }, 'delivered', 'sms_1'],
    [{ type: 'sms.sent', data: { sms_id: 'sms_1' } }, null],
    [
      { type: 'sms.failed', data: { sms_id: 'sms_1', error: { code: 'landline_unreachable' } } },
      'failed',
      'sms_1',
      true,
    ],
    [
      { type: 'sms.rejected', data: { sms_id: 'sms_1', error: { code: 'content_rejected' } } },
      'failed',
      'sms_1',
      false,
    ],
  ],
}
