import { text, type Wire } from '../wire.ts'

function answer(groupName: string, name: string) {
  return {
    messages: [
      { messageId: 'dlv_01', destination: '14155550123', status: { groupName, name, description: 'x' } },
    ],
  }
}

function report(status: string, error: string) {
  const groupName = status.replace(/_.*/, '')
  const one = { status: { groupName, name: status }, error: { name: error } }
  return { results: [{ messageId: 'dlv_01', to: '14155550123', ...one }] }
}

export const infobipWire: Wire = {
  given: { secret: 'key', from: 'InfoSMS' },
  path: '/sms/3/messages',
  headers: { authorization: 'App key' },
  body: {
    messages: [
      {
        sender: 'InfoSMS',
        destinations: [{ to: '14155550123', messageId: 'dlv_01' }],
        content: { text },
        options: { validityPeriod: { amount: 600, timeUnit: 'SECONDS' } },
        webhooks: { delivery: { url: 'CALLBACK' }, contentType: 'application/json' },
      },
    ],
  },
  answers: [
    [200, answer('PENDING', 'PENDING_ACCEPTED'), 'accepted', 'dlv_01'],
    [200, answer('PENDING', 'MESSAGE_ACCEPTED'), 'accepted', 'dlv_01'],
    [200, answer('REJECTED', 'REJECTED_NOT_ENOUGH_CREDITS'), 'broken', 'REJECTED_NOT_ENOUGH_CREDITS'],
    [200, answer('REJECTED', 'REJECTED_NETWORK'), 'refused', 'REJECTED_NETWORK'],
    [
      401,
      { requestError: { serviceException: { messageId: 'UNAUTHORIZED', text: 'Invalid login details' } } },
      'broken',
      'UNAUTHORIZED',
    ],
    [
      400,
      { requestError: { serviceException: { messageId: 'BAD_REQUEST', text: 'x' } } },
      'refused',
      'BAD_REQUEST',
    ],
    [429, {}, 'retry'],
    [500, {}, 'retry'],
  ],
  receipts: [
    [report('DELIVERED_TO_HANDSET', 'NO_ERROR'), 'delivered', 'dlv_01'],
    [report('DELIVERED_TO_OPERATOR', 'NO_ERROR'), null],
    [report('PENDING_ENROUTE', 'NO_ERROR'), null],
    [report('UNDELIVERABLE_NOT_DELIVERED', 'EC_UNKNOWN_SUBSCRIBER'), 'failed', 'dlv_01', true],
    [report('EXPIRED_EXPIRED', 'EC_ABSENT_SUBSCRIBER'), 'failed', 'dlv_01', false],
    [report('EXPIRED_DLR_UNKNOWN', 'NO_ERROR'), null],
    [report('REJECTED_DESTINATION', 'NO_ERROR'), 'failed', 'dlv_01', false],
  ],
}
