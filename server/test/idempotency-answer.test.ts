/** The first answer to an idempotency key: when it is repeated, how it is stored, and for how long. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { createTenant, freshPhone, message, resend, send, started, verify } from './harness/fixtures.ts'
import { assertRefused } from './harness/refusals.ts'
import { one, sendWith, startIdempotency } from './idempotency-support.ts'

const { database, nodes, counts, close } = await startIdempotency()
after(close)
const [node, other] = nodes

describe('the first answer to an idempotency key', () => {
  it('the first answer comes before the recipient is looked at', async () => {
    const { serverKey } = await createTenant(node)
    const key = randomUUID()
    const first = await sendWith(node, serverKey, key, { recipient: freshPhone() })
    for (const recipient of ['nonsense', '', '+448001111111', '+1']) {
      const again = await sendWith(node, serverKey, key, { recipient })
      assert.equal(again.status, 200, recipient)
      assert.deepEqual(again.body, first.body)
    }
  })

  it('a malformed body is refused before the first answer is looked for', async () => {
    const { serverKey, publishableKey } = await createTenant(node)
    const key = randomUUID()
    const recipient = freshPhone()
    assert.equal((await sendWith(node, serverKey, key, { recipient })).status, 200)
    for (const body of [
      {},
      { recipient: 7 },
      { recipient, channel: 'sms' },
      { recipient, client_ip: 'x' },
      { recipient, locale: '??' },
    ])
      assertRefused(await sendWith(node, serverKey, key, body), 422, 'ValidationError')
    assertRefused(
      await sendWith(node, publishableKey, key, { recipient, client_ip: '8.8.8.8' }),
      422,
      'ValidationError',
    )
  })

  it('the first answer comes when limits and balance are spent and the country is blocked since', async () => {
    const { serverKey, appId, companyId } = await createTenant(
      node,
      { limits: { recipient: [{ max: 1, window_s: 600 }] } },
      { balance: '0.05' },
    )
    const recipient = freshPhone()
    const key = randomUUID()
    const first = await sendWith(node, serverKey, key, { recipient })
    assertRefused(await send(node, serverKey, { recipient }), 429, 'RateLimitExceededError')
    assertRefused(await send(node, serverKey, { recipient: freshPhone() }), 402, 'InsufficientFundsError')
    await node.manage('PATCH', `/apps/${appId}`, { geo: { countries: ['GB'] } })
    const again = await sendWith(node, serverKey, key, { recipient })
    assert.equal(again.status, 200)
    assert.deepEqual(again.body, first.body)
    assert.deepEqual(await counts(companyId), one)
  })

  it('the first answer is answered as it was, whatever has become of the verification', async () => {
    const { serverKey } = await createTenant(node)
    const recipient = freshPhone()
    const key = randomUUID()
    const first = await sendWith(node, serverKey, key, { recipient })
    const { code } = await message(node, recipient)
    assert.equal((await resend(node, serverKey, first.body.otp_id)).body.channel, 'whatsapp')
    assert.deepEqual((await sendWith(node, serverKey, key, { recipient })).body, first.body)
    assert.equal((await verify(node, serverKey, first.body.otp_id, code)).body.matched, true)
    const later = await sendWith(node, serverKey, key, { recipient })
    assert.deepEqual(later.body, first.body)
    assert.equal(later.body.channel, 'sms')
    assert.equal(later.body.status, 'pending')
  })

  it('a link is answered again as the same link', async () => {
    for (const mode of ['link_code', 'link_inbound']) {
      const { serverKey, companyId } = await createTenant(node, {
        routing: { default: ['whatsapp'] },
        channels: { whatsapp: { mode } },
      })
      const recipient = freshPhone()
      const key = randomUUID()
      const answers = await Promise.all(
        [node, other, node, other].map((on) => sendWith(on, serverKey, key, { recipient })),
      )
      assert.match(answers[0]?.body.action_url, /^https:\/\/wa\.me\//)
      for (const answer of answers) assert.deepEqual(answer.body, answers[0]?.body)
      assert.equal((await counts(companyId))?.verifications, '1')
      const links = await database.query('select 1 from links where otp_id = $1', [answers[0]?.body.otp_id])
      assert.equal(links.length, 1)
    }
  })

  it('neither the key nor the answer can be read in the database', async () => {
    const { serverKey, companyId } = await createTenant(node)
    const key = `canary-${randomUUID()}`
    const { otpId } = await started(node, serverKey)
    const { body } = await sendWith(node, serverKey, key, { recipient: freshPhone() })
    const rows = await database.query<{ dump: string }>(
      `select encode(key_hash || answer, 'escape') as dump from idempotency_keys where company_id = $1`,
      [companyId],
    )
    assert.equal(rows.length, 1)
    for (const secret of [key, body.otp_id, otpId]) assert.ok(!rows[0]?.dump.includes(secret))
  })

  it('an answer that was moved to another key opens for nobody, and nothing is sent', async () => {
    const { serverKey, companyId } = await createTenant(node)
    const [mine, theirs] = [randomUUID(), randomUUID()]
    const recipient = freshPhone()
    for (const key of [mine, theirs])
      assert.equal((await sendWith(node, serverKey, key, { recipient: freshPhone() })).status, 200)
    const before = await counts(companyId)
    await database.tamper(
      `update idempotency_keys k set answer = (select answer from idempotency_keys o where o.company_id = k.company_id and o.key_hash <> k.key_hash)
        where company_id = $1`,
      [companyId],
    )
    assert.equal((await sendWith(node, serverKey, mine, { recipient })).status, 500)
    assert.deepEqual(await counts(companyId), before)
  })

  it('a key lives 24 hours, and is then free', async () => {
    const { serverKey, companyId } = await createTenant(node)
    const recipient = freshPhone()
    const key = randomUUID()
    const first = await sendWith(node, serverKey, key, { recipient })
    const shift = (interval: string) =>
      database.query(
        'update idempotency_keys set expires_at = expires_at - $2::interval where company_id = $1',
        [companyId, interval],
      )
    await shift('23 hours 59 minutes')
    assert.deepEqual((await sendWith(node, serverKey, key, { recipient })).body, first.body)
    await shift('1 minute')
    const second = await sendWith(node, serverKey, key, { recipient })
    assert.equal(second.status, 200)
    assert.notEqual(second.body.otp_id, first.body.otp_id)
    assert.deepEqual((await sendWith(other, serverKey, key, { recipient })).body, second.body)
    assert.equal((await counts(companyId))?.keys, '1')
  })
})
