import { text, type Wire } from '../wire.ts'

function problem(code: string, title: string) {
  return { errors: [{ code, title, detail: title }] }
}

function event(event_type: string, status: string, code?: string) {
  const errors = code ? [{ code, title: 'x' }] : []
  return {
    data: { event_type, payload: { id: '40385f64', to: [{ phone_number: '+14155550123', status }], errors } },
  }
}

export const telnyxWire: Wire = {
  given: { secret: 'KEY', account: 'profile-1', from: '+14155550100' },
  path: '/v2/messages',
  headers: { authorization: 'Bearer KEY' },
  body: {
    from: '+14155550100',
    to: '+14155550123',
    text,
    messaging_profile_id: 'profile-1',
    webhook_url: 'CALLBACK',
    type: 'SMS',
  },
  answers: [
    [
      200,
      { data: { id: '40385f64', record_type: 'message', to: [{ status: 'queued' }] } },
      'accepted',
      '40385f64',
    ],
    [401, problem('10009', 'Authentication failed'), 'broken', '10009'],
    [422, problem('40001', 'Not routable'), 'unreachable', '40001'],
    [400, problem('10002', 'Invalid phone number'), 'refused', '10002'],
    [429, problem('10011', 'Too many requests'), 'retry', '10011'],
    [500, problem('10007', 'Unexpected error'), 'retry', '10007'],
  ],
  receipts: [
    [event('message.finalized', 'delivered'), 'delivered', '40385f64'],
    [event('message.sent', 'sent'), null],
    [event('message.finalized', 'delivery_failed', '40001'), 'failed', '40385f64', true],
    [event('message.finalized', 'delivery_failed', '40008'), 'failed', '40385f64', false],
  ],
}
