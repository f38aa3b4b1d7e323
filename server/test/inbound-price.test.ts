/** What an answer in a chat costs, where the operator has put a price on it. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createTenant, freshPhone, message, send, status, until, untilInForce } from './harness/fixtures.ts'
import { startService } from './harness/service.ts'
import { linkText, write } from './harness/whatsapp.ts'
import { linkSettings } from './inbound-support.ts'

const { database, node, close } = await startService()
after(close)

const priceMicros = 70_000
const put = await node.manage('PUT', '/prices', {
  currency: 'EUR',
  default: { sms: '0.09', whatsapp: '0.02', telegram: '0.01', email: '0.001', whatsapp_reply: '0.07' },
  countries: {},
})
assert.equal(put.status, 200, JSON.stringify(put.body))
const { serverKey } = await createTenant(node)
await untilInForce('these prices', async () => {
  const asked = { key: serverKey, body: { recipient: freshPhone() } }
  return Number((await node.call('POST', '/api/v1/routing/preview', asked)).body.price) === 0.09
})

/** A person who has opened their link, at a company with this balance. */
async function linkedWith(balance: string, company: { metered?: boolean } = {}) {
  const tenant = await createTenant(node, linkSettings('link_code'), { balance, ...company })
  const recipient = freshPhone()
  const { body } = await send(node, tenant.serverKey, { recipient })
  const text = linkText(body.action_url)
  return {
    recipient,
    ask: (messageId: string) => write(node, { from: recipient, text, messageId }),
    deliveries: async () =>
      (await status(node, tenant.serverKey, body.otp_id)).body.deliveries as { status: string }[],
    /** The balance, and all that was booked since the company was opened. */
    books: async () => {
      const [company] = await database.query<{ balance: string }>(
        'select balance_micros as balance from companies where company_id = $1',
        [tenant.companyId],
      )
      const entries = await database.query<{ amount: string }>(
        `select amount_micros as amount from ledger where company_id = $1 and kind <> 'credit' and amount_micros <> 0 order by entry_id`,
        [tenant.companyId],
      )
      return { balance: Number(company?.balance), booked: entries.map(({ amount }) => Number(amount)) }
    },
  }
}

test('an answer is paid for when it is given, and booked with its price', async () => {
  const { ask, books, recipient } = await linkedWith('1')
  assert.deepEqual(await books(), { balance: 1_000_000, booked: [] }, 'the link itself costs nothing')
  await ask('wamid-paid')
  assert.deepEqual(await books(), { balance: 1_000_000 - priceMicros, booked: [-priceMicros] })
  await message(node, recipient)
})

test('an answer that the balance does not reach for is not given, and one that takes all of it is', async () => {
  const poor = await linkedWith('0.069999')
  await poor.ask('wamid-poor')
  assert.deepEqual(await poor.deliveries(), [])
  assert.deepEqual(await poor.books(), { balance: 69_999, booked: [] })
  const exact = await linkedWith('0.07')
  for (const messageId of ['wamid-exact', 'wamid-too-much']) await exact.ask(messageId)
  assert.equal((await exact.deliveries()).length, 1)
  assert.deepEqual(await exact.books(), { balance: 0, booked: [-priceMicros] })
})

test('an answer to a company that is not metered costs it nothing', async () => {
  const { ask, books, recipient } = await linkedWith('0', { metered: false })
  await ask('wamid-free')
  await message(node, recipient)
  assert.deepEqual(await books(), { balance: 0, booked: [] })
})

test('an answer that fails gives its price back, once', async () => {
  const { ask, books, deliveries, recipient } = await linkedWith('1')
  node.capture.answerWith(({ recipient: to }) =>
    to === recipient
      ? { kind: 'refused', error: { code: 'no', message: 'Never.' } }
      : { kind: 'accepted', messageId: null },
  )
  await ask('wamid-refused')
  await until('it has failed', async () => (await deliveries())[0]?.status === 'failed')
  node.capture.answerWith(null)
  assert.deepEqual(await books(), { balance: 1_000_000, booked: [-priceMicros, priceMicros] })
})
