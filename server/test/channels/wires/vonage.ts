import { basic, text, type Wire } from '../wire.ts'

function answer(message: object) {
  return { 'message-count': '1', messages: [{ to: '14155550123', ...message }] }
}

export const vonageWire: Wire = {
  given: { user: 'abcd1234', secret: 'secret', from: 'Shop' },
  path: '/sms/json',
  headers: { authorization: basic('abcd1234', 'secret') },
  body: {
    from: 'Shop',
    to: '14155550123',
    text,
    type: 'text',
    ttl: '600000',
    'client-ref': 'dlv_01',
    callback: 'CALLBACK',
  },
  answers: [
    [200, answer({ status: '0', 'message-id': '0A0000000123ABCD1' }), 'accepted', '0A0000000123ABCD1'],
    [200, answer({ status: '1', 'error-text': 'Throughput Rate Exceeded' }), 'retry', '1'],
    [200, answer({ status: '4', 'error-text': 'Bad Credentials' }), 'broken', '4'],
    [200, answer({ status: '9', 'error-text': 'Quota Exceeded' }), 'broken', '9'],
    [200, answer({ status: '2', 'error-text': 'Missing to param' }), 'refused', '2'],
    [200, answer({ status: '33', 'error-text': 'Number De-activated' }), 'unreachable', '33'],
    [500, {}, 'retry'],
  ],
  receipts: [
    [{ messageId: '0A0', status: 'delivered', 'err-code': '0', 'client-ref': 'dlv_01' }, 'delivered', '0A0'],
    [{ messageId: '0A0', status: 'buffered', 'err-code': '0' }, null],
    [{ messageId: '0A0', status: 'failed', 'err-code': '3' }, 'failed', '0A0', true],
    [{ messageId: '0A0', status: 'expired', 'err-code': '1' }, 'failed', '0A0', false],
  ],
}
