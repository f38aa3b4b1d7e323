import type { Wire } from '../wire.ts'

export const msg91Wire: Wire = {
  given: { secret: 'key', account: 'template-1' },
  path: '/api/v5/flow',
  headers: { authkey: 'key' },
  body: { template_id: 'template-1', recipients: [{ mobiles: '14155550123', code: '123456' }] },
  answers: [
    [200, { type: 'success', message: '346173617a6d313131313131' }, 'accepted', '346173617a6d313131313131'],
    [200, { type: 'error', message: 'Template not found' }, 'refused', 'error'],
    [401, { type: 'error', message: 'AuthenticationFailure', code: '401' }, 'broken', '401'],
    [
      401,
      { status: 'fail', hasError: true, errors: 'Unauthorized', code: '401', apiError: '418' },
      'broken',
      '418',
    ],
    [200, { type: 'error', message: 'Invalid authkey' }, 'broken', 'error'],
    [200, { type: 'error', message: 'x', code: '207' }, 'broken', '207'],
    [200, { type: 'error', message: 'x', code: '301' }, 'broken', '301'],
    [200, { type: 'error', message: 'x', code: '202' }, 'unreachable', '202'],
    [418, { type: 'error', message: 'IP is not whitelisted' }, 'broken', 'error'],
    [500, {}, 'retry'],
  ],
  receipts: [
    [{ requestId: '346', number: '14155550123', status: '1', desc: 'DELIVERED' }, 'delivered', '346'],
    [{ requestId: '346', status: '2', desc: 'FAILED' }, 'failed', '346', false],
    [{ requestId: '346', status: '25', desc: 'REJECTED' }, 'failed', '346', false],
    [{ requestId: '346', status: '8', desc: 'SENT' }, null],
  ],
}
