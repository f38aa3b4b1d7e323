import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { Capture } from './harness/capture.ts'
import {
  createApp,
  createKey,
  createTenant,
  freshPhone,
  message,
  resend,
  send,
  started,
  until,
  verify,
} from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'
import { assertRefused } from './harness/refusals.ts'
import { startTwoNodeService } from './harness/service.ts'

const capture = new Capture()
const { database, nodes, close } = await startTwoNodeService({ capture })
after(close)
const [node, other] = nodes

describe('the idempotency key of a send', { timeout: 120_000 }, () => {
  const sendWith = (on: Node, apiKey: string, key: string, body: Record<string, unknown>) =>
    send(on, apiKey, body, { 'idempotency-key': key })
  const counts = async (companyId: string) => {
    const [found] = await database.query<Record<string, string>>(
      `select (select count(*) from verifications where company_id = $1) as verifications,
              (select count(*) from deliveries where company_id = $1) as deliveries,
              (select count(*) from ledger where company_id = $1 and kind = 'reserve') as reserved,
              (select count(*) from idempotency_keys where company_id = $1) as keys`,
      [companyId],
    )
    return found
  }
  const one = { verifications: '1', deliveries: '1', reserved: '1', keys: '1' }

  it('50 parallel sends with one key over two nodes give one verification, one message and 50 equal answers', async () => {
    for (let round = 0; round < 3; round++) {
      const { serverKey, companyId } = await createTenant(node)
      const recipient = freshPhone()
      const key = randomUUID()
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          sendWith(index % 2 ? node : other, serverKey, key, { recipient }),
        ),
      )
      for (const answer of answers) {
        assert.equal(answer.status, 200)
        assert.deepEqual(answer.body, answers[0]?.body)
      }
      assert.deepEqual(await counts(companyId), one)
      await message(node, recipient)
      await until('nothing is left to send', async () => {
        const queued = await database.query(
          `select 1 from deliveries where company_id = $1 and status = 'queued'`,
          [companyId],
        )
        return queued.length === 0
      })
      assert.equal(capture.to(recipient).length, 1)
    }
  })

  it('50 parallel sends with one key and 50 recipients start one verification', async () => {
    const { serverKey, companyId } = await createTenant(node)
    const key = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        sendWith(index % 2 ? node : other, serverKey, key, { recipient: freshPhone() }),
      ),
    )
    for (const answer of answers) assert.deepEqual(answer.body, answers[0]?.body)
    assert.deepEqual(await counts(companyId), one)
  })

  it('a second key and a second app of the company get the first answer, on every node', async () => {
    const { serverKey, appId, companyId } = await createTenant(node)
    const secondKey = await createKey(node, appId, 'server')
    const sibling = await createApp(node, companyId)
    const recipient = freshPhone()
    const key = randomUUID()
    const first = await sendWith(node, serverKey, key, { recipient })
    for (const apiKey of [serverKey, secondKey, sibling.serverKey]) {
      for (const on of [node, other]) {
        const again = await sendWith(on, apiKey, key, { recipient })
        assert.equal(again.status, 200)
        assert.deepEqual(again.body, first.body)
      }
    }
    assert.deepEqual(await counts(companyId), one)
  })

  it('another company’s same key is its own', async () => {
    const [mine, theirs] = [await createTenant(node), await createTenant(node)]
    const recipient = freshPhone()
    const key = randomUUID()
    const first = await sendWith(node, mine.serverKey, key, { recipient })
    const second = await sendWith(node, theirs.serverKey, key, { recipient })
    assert.equal(second.status, 200)
    assert.notEqual(second.body.otp_id, first.body.otp_id)
    for (const { companyId } of [mine, theirs]) assert.deepEqual(await counts(companyId), one)
  })

  for (const kind of ['serverKey', 'publishableKey'] as const) {
    it(`with a ${kind} the key alone decides: another recipient gets the first one’s verification`, async () => {
      const tenant = await createTenant(node)
      const key = randomUUID()
      const first = await sendWith(node, tenant[kind], key, { recipient: freshPhone() })
      const stranger = freshPhone()
      for (const recipient of [stranger, 'no recipient']) {
        const second = await sendWith(node, tenant[kind], key, { recipient })
        assert.equal(second.status, 200)
        assert.deepEqual(second.body, first.body)
      }
      assert.deepEqual(await counts(tenant.companyId), one)
      assert.equal(capture.to(stranger).length, 0)
    })
  }

  it('what a device has claimed never answers a backend, nor the other way round', async () => {
    const { serverKey, publishableKey } = await createTenant(node)
    const recipient = freshPhone()
    for (const [mine, theirs] of [
      [serverKey, publishableKey],
      [publishableKey, serverKey],
    ] as const) {
      const key = randomUUID()
      const first = await sendWith(node, mine, key, { recipient })
      const second = await sendWith(node, theirs, key, { recipient })
      assert.equal(second.status, 200)
      assert.notEqual(second.body.otp_id, first.body.otp_id)
      assert.deepEqual((await sendWith(node, mine, key, { recipient })).body, first.body)
      assert.deepEqual((await sendWith(node, theirs, key, { recipient })).body, second.body)
    }
  })

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

  it('a key of 129 characters is refused, one of 128 is taken, and an empty one is none', async () => {
    const { serverKey, companyId } = await createTenant(node)
    const recipient = freshPhone()
    for (const key of ['k'.repeat(129), 'k'.repeat(5_000)]) {
      assertRefused(await sendWith(node, serverKey, key, { recipient }), 422, 'InvalidIdempotencyKeyError')
    }
    assert.equal((await counts(companyId))?.verifications, '0')
    const key = 'k'.repeat(128)
    const first = await sendWith(node, serverKey, key, { recipient })
    assert.equal(first.status, 200)
    assert.deepEqual((await sendWith(node, serverKey, key, { recipient })).body, first.body)
    const differs = await sendWith(node, serverKey, `${key.slice(1)}K`, { recipient })
    assert.notEqual(differs.body.otp_id, first.body.otp_id)
    const [none, again] = [
      await sendWith(node, serverKey, '', { recipient }),
      await sendWith(node, serverKey, '', { recipient }),
    ]
    assert.deepEqual([none?.status, again?.status], [200, 200])
    assert.notEqual(none?.body.otp_id, again?.body.otp_id)
  })

  it('a refused send leaves its key free, and a corrected retry is judged afresh', async () => {
    const { serverKey, appId, companyId } = await createTenant(node, { geo: { countries: ['GB'] } })
    const recipient = freshPhone()
    const key = randomUUID()
    assertRefused(await sendWith(node, serverKey, key, { recipient: 'x' }), 422, 'InvalidRecipientError')
    assertRefused(await sendWith(node, serverKey, key, { recipient }), 403, 'GeoBlockedError')
    assert.equal((await counts(companyId))?.keys, '0')
    await node.manage('PATCH', `/apps/${appId}`, { geo: { countries: [] } })
    const corrected = await sendWith(node, serverKey, key, { recipient })
    assert.equal(corrected.status, 200)
    assert.deepEqual(
      (await sendWith(other, serverKey, key, { recipient: freshPhone() })).body,
      corrected.body,
    )
    assert.deepEqual(await counts(companyId), one)
  })

  it('of parallel sends with one key, refused ones do not take the key from the one that may go', async () => {
    const { serverKey, companyId } = await createTenant(node, { geo: { countries: ['FR'] } })
    const key = randomUUID()
    const recipients = Array.from({ length: 20 }, (_, index) =>
      index === 10 ? freshPhone() : `+336123456${String(index).padStart(2, '0')}`,
    )
    const answers = await Promise.all(
      recipients.map((recipient) => sendWith(node, serverKey, key, { recipient })),
    )
    const good = answers.filter((answer) => answer.status === 200)
    assert.ok(good.length >= 1)
    for (const answer of good) assert.deepEqual(answer.body, good[0]?.body)
    for (const answer of answers) if (answer.status !== 200) assertRefused(answer, 403, 'GeoBlockedError')
    assert.deepEqual(await counts(companyId), one)
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

  it('without a key every send starts a verification of its own', async () => {
    const { serverKey, companyId } = await createTenant(node)
    const recipient = freshPhone()
    const answers = await Promise.all([1, 2, 3].map(() => send(node, serverKey, { recipient })))
    assert.equal(new Set(answers.map((answer) => answer.body.otp_id)).size, 3)
    assert.equal((await counts(companyId))?.keys, '0')
  })
})
