/** What a carrier may do with a message: the name, what it means, and what to say if the message never arrives. */
export const OUTCOMES = [
  ['deliver', 'It arrives', 'Accepted, delivered, and confirmed by a receipt.'],
  ['fail', 'It fails on the way', 'Accepted, then a receipt says that it failed. It never arrives.'],
  ['reject', 'The carrier refuses it', 'Refused at once.'],
  [
    'unreachable',
    'The person cannot be reached',
    'The carrier says that this person does not use the channel.',
  ],
  ['silent', 'It arrives without a receipt', 'Accepted and delivered, but no receipt ever comes.'],
  ['error', 'The carrier has an outage', 'A server error. It is tried again until the code expires.'],
  ['throttle', 'The carrier is too busy', 'It asks to slow down. It is tried again until the code expires.'],
  ['duplicate', 'Receipts come twice', 'It arrives; its receipts come twice and out of order.'],
]

const MISSED = {
  fail: 'A message failed on the way.',
  reject: 'A message was refused by the carrier.',
  unreachable: 'A message was refused: this person cannot be reached here.',
  error: 'A message failed because of a carrier outage.',
  throttle: 'A message was refused because the carrier was too busy.',
}

export const sayMissed = (outcome) => MISSED[outcome] ?? 'A message did not arrive.'
export const nameOutcome = (outcome) => OUTCOMES.find(([value]) => value === outcome)?.[1] ?? outcome
