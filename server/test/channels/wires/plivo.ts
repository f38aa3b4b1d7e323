import { basic, text, type Wire } from '../wire.ts'

export const plivoWire: Wire = {
  given: { user: 'MAXXXXXXXX', secret: 'token', from: '14155550100' },
  path: '/v1/Account/MAXXXXXXXX/Message/',
  headers: { authorization: basic('MAXXXXXXXX', 'token') },
  body: { src: '14155550100', dst: '14155550123', text, url: 'CALLBACK', method: 'POST', log: false },
  answers: [
    [
      202,
      { message: 'message(s) queued', message_uuid: ['db3ce55a'], api_id: 'db342550' },
      'accepted',
      'db3ce55a',
    ],
    [400, { api_id: '1', error: 'dst is invalid' }, 'refused'],
    [401, 'Could not verify your access level for that URL.', 'broken'],
    [404, { error: 'not found' }, 'broken'],
    [429, { error: 'too many requests' }, 'retry'],
  ],
  receipts: [
    [{ MessageUUID: 'db3ce55a', Status: 'delivered', ErrorCode: '000' }, 'delivered', 'db3ce55a'],
    [{ MessageUUID: 'db3ce55a', Status: 'sent' }, null],
    [{ MessageUUID: 'db3ce55a', Status: 'undelivered', ErrorCode: '300' }, 'failed', 'db3ce55a', false],
    [{ MessageUUID: 'db3ce55a', Status: 'failed', ErrorCode: '200' }, 'failed', 'db3ce55a', false],
  ],
  reportsForms: true,
}
