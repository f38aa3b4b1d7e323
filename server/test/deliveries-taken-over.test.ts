/** What a worker had in flight when it died, or when its lease ended. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, beforeEach, describe, it } from 'node:test'
import type { SendOutcome } from '../src/channels/channel.ts'
import { openDatabase } from '../src/platform/database.ts'
import { isGraceOver } from '../src/platform/pulse.ts'
import {
  abandon,
  balanceOf,
  busy,
  emptyQueue,
  eventsOf,
  queued,
  settled,
  startApart,
  startQueue,
  withWorkers,
} from './deliveries-support.ts'
import { Capture } from './harness/capture.ts'
import { createTenant, freshPhone, send, until } from './harness/fixtures.ts'
import { createVirtualClock } from './harness/virtual-clock.ts'

const { database, node: api, close } = await startQueue()
after(close)

/** A separate node that claims deliveries, reports them, never gets an answer from its provider, and can be killed. */
const WORKER_PROGRAM = `
  const { startNode } = await import(process.env.NODE_URL)
  const { Capture } = await import(process.env.CAPTURE_URL)
  const capture = new Capture()
  capture.answerWith(({ deliveryId }) => {
    process.stdout.write(deliveryId + '\\n')
    return new Promise(() => {})
  })
  const secrets = [Buffer.from(process.env.TEST_MASTER_KEY, 'hex')]
  await startNode(process.env.TEST_DATABASE, { role: 'worker', capture, masterKeys: { secrets } })
`

describe('deliveries of a worker that is gone', () => {
  beforeEach(() => emptyQueue(database))

  it('may be taken over where PostgreSQL was started under a clock that was ahead', async () => {
    const clock = await createVirtualClock(database)
    const moved = openDatabase(clock.url, 1, () => {})
    try {
      for (const daysBehind of [1, 30]) {
        await clock.advance(-daysBehind * 86_400)
        const { rows } = await moved.query({ text: `select ${isGraceOver} as is_over` })
        assert.deepEqual(rows, [{ is_over: true }])
      }
    } finally {
      await moved.close()
      await database.query('drop schema virtual cascade')
    }
  })

  it('what a killed worker had in flight is taken over when its lease ends, sent once more, and says so', async () => {
    const { serverKey, appId } = await createTenant(api)
    const recipients = Array.from({ length: 20 }, () => freshPhone())
    const answers = await Promise.all(recipients.map((recipient) => send(api, serverKey, { recipient })))
    const child = startApart(WORKER_PROGRAM, database)
    const exited = once(child, 'exit')
    const taken: string[] = []
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        taken.push(line)
        if (taken.length === recipients.length) break
      }
    } finally {
      child.kill('SIGKILL')
      await exited
    }
    assert.equal(new Set(taken).size, recipients.length)
    const [lease] = await database.query<{ longest: number; states: string }>(
      `select max(extract(epoch from next_attempt_at - now()))::float as longest, string_agg(distinct status, ',') as states
         from deliveries where app_id = $1`,
      [appId],
    )
    assert.equal(lease?.states, 'queued')
    assert.ok(lease && lease.longest > 0 && lease.longest <= 30, `${lease?.longest} s`)

    const capture = new Capture()
    const takenAgain = async () => {
      const [row] = await database.query<{ count: number }>(
        `select count(*)::integer as count from deliveries where app_id = $1 and attempt > 1`,
        [appId],
      )
      return row?.count
    }
    await withWorkers(database, [capture, capture], async () => {
      assert.equal(await takenAgain(), 0, 'a lease is respected while it lasts')
      // As if it had just sent a heartbeat, however long this machine took to get here.
      await database.query(`update workers set expires_at = now() + interval '25 seconds'`)
      await database.query(
        `update deliveries set next_attempt_at = next_attempt_at - interval '30 seconds' where app_id = $1`,
        [appId],
      )
      // Once another company's message is sent, the workers have looked.
      const other = await queued(api)
      await settled(database, other.otpId, 'sent')
      assert.equal(await takenAgain(), 0, 'nobody takes over from one who was heard of shortly before')
      await database.query('delete from workers')
      await until('all are sent', async () => {
        const left = await database.query(`select 1 from deliveries where app_id = $1 and status <> 'sent'`, [
          appId,
        ])
        return left.length === 0
      })
    })
    for (const recipient of recipients) assert.equal(capture.to(recipient).length, 1)
    const { body } = await api.call('GET', `/api/v1/otp/${answers[0]?.body.otp_id}`, { key: serverKey })
    const [delivery] = body.deliveries
    assert.deepEqual([delivery.status, delivery.attempts, delivery.error.code], ['sent', 2, 'uncertain'])
    const { body: story } = await api.manage('GET', `/verifications/${answers[0]?.body.otp_id}`)
    assert.deepEqual(
      story.timeline.map((entry: { kind: string }) => entry.kind),
      ['started', 'queued', 'taken_over', 'sent'],
    )
  })

  it('what was in flight when a second process died is not sent a third time, nor said to have failed', async () => {
    const { otpId, recipient, companyId } = await queued(api)
    await database.query(
      `update deliveries set attempt = 2, held_by = 'dead', taken_over_at = now() - interval '1 minute',
              next_attempt_at = now() where otp_id = $1`,
      [otpId],
    )
    const capture = new Capture()
    await withWorkers(database, [capture], async () => {
      const [row] = await settled(database, otpId, 'sent')
      assert.deepEqual([row?.error_code, row?.charge], ['uncertain', 'captured'])
    })
    assert.equal(capture.to(recipient).length, 0)
    assert.deepEqual(await eventsOf(database, otpId), [])
    assert.equal(await balanceOf(api, companyId), '999.950000')
  })

  it('what was in flight when a process died, and helps nobody any more, is not said to have failed', async () => {
    const { otpId, recipient } = await queued(api)
    await database.query(
      `update deliveries set attempt = 1, held_by = 'dead', next_attempt_at = now() where otp_id = $1`,
      [otpId],
    )
    await database.query(
      `update verifications set status = 'approved', verified_at = now(), event_id = 'evt_x' where otp_id = $1`,
      [otpId],
    )
    const capture = new Capture()
    await withWorkers(database, [capture], async () => {
      assert.equal((await settled(database, otpId, 'sent'))[0]?.error_code, 'uncertain')
    })
    assert.equal(capture.to(recipient).length, 0)
  })

  it('an attempt that ends after its lease changes nothing any more', async () => {
    const capture = new Capture()
    let calls = 0
    let release: (outcome: SendOutcome) => void = () => {}
    capture.answerWith(() =>
      ++calls === 1
        ? new Promise<SendOutcome>((resolve) => {
            release = resolve
          })
        : { kind: 'accepted', messageId: 'second' },
    )
    const { otpId, companyId } = await queued(api)
    await withWorkers(database, [capture, capture], async () => {
      await until('the first attempt', () => calls === 1)
      await until('the other worker to take it over', async () => {
        await abandon(database, otpId)
        return calls === 2
      })
      await settled(database, otpId, 'sent')
      release({ kind: 'refused', error: busy })
    })
    assert.equal((await settled(database, otpId, 'sent'))[0]?.attempt, 2)
    assert.deepEqual(await eventsOf(database, otpId), [])
    assert.equal(await balanceOf(api, companyId), '999.950000')
  })
})
