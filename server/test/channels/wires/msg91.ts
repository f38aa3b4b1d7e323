import type { Wire } from '../wire.ts'

export const msg91Wire: Wire = {
  given: { secret: 'key', account: 'template-1' },
  path: '/api/v5/flow',
  headers: { authkey: 'key' },
  body: { template_id: 'template-1', recipients: [{ mobiles: '14155550123', code: '123456' }] },
  answers: [
    [200, { type: 'success', message: '346173617a6d313131313131' }, 'accepted', '346173617a6d313131313131'],
    [200, { type: 'error', message: 'Template not found' }, 'refused', 'error'],
    [418, { type: 'error', message: 'IP not whitelisted' }, 'refused', 'error'],
    [500, {}, 'retry'],
  ],
  receipts: [
    [{ requestId: '346', number: '14155550123', status: '1', desc: 'DELIVERED' }, 'delivered', '346'],
    [{ requestId: '346', status: '2', desc: 'FAILED' }, 'failed', '346', false],
    [{ requestId: '346', status: '25', desc: 'REJECTED' }, 'failed', '346', false],
    [{ requestId: '346', status: '8', desc: 'SENT' }, null],
  ],
}
