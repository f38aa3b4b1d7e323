/** Outcomes and receipts are written in batches, and each is judged as if it came alone. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import type { Receipt } from '../src/channels/channel.ts'
import { createFinishes } from '../src/domain/delivery/index.ts'
import type { AppId, CompanyId, OtpId } from '../src/platform/ids.ts'
import { newId } from '../src/platform/ids.ts'
import { emptyQueue, masterKeys, startQueue } from './deliveries-support.ts'
import { Capture } from './harness/capture.ts'
import { createTenant, freshPhone, sendPatiently, until } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'

const { database, node: api, close } = await startQueue()
after(close)
const broken = { code: 'broken', message: 'A text that no row can hold: \u0000' }

/** Messages of several companies that a worker has claimed for their first attempt. */
async function taken(companies: number, each: number) {
  const appIds: string[] = []
  for (let count = 0; count < companies; count++) {
    const { serverKey, appId } = await createTenant(api)
    appIds.push(appId)
    await Promise.all(
      Array.from({ length: each }, () => sendPatiently(api, serverKey, { recipient: freshPhone() })),
    )
  }
  const rows = await database.query<{
    company_id: string
    app_id: string
    delivery_id: string
    otp_id: string
  }>(
    `update deliveries set attempt = 1, held_by = 'test', next_attempt_at = now() + interval '1 hour'
      where app_id = any($1) returning company_id, app_id, delivery_id, otp_id`,
    [appIds],
  )
  return rows.map((row) => ({
    companyId: row.company_id as CompanyId,
    appId: row.app_id as AppId,
    deliveryId: row.delivery_id,
    otpId: row.otp_id as OtpId,
    attempt: 1,
    further: 0,
    tried: null,
    error: null,
    providerId: 'capture-sms',
    message: null,
    sentText: null,
    entryId: newId('entry', Date.now()),
  }))
}

const statesOf = async (deliveryIds: readonly string[]) => {
  const rows = await database.query<{ status: string; count: number }>(
    'select status, count(*)::integer as count from deliveries where delivery_id = any($1) group by 1 order by 1',
    [deliveryIds],
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

describe('outcomes that are written together', () => {
  beforeEach(() => emptyQueue(database))

  it('of several companies are each written, with their entries, in few statements', async () => {
    const rows = await taken(3, 20)
    const { sent } = createFinishes(api.app)
    await Promise.all(rows.map(sent))
    assert.deepEqual(await statesOf(rows.map(({ deliveryId }) => deliveryId)), { sent: 60 })
    const captures = await database.query<{ count: number }>(
      `select count(*)::integer as count from ledger l join deliveries d on d.company_id = l.company_id and d.delivery_id = l.delivery_id
        where l.kind = 'capture' and l.delivery_id = any($1) group by l.company_id`,
      [rows.map(({ deliveryId }) => deliveryId)],
    )
    assert.deepEqual(captures, [{ count: 20 }, { count: 20 }, { count: 20 }])
  })

  it('do not fail with one that cannot be written, now or when it comes again', async () => {
    const rows = await taken(1, 20)
    const [poisoned, ...others] = rows
    assert.ok(poisoned)
    const { sent } = createFinishes(api.app)
    const bad = { ...poisoned, error: broken }
    const first = others.slice(0, 10)
    const results = await Promise.allSettled([sent(bad), ...first.map(sent)])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', ...first.map(() => 'fulfilled')],
    )
    const again = await Promise.allSettled([sent(bad), ...others.slice(10).map(sent)])
    assert.equal(again[0]?.status, 'rejected')
    assert.deepEqual(await statesOf(rows.map(({ deliveryId }) => deliveryId)), { queued: 1, sent: 19 })
  })

  it('do not wait for one whose row is locked, and it is written when the lock is gone', async () => {
    const rows = await taken(1, 10)
    const [locked, ...others] = rows
    assert.ok(locked)
    const blocker = new pg.Client({ connectionString: database.url })
    await blocker.connect()
    try {
      await blocker.query('begin')
      await blocker.query('select 1 from deliveries where delivery_id = $1 for update', [locked.deliveryId])
      const { sent } = createFinishes(api.app)
      const late = sent(locked)
      await Promise.all(others.map(sent))
      assert.deepEqual(await statesOf(rows.map(({ deliveryId }) => deliveryId)), { queued: 1, sent: 9 })
      await blocker.query('commit')
      await late
      assert.deepEqual(await statesOf([locked.deliveryId]), { sent: 1 })
    } finally {
      await blocker.end()
    }
  })

  it('are good for their own attempts only, except that a provider took the message', async () => {
    const rows = await taken(1, 3)
    const [late, failing, waiting] = rows
    assert.ok(late && failing && waiting)
    await database.query('update deliveries set attempt = 2 where delivery_id = any($1)', [
      rows.map(({ deliveryId }) => deliveryId),
    ])
    const finishes = createFinishes(api.app)
    const event = { eventId: newId('event', Date.now()), body: '{}' }
    const error = { code: 'no', message: 'No.' }
    await Promise.all([
      finishes.sent(late),
      finishes.failed({ ...failing, error, isUnreachable: false, event }),
      finishes.postponed({ ...waiting, error, afterSeconds: 5 }),
    ])
    assert.deepEqual(await statesOf([late.deliveryId]), { sent: 1 })
    const left = await database.query(
      'select status, error_code, held_by from deliveries where delivery_id = any($1)',
      [[failing.deliveryId, waiting.deliveryId]],
    )
    const untouched = { status: 'queued', error_code: null, held_by: 'test' }
    assert.deepEqual(left, [untouched, untouched])
  })

  it('give back all that failed together, once', async () => {
    const rows = await taken(1, 5)
    const [first] = rows
    const { failed } = createFinishes(api.app)
    const error = { code: 'no', message: 'No.' }
    const failures = rows.map((row) => ({
      ...row,
      error,
      isUnreachable: true,
      event: { eventId: newId('event', Date.now()), body: '{}' },
    }))
    await Promise.all([...failures, ...failures].map(failed))
    const { body } = await api.manage('GET', `/companies/${first?.companyId}`)
    assert.equal(body.balance, '1000.000000')
    const [events] = await database.query(
      `select count(*)::integer as count from events where delivery_id = any($1) and type = 'delivery.failed'`,
      [rows.map(({ deliveryId }) => deliveryId)],
    )
    assert.deepEqual(events, { count: 5 })
  })
})

describe('receipts that are written together', () => {
  it('keep the order in which they were said of one message: the first word stands', async () => {
    const capture = new Capture()
    let put: (providerId: string, receipt: Receipt) => Promise<void> = async () => {}
    const node = await startNode(database.url, {
      capture,
      masterKeys,
      builtIn: (onReceipt) => {
        put = onReceipt
        return capture.providers()
      },
    })
    try {
      const { serverKey, appId } = await createTenant(node)
      await Promise.all(
        Array.from({ length: 40 }, () => sendPatiently(node, serverKey, { recipient: freshPhone() })),
      )
      await until('all are sent', async () => {
        const left = await database.query(`select 1 from deliveries where app_id = $1 and status <> 'sent'`, [
          appId,
        ])
        return left.length === 0
      })
      const ids = capture.messages.map(({ deliveryId }) => deliveryId)
      const word = (deliveryId: string, status: Receipt['status']): Receipt => ({
        deliveryId,
        messageId: null,
        status,
        error: null,
        unreachable: false,
      })
      const said = ids.map((deliveryId, index) => {
        const words: Receipt['status'][] = index % 2 === 0 ? ['failed', 'delivered'] : ['delivered', 'failed']
        return { deliveryId, words }
      })
      await Promise.all(
        said.flatMap(({ deliveryId, words }) =>
          words.map((status) => put('capture-sms', word(deliveryId, status))),
        ),
      )
      for (const { deliveryId, words } of said) {
        const [row] = await database.query<{ status: string }>(
          'select status from deliveries where delivery_id = $1',
          [deliveryId],
        )
        assert.equal(row?.status, words[0])
        const events = await database.query('select type from events where delivery_id = $1', [deliveryId])
        assert.deepEqual(events, [{ type: `delivery.${words[0]}` }])
      }
    } finally {
      await node.close()
    }
  })
})
