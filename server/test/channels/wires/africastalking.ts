import { text, type Wire } from '../wire.ts'

function answer(recipient: object) {
  return {
    SMSMessageData: {
      Message: 'Sent to 1/1',
      Recipients: [{ number: '+14155550123', cost: 'KES 0.8', ...recipient }],
    },
  }
}

export const africastalkingWire: Wire = {
  given: { user: 'shop', secret: 'key', from: 'SHOP' },
  path: '/version1/messaging',
  headers: { apikey: 'key', accept: 'application/json' },
  body: { username: 'shop', to: '+14155550123', message: text, from: 'SHOP', bulkSMSMode: '1' },
  answers: [
    [201, answer({ statusCode: 101, status: 'Success', messageId: 'ATXid_1' }), 'accepted', 'ATXid_1'],
    [201, answer({ statusCode: 102, status: 'Queued', messageId: 'ATXid_2' }), 'accepted', 'ATXid_2'],
    [201, answer({ statusCode: 403, status: 'InvalidPhoneNumber', messageId: 'None' }), 'refused', '403'],
    [
      201,
      answer({ statusCode: 404, status: 'UnsupportedNumberType', messageId: 'None' }),
      'unreachable',
      '404',
    ],
    [201, answer({ statusCode: 405, status: 'InsufficientBalance', messageId: 'None' }), 'broken', '405'],
    [201, answer({ statusCode: 407, status: 'CouldNotRoute', messageId: 'None' }), 'broken', '407'],
    [201, answer({ statusCode: 500, status: 'InternalServerError', messageId: 'None' }), 'retry', '500'],
    [201, { SMSMessageData: { Message: 'InvalidSenderId', Recipients: [] } }, 'broken', 'InvalidSenderId'],
    [401, 'The supplied authentication is invalid', 'broken'],
  ],
  receipts: [
    [{ id: 'ATXid_1', status: 'Success', phoneNumber: '+14155550123' }, 'delivered', 'ATXid_1'],
    [{ id: 'ATXid_1', status: 'Sent' }, null],
    [{ id: 'ATXid_1', status: 'Failed', failureReason: 'DeliveryFailure' }, 'failed', 'ATXid_1', false],
    [{ id: 'ATXid_1', status: 'Failed', failureReason: 'UserDoesNotExist' }, 'failed', 'ATXid_1', true],
  ],
  reportsForms: true,
}
