/** Queued deliveries: each is sent once, by any node, and none delays another. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import type { SendOutcome } from '../src/channels/channel.ts'
import {
  balanceOf,
  busy,
  emptyQueue,
  queued,
  rowsOf,
  settled,
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

describe('deliveries', () => {
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
    // No more at once than may wait for acceptance on a busy machine.
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
    // One attempt more does not mean a second message: on a busy machine a claim may be lost, or come too late.
    const takenOver = await database.query(
      'select 1 from deliveries where app_id = $1 and taken_over_at is not null',
      [appId],
    )
    assert.equal(takenOver.length, 0)
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
        // Less than the deadline of the deliveries that hang.
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
    await database.query(
      `update verifications set status = 'approved', verified_at = now(), event_id = 'evt_x' where otp_id = $1`,
      [finished.otpId],
    )
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
