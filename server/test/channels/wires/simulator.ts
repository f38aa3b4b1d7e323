import { text, type Wire } from '../wire.ts'

/** The simulator's side is tested end to end. */
export const simulatorWire: Wire = {
  given: { secret: 'any-key' },
  path: '/gateway/messages',
  headers: { authorization: 'Bearer any-key' },
  body: {
    to: '+14155550123',
    from: 'Countersign',
    text,
    reference: 'dlv_01',
    callback_url: 'CALLBACK',
  },
  answers: [[200, { id: 'a', status: 'accepted' }, 'accepted', 'a']],
  receipts: [],
}
