import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import type { SendOutcome } from '../src/channels/channel.ts'
import {
  abandon,
  balanceOf,
  busy,
  emptyQueue,
  eventsOf,
  queued,
  rowsOf,
  settled,
  startApart,
  startQueue,
  withWorkers,
} from './deliveries-support.ts'
import { Capture } from './harness/capture.ts'
import {
  createTenant,
  freshEmail,
  freshPhone,
  message,
  resend,
  send,
  sendPatiently,
  until,
} from './harness/fixtures.ts'

const { database, node: api, close } = await startQueue()
after(close)

/** A node of its own that takes deliveries, says which, never hears back from its provider, and can be killed. */
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

describe('deliveries', { timeout: 240_000 }, () => {
  beforeEach(() => emptyQueue(database))

  it('are finished while further sends of their company are being decided', async () => {
    const { serverKey, companyId, recipient, otpId } = await queued(api)
    const blocker = new pg.Client({ connectionString: database.url })
    await blocker.connect()
    const capture = new Capture()
    let open: () => void = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    capture.answerWith(async ({ deliveryId }) => {
      await gate
      return { kind: 'accepted', messageId: deliveryId }
    })
    try {
      await withWorkers(database, [capture], async () => {
        await until('a worker to have it', async () => (await rowsOf(database, otpId))[0]?.attempt === 1)
        await blocker.query('begin')
        await blocker.query('select 1 from limits where company_id = $1 for update', [companyId])
        const further = send(api, serverKey, { recipient })
        await until('it to hold the company and wait for a limit', async () => {
          const waiting = await database.query(
            `select 1 from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock' and query like '%from limits%'`,
          )
          return waiting.length > 0
        })
        open()
        await until('it to be sent', async () => (await rowsOf(database, otpId))[0]?.status === 'sent')
        await blocker.query('rollback')
        assert.equal((await further).status, 200)
      })
    } finally {
      open()
      await blocker.end()
    }
  })

  it('of 1,000 queued deliveries two nodes send each exactly once', async () => {
    const { serverKey, appId } = await createTenant(api)
    const recipients = Array.from({ length: 1_000 }, () => freshPhone())
    // No more at once than wait to be accepted on a machine that is busy with other things.
    for (let from = 0; from < recipients.length; from += 200) {
      const some = recipients.slice(from, from + 200)
      const answers = await Promise.all(some.map((recipient) => sendPatiently(api, serverKey, { recipient })))
      assert.ok(answers.every((answer) => answer.status === 200))
    }
    const captures = [new Capture(), new Capture()]
    const working = new Set<Capture>()
    let count = 0
    for (const capture of captures) {
      capture.answerWith(async () => {
        working.add(capture)
        await until('both nodes are at work', () => working.size === 2)
        return { kind: 'accepted', messageId: `t-${++count}` }
      })
    }
    await withWorkers(database, captures, async () => {
      await until(
        'all are sent',
        async () => {
          const left = await database.query(
            `select 1 from deliveries where app_id = $1 and status <> 'sent'`,
            [appId],
          )
          return left.length === 0
        },
        60_000,
      )
    })
    for (const recipient of recipients)
      assert.equal(captures.flatMap((capture) => capture.to(recipient)).length, 1)
    assert.equal(
      captures.reduce((sum, capture) => sum + capture.messages.length, 0),
      1_000,
    )
    // An attempt more is no second message: on a busy machine a claim may be lost, or come too late to begin.
    const takenOver = await database.query(
      'select 1 from deliveries where app_id = $1 and taken_over_at is not null',
      [appId],
    )
    assert.equal(takenOver.length, 0)
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
      await database.query(
        `update deliveries set next_attempt_at = next_attempt_at - interval '30 seconds' where app_id = $1`,
        [appId],
      )
      // A message of another company has gone through: the workers have looked since.
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
    await database.query(`update verifications set status = 'approved' where otp_id = $1`, [otpId])
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
      await until(
        'the other worker to take it over',
        async () => {
          await abandon(database, otpId)
          return calls === 2
        },
        30_000,
      )
      await settled(database, otpId, 'sent')
      release({ kind: 'refused', error: busy })
    })
    assert.equal((await settled(database, otpId, 'sent'))[0]?.attempt, 2)
    assert.deepEqual(await eventsOf(database, otpId), [])
    assert.equal(await balanceOf(api, companyId), '999.950000')
  })

  it('a channel whose provider never answers does not delay another', async () => {
    const capture = new Capture()
    const hanging: (() => void)[] = []
    capture.answerWith((outgoing, channel, signal) =>
      channel === 'sms'
        ? new Promise<SendOutcome>((resolve) => {
            const end = () => resolve({ kind: 'retry', error: busy, afterSeconds: null })
            hanging.push(end)
            signal.addEventListener('abort', end)
          })
        : { kind: 'accepted', messageId: outgoing.deliveryId },
    )
    const { serverKey } = await createTenant(api)
    await Promise.all(Array.from({ length: 300 }, () => send(api, serverKey, { recipient: freshPhone() })))
    await withWorkers(database, [capture], async ([worker]) => {
      assert.ok(worker)
      await until('the slow account is busy', () => hanging.length >= 25)
      for (const _ of [1, 2, 3]) {
        const recipient = freshEmail()
        const { body } = await send(worker, serverKey, { recipient })
        await message(worker, recipient)
        await settled(database, body.otp_id, 'sent')
        const [row] = await database.query<{ took_s: number }>(
          'select extract(epoch from sent_at - created_at)::float as took_s from deliveries where otp_id = $1',
          [body.otp_id],
        )
        // Less than the deadline of those that hang.
        assert.ok(row && row.took_s < 10, `${row?.took_s} s`)
      }
      await database.query(`update deliveries set give_up_at = now() where status = 'queued'`)
      for (const end of hanging) end()
    })
  })

  it('a queued delivery whose code was replaced, or whose verification is finished, is not sent and is paid back', async () => {
    const replaced = await queued(api, { max_sends: 5 })
    assert.equal((await resend(api, replaced.serverKey, replaced.otpId, 'sms')).status, 200)
    const finished = await queued(api)
    await database.query(`update verifications set status = 'approved' where otp_id = $1`, [finished.otpId])
    const capture = new Capture()
    await withWorkers(database, [capture], async () => {
      await settled(database, finished.otpId, 'failed')
      const [old, fresh] = await until('both are settled', async () => {
        const rows = await rowsOf(database, replaced.otpId)
        return rows.every((row) => row.status !== 'queued') && rows
      })
      assert.deepEqual([old?.status, old?.error_code, old?.charge], ['failed', 'superseded', 'returned'])
      assert.deepEqual([fresh?.status, fresh?.charge], ['sent', 'captured'])
    })
    assert.equal(capture.to(replaced.recipient).length, 1)
    assert.equal(capture.to(finished.recipient).length, 0)
    assert.equal(await balanceOf(api, replaced.companyId), '999.950000')
    assert.equal(await balanceOf(api, finished.companyId), '1000.000000')
  })
})
