import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, describe, it } from 'node:test'
import { Capture } from './harness/capture.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

const masterKey = randomBytes(32)
const error = { code: 'busy', message: 'Not now.' }
const calm = { pumping: { mode: 'off' } }

describe('how an attempt ends', { timeout: 240_000 }, () => {
  let database: TestDatabase
  /** Accepts sends and delivers nothing: what it queues waits for a worker of the test. */
  let api: Node

  before(async () => {
    database = await createTestDatabase()
    api = await startNode(database.url, { role: 'api', masterKeys: { secrets: [masterKey] } })
  })
  // What one test left waiting is not the next one's work.
  beforeEach(() => database.query(`delete from deliveries where status = 'queued'`))
  after(async () => {
    await api?.close()
    await database?.close()
  })

  async function withWorkers(captures: readonly Capture[], run: (workers: Node[]) => Promise<void>) {
    const workers: Node[] = []
    try {
      for (const capture of captures) {
        const options = { capture, masterKeys: { secrets: [masterKey] as [Buffer] } }
        workers.push(await startNode(database.url, options))
      }
      await run(workers)
    } finally {
      await Promise.all(workers.map((worker) => worker.close()))
    }
  }
  interface Row {
    delivery_id: string
    status: string
    attempt: number
    pause_s: number
    error_code: string | null
    charge: string
    updated_at: Date
  }
  const rowsOf = (otpId: string) =>
    database.query<Row>(
      `select delivery_id, status, attempt, error_code, charge, updated_at,
              extract(epoch from next_attempt_at - updated_at)::float as pause_s
         from deliveries where otp_id = $1 order by delivery_id`,
      [otpId],
    )
  const settled = (otpId: string, status: string) =>
    until(`a delivery that is ${status}`, async () => {
      const rows = await rowsOf(otpId)
      return rows.length > 0 && rows.every((row) => row.status === status) && rows
    })
  const makeDue = (otpId: string) =>
    database.query(`update deliveries set next_attempt_at = now() where otp_id = $1 and status = 'queued'`, [
      otpId,
    ])
  const balanceOf = async (companyId: string) =>
    (await api.manage('GET', `/companies/${companyId}`)).body.balance as string
  const eventsOf = async (otpId: string) =>
    (
      await database.query<{ type: string }>('select type from events where otp_id = $1 order by event_id', [
        otpId,
      ])
    ).map((event) => event.type)
  async function queued(settings: Record<string, unknown> = {}, recipient = freshPhone()) {
    const tenant = await createTenant(api, { ...calm, ...settings })
    const { body } = await send(api, tenant.serverKey, { recipient })
    assert.equal(body.status, 'pending')
    return { ...tenant, recipient, otpId: body.otp_id as string }
  }

  it('a provider that errs is tried again after 1, 2, 4, 8, 16 and then every 30 seconds', async () => {
    const capture = new Capture()
    capture.answerWith(() => ({ kind: 'retry', error, afterSeconds: null }))
    const { otpId, companyId, recipient } = await queued()
    await withWorkers([capture], async () => {
      let seen = 0
      for (const [index, seconds] of [1, 2, 4, 8, 16, 30, 30].entries()) {
        const row = await until(`attempt ${index + 1}`, async () => {
          const [found] = await rowsOf(otpId)
          if (!found?.error_code || found.attempt !== index + 1) return undefined
          return found.updated_at.getTime() > seen && found
        })
        assert.ok(Math.abs(row.pause_s - seconds) < 0.5, `attempt ${index + 1}: ${row.pause_s} s`)
        assert.equal(row.status, 'queued')
        assert.equal(row.charge, 'reserved')
        seen = row.updated_at.getTime()
        await makeDue(otpId)
      }
      capture.answerWith(null)
      await makeDue(otpId)
      await settled(otpId, 'sent')
      assert.equal(capture.to(recipient).length, 1)
      assert.equal(await balanceOf(companyId), '999.950000')
    })
  })

  it('a provider that asks for a longer pause gets it, within the code’s life', async () => {
    const capture = new Capture()
    let asked = 20
    capture.answerWith(() => ({ kind: 'retry', error, afterSeconds: asked }))
    const { otpId } = await queued()
    await withWorkers([capture], async () => {
      const [row] = await until('the first attempt', async () => {
        const rows = await rowsOf(otpId)
        return rows[0]?.error_code ? rows : undefined
      })
      assert.ok(Math.abs((row?.pause_s ?? 0) - 20) < 0.5, String(row?.pause_s))
      asked = 86_400
      await makeDue(otpId)
      await until('the second attempt', async () => {
        const [found] = await database.query<{ is_bounded: boolean; attempt: number }>(
          'select attempt, next_attempt_at = give_up_at as is_bounded from deliveries where otp_id = $1',
          [otpId],
        )
        return found?.attempt === 2 && found.is_bounded
      })
    })
  })

  it('when the code’s life ends a delivery fails, is not sent, and the money comes back', async () => {
    const capture = new Capture()
    capture.answerWith(() => ({ kind: 'retry', error, afterSeconds: null }))
    const { otpId, companyId, recipient } = await queued()
    await withWorkers([capture], async () => {
      await until('an attempt', async () => (await rowsOf(otpId))[0]?.error_code)
      capture.answerWith(null)
      await database.query(
        'update deliveries set give_up_at = now(), next_attempt_at = now() where otp_id = $1',
        [otpId],
      )
      const [row] = await settled(otpId, 'failed')
      assert.equal(row?.charge, 'returned')
      assert.equal(row?.error_code, 'expired')
    })
    assert.equal(capture.to(recipient).length, 0)
    assert.equal(await balanceOf(companyId), '1000.000000')
    assert.deepEqual(await eventsOf(otpId), ['delivery.failed'])
  })

  it('a refusal is not tried again, and the money comes back', async () => {
    const capture = new Capture()
    let calls = 0
    capture.answerWith(() => {
      calls++
      return { kind: 'refused', error: { code: 'no', message: 'Never.' } }
    })
    const { otpId, companyId, serverKey } = await queued()
    await withWorkers([capture], async (workers) => {
      await settled(otpId, 'failed')
      const seen = await workers[0]?.call('GET', `/api/v1/otp/${otpId}`, { key: serverKey })
      assert.deepEqual(seen?.body.deliveries[0].error, { code: 'no', message: 'Never.' })
      assert.equal(seen?.body.status, 'pending')
    })
    assert.equal(calls, 1)
    assert.equal(await balanceOf(companyId), '1000.000000')
    assert.deepEqual(await eventsOf(otpId), ['delivery.failed'])
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
      const { otpId, companyId } = await queued()
      const bystander = await queued()
      await withWorkers([capture], async () => {
        const [row] = await settled(otpId, 'sent')
        assert.equal(row?.charge, 'captured')
        await database.query('update deliveries set next_attempt_at = now() where otp_id = $1', [otpId])
        await settled(bystander.otpId, 'sent')
      })
      assert.equal(calls, 2)
      assert.equal(await balanceOf(companyId), '999.950000')
      assert.deepEqual(await eventsOf(otpId), [])
    }
  })

  it('what a provider calls unreachable is remembered for 30 days, for this app and recipient alone', async () => {
    const capture = new Capture()
    const { otpId, serverKey, recipient, appId } = await queued({ routing: { default: ['whatsapp', 'sms'] } })
    capture.answerWith((outgoing, channel) =>
      outgoing.recipient === recipient && channel === 'whatsapp'
        ? { kind: 'unreachable', error: { code: 'not_here', message: 'Not on WhatsApp.' } }
        : { kind: 'accepted', messageId: `u-${outgoing.deliveryId}` },
    )
    const other = await createTenant(api, { routing: { default: ['whatsapp', 'sms'] } })
    await withWorkers([capture], async () => {
      await settled(otpId, 'failed')
      const [memory] = await database.query<{ days: number; channel: string }>(
        `select channel, extract(epoch from expires_at - now())::float / 86400 as days from unreachable where app_id = $1`,
        [appId],
      )
      assert.equal(memory?.channel, 'whatsapp')
      assert.ok(memory && memory.days > 29.99 && memory.days <= 30)
      assert.equal((await send(api, serverKey, { recipient })).body.channel, 'sms')
      assert.equal((await send(api, serverKey, { recipient: freshPhone() })).body.channel, 'whatsapp')
      assert.equal((await send(api, other.serverKey, { recipient })).body.channel, 'whatsapp')
    })
  })
})
