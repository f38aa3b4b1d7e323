import assert from 'node:assert/strict'
import { it } from 'node:test'
import { whyInWords } from './why.ts'

const said = (rule: string, why: string) =>
  whyInWords({ rule, outcome: 'pass', why }, (amount) => `€${Number(amount)}`)

it('tells what rules said in the words of the pages, with money as money', () => {
  assert.equal(said('recipient', 'A phone number of ES.'), 'A phone number of Spain.')
  assert.equal(said('geo', 'GB is not blocked.'), 'United Kingdom is not blocked.')
  assert.equal(said('ip_reputation', 'No usable client_ip.'), 'No usable client IP.')
  assert.equal(
    said('routing', 'Order: sms, whatsapp. Left out: email: does not reach phone numbers. Chosen: sms.'),
    'Order: SMS, WhatsApp. Left out: Email: does not reach phone numbers. Chosen: SMS.',
  )
  assert.equal(
    said('limits', 'Within recipient, app_without_ip, app.'),
    'Within the limits for one recipient, sends without an address, the whole app.',
  )
  assert.equal(said('spend', '0.051000 of 10.000000 for DE today.'), '€0.051 of €10 for Germany today.')
  assert.equal(said('balance', 'Price 0.050000.'), 'Price €0.05.')
})

it('leaves what it does not know as it was said', () => {
  assert.equal(said('pumping', 'ZZ 14 of 17 numbers consecutive.'), 'ZZ 14 of 17 numbers consecutive.')
  assert.equal(said('geo', 'QQ is not blocked.'), 'QQ is not blocked.')
})
