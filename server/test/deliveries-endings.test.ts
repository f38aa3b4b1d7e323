import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import {
  balanceOf,
  busy,
  emptyQueue,
  eventsOf,
  makeDue,
  noteRests,
  queued,
  restAfter,
  rowsOf,
  settled,
  startQueue,
  withWorkers,
} from './deliveries-support.ts'
import { Capture } from './harness/capture.ts'
import { createTenant, freshPhone, send, until } from './harness/fixtures.ts'

const { database, node: api, close } = await startQueue()
after(close)
await noteRests(database)

describe('how an attempt ends', () => {
  beforeEach(() => emptyQueue(database))

  it('a provider that errs is tried again after 1, 2, 4, 8, 16 and then every 30 seconds', async () => {
    const capture = new Capture()
    capture.answerWith(() => ({ kind: 'retry', error: busy, afterSeconds: null }))
    const { otpId, companyId, recipient } = await queued(api)
    await withWorkers(database, [capture], async () => {
      for (const [index, seconds] of [1, 2, 4, 8, 16, 30, 30].entries()) {
        const rest = await restAfter(database, otpId, index + 1)
        assert.ok(Math.abs(rest.pause_s - seconds) < 0.5, `attempt ${index + 1}: ${rest.pause_s} s`)
        assert.equal(rest.charge, 'reserved')
        await makeDue(database, otpId)
      }
      capture.answerWith(null)
      await makeDue(database, otpId)
      await settled(database, otpId, 'sent')
      assert.equal(capture.to(recipient).length, 1)
      assert.equal(await balanceOf(api, companyId), '999.950000')
    })
  })

  it('a provider that asks for a longer pause gets it, within the code’s life', async () => {
    const capture = new Capture()
    let asked = 20
    capture.answerWith(() => ({ kind: 'retry', error: busy, afterSeconds: asked }))
    const { otpId } = await queued(api)
    await withWorkers(database, [capture], async () => {
      const [row] = await until('the first attempt', async () => {
        const rows = await rowsOf(database, otpId)
        return rows[0]?.error_code ? rows : undefined
      })
      assert.ok(Math.abs((row?.pause_s ?? 0) - 20) < 0.5, String(row?.pause_s))
      asked = 86_400
      await makeDue(database, otpId)
      await until('the second attempt', async () => {
        const [found] = await database.query<{ is_bounded: boolean; attempt: number }>(
          'select attempt, next_attempt_at = give_up_at as is_bounded from deliveries where otp_id = $1',
          [otpId],
        )
        return found?.attempt === 2 && found.is_bounded
      })
    })
  })

  it('when the code’s life ends a delivery fails and says what the last try met, is not sent, and the money comes back', async () => {
    const capture = new Capture()
    // Long enough that there is no retry before the message expires.
    capture.answerWith(() => ({ kind: 'retry', error: busy, afterSeconds: 60 }))
    const { otpId, companyId, recipient, serverKey } = await queued(api)
    await withWorkers(database, [capture], async (workers) => {
      await until('an attempt', async () => (await rowsOf(database, otpId))[0]?.error_code)
      capture.answerWith(null)
      await database.query(
        'update deliveries set give_up_at = now(), next_attempt_at = now() where otp_id = $1',
        [otpId],
      )
      const [row] = await settled(database, otpId, 'failed')
      assert.equal(row?.charge, 'returned')
      const seen = await workers[0]?.call('GET', `/api/v1/otp/${otpId}`, { key: serverKey })
      assert.deepEqual(seen?.body.deliveries[0].error, {
        code: 'expired',
        message: `The code expired before a provider took the message. The last problem: ${busy.message}`,
      })
    })
    assert.equal(capture.to(recipient).length, 0)
    assert.equal(await balanceOf(api, companyId), '1000.000000')
    assert.deepEqual(await eventsOf(database, otpId), ['delivery.failed'])
  })

  it('a refusal is not tried again, and the money comes back', async () => {
    const capture = new Capture()
    let calls = 0
    capture.answerWith(() => {
      calls++
      return { kind: 'refused', error: { code: 'no', message: 'Never.' } }
    })
    const { otpId, companyId, serverKey } = await queued(api)
    await withWorkers(database, [capture], async (workers) => {
      await settled(database, otpId, 'failed')
      const seen = await workers[0]?.call('GET', `/api/v1/otp/${otpId}`, { key: serverKey })
      assert.deepEqual(seen?.body.deliveries[0].error, { code: 'no', message: 'Never.' })
      assert.equal(seen?.body.status, 'pending')
    })
    assert.equal(calls, 1)
    assert.equal(await balanceOf(api, companyId), '1000.000000')
    assert.deepEqual(await eventsOf(database, otpId), ['delivery.failed'])
  })

  it('what may have left is sent, paid and never sent again, also when the account throws', async () => {
    for (const ending of ['uncertain', 'thrown'] as const) {
      const capture = new Capture()
      let calls = 0
      capture.answerWith(() => {
        calls++
        if (ending === 'thrown') throw new Error('unexpected')
        return { kind: 'uncertain', error: { code: 'lost', message: 'The connection was lost.' } }
      })
      const { otpId, companyId } = await queued(api)
      const bystander = await queued(api)
      await withWorkers(database, [capture], async () => {
        const [row] = await settled(database, otpId, 'sent')
        assert.equal(row?.charge, 'captured')
        await database.query('update deliveries set next_attempt_at = now() where otp_id = $1', [otpId])
        await settled(database, bystander.otpId, 'sent')
      })
      assert.equal(calls, 2)
      assert.equal(await balanceOf(api, companyId), '999.950000')
      assert.deepEqual(await eventsOf(database, otpId), [])
    }
  })

  it('what a provider calls unreachable is remembered for 30 days, for this app and recipient alone', async () => {
    const capture = new Capture()
    const { otpId, serverKey, recipient, appId } = await queued(api, {
      routing: { default: ['whatsapp', 'sms'] },
    })
    capture.answerWith((outgoing, channel) =>
      outgoing.recipient === recipient && channel === 'whatsapp'
        ? { kind: 'unreachable', error: { code: 'not_here', message: 'Not on WhatsApp.' } }
        : { kind: 'accepted', messageId: `u-${outgoing.deliveryId}` },
    )
    const other = await createTenant(api, { routing: { default: ['whatsapp', 'sms'] } })
    await withWorkers(database, [capture], async () => {
      await settled(database, otpId, 'failed')
      const remembered = async () => {
        const [row] = await database.query<{ days: number; channel: string }>(
          `select channel, extract(epoch from expires_at - now())::float / 86400 as days from unreachable where app_id = $1`,
          [appId],
        )
        return row
      }
      const memory = await remembered()
      assert.equal(memory?.channel, 'whatsapp')
      assert.ok(memory && memory.days > 29.99 && memory.days <= 30)
      assert.equal((await send(api, serverKey, { recipient })).body.channel, 'sms')
      assert.equal((await send(api, serverKey, { recipient: freshPhone() })).body.channel, 'whatsapp')
      assert.equal((await send(api, other.serverKey, { recipient })).body.channel, 'whatsapp')
      // Over, and perhaps not deleted yet.
      await database.query('update unreachable set expires_at = now() where app_id = $1', [appId])
      assert.equal((await send(api, serverKey, { recipient })).body.channel, 'whatsapp')
      await until('it is remembered anew', async () => ((await remembered())?.days ?? 0) > 29.99)
    })
  })
})
