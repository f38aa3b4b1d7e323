/** The idempotency key of a send: its scope, its format and its effect. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { createApp, createKey, createTenant, freshPhone, message, send, until } from './harness/fixtures.ts'
import type { Answer } from './harness/node.ts'
import { assertRefused } from './harness/refusals.ts'
import { one, sendWith, startIdempotency } from './idempotency-support.ts'

const { capture, database, nodes, counts, close } = await startIdempotency()
after(close)
const [node, other] = nodes

/** Sends each key in its own header line; fetch would join them. */
const sendTwice = (apiKey: string, keys: string[]) =>
  new Promise<Pick<Answer, 'status' | 'body'>>((resolve, reject) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'idempotency-key': keys }
    const asked = request(`${node.baseUrl}/api/v1/otp/send`, { method: 'POST', headers }, async (answer) =>
      resolve({ status: answer.statusCode ?? 0, body: await json(answer) }),
    )
    asked.on('error', reject)
    asked.end(JSON.stringify({ recipient: freshPhone() }))
  })

describe('the idempotency key of a send', () => {
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

  it('a key is counted in characters, however many bytes they take', async () => {
    const { serverKey } = await createTenant(node)
    /** As clients write it: the bytes of its UTF-8 form. */
    const sent = (key: string) =>
      sendWith(node, serverKey, Buffer.from(key).toString('latin1'), { recipient: freshPhone() })
    for (const character of ['é', '鍵', '🔑']) {
      const first = await sent(character.repeat(128))
      assert.equal(first.status, 200, JSON.stringify(first.body))
      assert.deepEqual((await sent(character.repeat(128))).body, first.body)
      assertRefused(await sent(character.repeat(129)), 422, 'InvalidIdempotencyKeyError')
    }
  })

  it('a key with a comma is one key, and two headers are refused and named', async () => {
    const { serverKey, companyId } = await createTenant(node)
    const sent = (...keys: string[]) => sendTwice(serverKey, keys)
    const first = await sent('a, b')
    assert.equal(first.status, 200)
    assert.deepEqual((await sent('a, b')).body, first.body)
    for (const keys of [
      ['a', 'b'],
      ['a', 'a'],
      ['', 'a'],
    ]) {
      const { status, body } = await sent(...keys)
      assert.deepEqual([status, body.error.type], [422, 'ValidationError'])
      assert.deepEqual(body.error.details.fields, [{ path: 'idempotency-key', message: 'must be sent once' }])
    }
    assert.deepEqual(await counts(companyId), one)
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

  it('without a key every send starts a verification of its own', async () => {
    const { serverKey, companyId } = await createTenant(node)
    const recipient = freshPhone()
    const answers = await Promise.all([1, 2, 3].map(() => send(node, serverKey, { recipient })))
    assert.equal(new Set(answers.map((answer) => answer.body.otp_id)).size, 3)
    assert.equal((await counts(companyId))?.keys, '0')
  })
})
