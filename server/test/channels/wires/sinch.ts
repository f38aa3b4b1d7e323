import { text, type Wire } from '../wire.ts'

function report(status: string, code: number) {
  return {
    type: 'recipient_delivery_report_sms',
    batch_id: '01JHFFHQ0P99JPPNQPJDV7JTBP',
    recipient: '14155550123',
    status,
    code,
  }
}

export const sinchWire: Wire = {
  given: { account: 'plan_1', secret: 'token', from: '447400000000' },
  path: '/xms/v1/plan_1/batches',
  headers: { authorization: 'Bearer token' },
  body: {
    from: '447400000000',
    to: ['+14155550123'],
    body: text,
    delivery_report: 'per_recipient_final',
    callback_url: 'CALLBACK',
    client_reference: 'dlv_01',
    expire_at: 'EXPIRES',
  },
  answers: [
    [201, { id: '01FC66621XXXXX119Z8PMV1QPQ', type: 'mt_text' }, 'accepted', '01FC66621XXXXX119Z8PMV1QPQ'],
    [
      400,
      { code: 'syntax_invalid_parameter_format', text: 'x' },
      'refused',
      'syntax_invalid_parameter_format',
    ],
    [401, {}, 'broken'],
    [403, { code: 'unauthorized', text: 'x' }, 'broken'],
    [404, {}, 'broken'],
    [429, {}, 'retry'],
  ],
  receipts: [
    [report('Delivered', 0), 'delivered', '01JHFFHQ0P99JPPNQPJDV7JTBP'],
    [report('Dispatched', 401), null],
    [report('Failed', 404), 'failed', '01JHFFHQ0P99JPPNQPJDV7JTBP', false],
    [report('Expired', 406), 'failed', '01JHFFHQ0P99JPPNQPJDV7JTBP', false],
  ],
}
