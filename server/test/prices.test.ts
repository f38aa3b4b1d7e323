import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createTenant, freshEmail, freshPhone, resend, send, untilInForce } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import { startTwoNodeService } from './harness/service.ts'

const shipped = {
  currency: 'EUR',
  default: { sms: '0.05', whatsapp: '0.02', telegram: '0.01', email: '0.001', whatsapp_reply: '0' },
  countries: {},
}

const { database, nodes, close } = await startTwoNodeService()
after(close)
const [node, other] = nodes

describe('prices', () => {
  const put = async (book: unknown) => {
    const answer = await node.manage('PUT', '/prices', book)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body
  }
  const previewed = async (on: Node, key: string, recipient: string): Promise<string> =>
    (await on.call('POST', '/api/v1/routing/preview', { key, body: { recipient } })).body.price
  const spentBy = async (companyId: string) => {
    const rows = await database.query<{ amount: string }>(
      `select amount_micros::text as amount from ledger where company_id = $1 and kind = 'reserve' order by entry_id`,
      [companyId],
    )
    return rows.map((row) => -Number(row.amount) / 1e6)
  }

  it('of a new installation are above zero on all four channels, and nothing for an answer in a chat', async () => {
    await database.query('delete from prices')
    const fresh = await startNode(database.url, { role: 'api' })
    const { body } = await fresh.manage('GET', '/prices')
    await fresh.close()
    for (const channel of ['sms', 'whatsapp', 'telegram', 'email'])
      assert.ok(Number(body.default[channel]) > 0)
    assert.equal(Number(body.default.whatsapp_reply), 0)
  })

  it('go by the channel and the number’s own country', async () => {
    await put({
      ...shipped,
      countries: { GB: { sms: '0.04' }, JE: { sms: '0.4', whatsapp: '0.3' }, BR: { whatsapp: '0.007' } },
    })
    const { serverKey, companyId } = await createTenant(node, {
      routing: { default: ['sms', 'whatsapp', 'telegram', 'email'], countries: { BR: ['whatsapp'] } },
    })
    const recipients = [
      freshPhone(),
      '+447797123456',
      '+441534123456',
      '+5511987654321',
      '+33612345678',
      freshEmail(),
    ]
    const expected = [0.04, 0.4, 0.3, 0.007, 0.05, 0.001]
    for (const [index, recipient] of recipients.entries()) {
      assert.equal(Number(await previewed(node, serverKey, recipient)), expected[index])
      assert.equal((await send(node, serverKey, { recipient })).status, 200)
    }
    assert.deepEqual(await spentBy(companyId), expected)
  })

  it('are asked again for every resend', async () => {
    await put(shipped)
    const { serverKey, companyId } = await createTenant(node)
    const { body } = await send(node, serverKey, { recipient: freshPhone() })
    await resend(node, serverKey, body.otp_id)
    await put({ ...shipped, default: { ...shipped.default, telegram: '0.5' } })
    await resend(node, serverKey, body.otp_id)
    assert.deepEqual(await spentBy(companyId), [0.05, 0.02, 0.5])
  })

  it('are in force within a second on another node', async () => {
    const { serverKey } = await createTenant(node)
    for (const sms of ['0.11', '0.22', '0.33']) {
      await put({ ...shipped, default: { ...shipped.default, sms } })
      assert.equal(Number(await previewed(node, serverKey, freshPhone())), Number(sms))
      await untilInForce(
        'the new price on the other node',
        async () => Number(await previewed(other, serverKey, freshPhone())) === Number(sms),
      )
    }
    assert.deepEqual((await other.manage('GET', '/prices')).body.default.sms, '0.33')
  })

  it('of zero are no entry in the ledger, and need no balance', async () => {
    await put({ ...shipped, default: { ...shipped.default, sms: '0' } })
    const { serverKey, companyId } = await createTenant(node, {}, { balance: '0' })
    assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
    assert.deepEqual((await node.manage('GET', `/companies/${companyId}/ledger`)).body.entries, [])
  })

  it('that are malformed are refused, and the old ones stay', async () => {
    await put(shipped)
    for (const book of [
      {},
      { ...shipped, currency: 'euro' },
      { ...shipped, default: { sms: '1' } },
      { ...shipped, default: { ...shipped.default, sms: '-1' } },
      { ...shipped, default: { ...shipped.default, sms: 0.05 } },
      { ...shipped, default: { ...shipped.default, pigeon: '1' } },
      { ...shipped, countries: { UK: { sms: '1' } } },
      { ...shipped, countries: { GB: { pigeon: '1' } } },
    ]) {
      const answer = await node.manage('PUT', '/prices', book)
      assert.equal(answer.status, 422, JSON.stringify(book))
      assert.equal(answer.body.error.type, 'ValidationError')
    }
    assert.deepEqual((await node.manage('GET', '/prices')).body, shipped)
  })
})
