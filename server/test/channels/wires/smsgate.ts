import { basic, text, type Wire } from '../wire.ts'

export function smsgateEvent(event: string, payload: object) {
  return { deviceId: 'f', event, id: 'E', payload: { messageId: 'dlv_01', ...payload }, webhookId: 'L' }
}

export const smsgateWire: Wire = {
  given: { user: 'NAME', secret: 'password' },
  path: '/3rdparty/v1/messages',
  headers: { authorization: basic('NAME', 'password') },
  body: {
    id: 'dlv_01',
    textMessage: { text },
    phoneNumbers: ['+14155550123'],
    ttl: 600,
    priority: 100,
    withDeliveryReport: true,
  },
  answers: [
    [202, { id: 'dlv_01', state: 'Pending', recipients: [] }, 'accepted', 'dlv_01'],
    [400, { message: 'invalid phone number' }, 'refused'],
    [401, { message: 'Unauthorized' }, 'broken'],
    [409, { message: 'message with such ID already exists' }, 'uncertain'],
    [503, { message: 'queue limits exceeded: too many pending' }, 'retry'],
  ],
  receipts: [
    [smsgateEvent('sms:delivered', {}), 'delivered', 'dlv_01'],
    [smsgateEvent('sms:sent', { partsCount: 1 }), null],
    [smsgateEvent('sms:failed', { reason: 'RESULT_ERROR_NO_SERVICE' }), 'failed', 'dlv_01', false],
  ],
}
