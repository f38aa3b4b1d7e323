/** What a live process knows about a message is never lost, so the message is never handed over again. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import type { SendOutcome } from '../src/channels/channel.ts'
import {
  abandon,
  busy,
  emptyQueue,
  makeDue,
  masterKeys,
  queued,
  rowsOf,
  settled,
  startQueue,
  withWorkers,
} from './deliveries-support.ts'
import { type Cable, layCable } from './harness/cable.ts'
import { Capture } from './harness/capture.ts'
import { until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

const { database, node: api, close } = await startQueue()
after(close)

/** A worker behind a cable, whose provider does something before it accepts. */
async function withCut(
  beforeAccepting: (cable: Cable) => Promise<void> | void,
  run: (parts: { cable: Cable; worker: Node; capture: Capture }) => Promise<void>,
): Promise<void> {
  const { cable, url } = await layCable(database.url)
  const capture = new Capture()
  let worker: Node | undefined
  try {
    capture.answerWith(async ({ deliveryId }) => {
      await beforeAccepting(cable)
      return { kind: 'accepted', messageId: deliveryId }
    })
    worker = await startNode(url, { capture, masterKeys, role: 'worker' })
    await run({ cable, worker, capture })
  } finally {
    cable.mend()
    await worker?.close()
    await cable.close()
  }
}

describe('what a living process knows of a message', () => {
  beforeEach(() => emptyQueue(database))

  it('is written when its connection was cut, and nobody hands the message over again', async () => {
    const other = new Capture()
    const { otpId, recipient } = await queued(api)
    await withCut(
      (cable) => cable.cut(),
      async ({ cable, capture }) => {
        await until('the provider to have it', () => capture.to(recipient).length === 1)
        await withWorkers(database, [other], async () => {
          // The lease has ended and another worker looks, but the holder's last heartbeat is recent.
          await makeDue(database, otpId)
          const seen = await queued(api)
          await settled(database, seen.otpId, 'sent')
          assert.equal((await rowsOf(database, otpId))[0]?.status, 'queued')
          cable.mend()
          const [row] = await settled(database, otpId, 'sent')
          assert.deepEqual([row?.attempt, row?.error_code, row?.charge], [1, null, 'captured'])
        })
        assert.equal(capture.to(recipient).length, 1)
      },
    )
    assert.equal(other.to(recipient).length, 0)
  })

  it('is written after its row was locked for long, and nobody hands the message over in between', async () => {
    const { otpId, recipient } = await queued(api)
    const captures = [new Capture(), new Capture()]
    const blocker = new pg.Client({ connectionString: database.url })
    await blocker.connect()
    for (const capture of captures) {
      capture.answerWith(async ({ deliveryId }) => {
        await blocker.query('begin')
        // It will be due when the lock is released.
        await blocker.query(`update deliveries set next_attempt_at = now() where otp_id = $1`, [otpId])
        return { kind: 'accepted', messageId: deliveryId }
      })
    }
    try {
      await withWorkers(database, captures, async (workers) => {
        await until(
          'the first try to write it to fail',
          () =>
            workers.some(({ logged }) =>
              logged.some(({ message }) => message.includes('wait to be written')),
            ),
          60_000,
        )
        await blocker.query('commit')
        const [row] = await settled(database, otpId, 'sent')
        assert.deepEqual([row?.attempt, row?.error_code], [1, null])
      })
    } finally {
      await blocker.end()
    }
    assert.equal(captures.flatMap((capture) => capture.to(recipient)).length, 1)
  })

  it('is written when it comes late: one that has taken the message over does not hand it over once more', async () => {
    const capture = new Capture()
    let calls = 0
    let release: (outcome: SendOutcome) => void = () => {}
    capture.answerWith(() =>
      ++calls === 1
        ? new Promise<SendOutcome>((resolve) => {
            release = resolve
          })
        : { kind: 'retry', error: busy, afterSeconds: 60 },
    )
    const { otpId } = await queued(api)
    await withWorkers(database, [capture, capture], async () => {
      await until('the first attempt', () => calls === 1)
      await until('the other worker to take it over', async () => {
        await abandon(database, otpId)
        return calls >= 2
      })
      release({ kind: 'accepted', messageId: 'late' })
      await settled(database, otpId, 'sent')
    })
    const { body } = await api.manage('GET', `/verifications/${otpId}`)
    assert.equal(body.deliveries[0].error.code, 'uncertain')
  })

  it('is still written when the process is told to stop while the database is away', async () => {
    const { otpId, recipient } = await queued(api)
    await withCut(
      (cable) => cable.cut(),
      async ({ cable, worker, capture }) => {
        await until('the provider to have it', () => capture.to(recipient).length === 1)
        const closing = worker.close()
        cable.mend()
        await closing
        assert.equal((await rowsOf(database, otpId))[0]?.status, 'sent')
      },
    )
  })

  it('is waited for by a node that was without the database itself, before it takes anything over', async () => {
    const { otpId, recipient } = await queued(api)
    await database.query(
      `update deliveries set attempt = 1, held_by = 'unheard of', next_attempt_at = now() + interval '1 hour' where otp_id = $1`,
      [otpId],
    )
    await withCut(
      () => {},
      async ({ cable, worker, capture }) => {
        cable.cut()
        await until('the worker to notice', () =>
          worker.logged.some(({ message }) => message === 'looking for deliveries failed'),
        )
        await makeDue(database, otpId)
        cable.mend()
        const mendedAtMs = performance.now()
        // Other messages are handed over meanwhile.
        const waiting = await queued(api)
        await settled(database, waiting.otpId, 'sent')
        await until('it to be taken over', () => capture.to(recipient).length === 1)
        assert.ok(performance.now() - mendedAtMs >= 14_000)
      },
    )
  })
})
