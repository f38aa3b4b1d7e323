import { text, type Wire } from '../wire.ts'

function problem(code: number, description: string) {
  return { errors: [{ code, description, parameter: null }] }
}

export const messagebirdWire: Wire = {
  given: { secret: 'live_key', from: 'Shop' },
  path: '/messages',
  headers: { authorization: 'AccessKey live_key' },
  body: {
    originator: 'Shop',
    recipients: ['14155550123'],
    body: text,
    reference: 'dlv_01',
    validity: 600,
    datacoding: 'plain',
  },
  answers: [
    [
      201,
      { id: 'e8077d803532c0b5937c639b60216938', direction: 'mt', type: 'sms' },
      'accepted',
      'e8077d803532c0b5937c639b60216938',
    ],
    [401, problem(2, 'Request not allowed (incorrect access_key)'), 'broken', '2'],
    [422, problem(25, 'Not enough balance'), 'broken', '25'],
    [422, problem(9, 'no (correct) recipients found'), 'refused', '9'],
    [500, {}, 'retry'],
  ],
  receipts: [],
}
