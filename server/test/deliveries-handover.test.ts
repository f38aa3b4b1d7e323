/** A node hands over what it has accepted from memory; the table is for what it cannot hand over. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, connect as dial } from 'node:net'
import { createInterface } from 'node:readline'
import { after, beforeEach, describe, it } from 'node:test'
import type { SendOutcome } from '../src/channels/channel.ts'
import type { Provider } from '../src/domain/routing/index.ts'
import {
  abandon,
  assertArrivesInASecond,
  busy,
  emptyQueue,
  masterKeys,
  startApart,
  startQueue,
} from './deliveries-support.ts'
import { Capture } from './harness/capture.ts'
import { createTenant, freshPhone, send, sendPatiently, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

const { database, node: api, close } = await startQueue()
after(close)

async function withNode(
  capture: Capture,
  run: (node: Node) => Promise<void>,
  options: Parameters<typeof startNode>[1] = {},
): Promise<void> {
  const node = await startNode(database.url, { capture, masterKeys, ...options })
  try {
    await run(node)
  } finally {
    await node.close()
  }
}

/** A separate node that kills itself as soon as the first message reaches its provider. */
const DYING_PROGRAM = `
  const { startNode } = await import(process.env.NODE_URL)
  const { Capture } = await import(process.env.CAPTURE_URL)
  const capture = new Capture()
  capture.answerWith(() => process.kill(process.pid, 'SIGKILL'))
  const secrets = [Buffer.from(process.env.TEST_MASTER_KEY, 'hex')]
  const node = await startNode(process.env.TEST_DATABASE, { capture, masterKeys: { secrets } })
  process.stdout.write(node.baseUrl + '\\n')
`

/** A proxy between a node and its database that drops the answer to the first commit of a batch. */
async function loseOneAnswer(): Promise<{ url: string; hasLost: () => boolean; close: () => void }> {
  const target = new URL(database.url)
  let lost = false
  const server = createServer((near) => {
    const far = dial(Number(target.port), target.hostname)
    let isBatch = false
    for (const socket of [near, far]) socket.on('error', () => {})
    near.on('data', (chunk) => {
      isBatch ||= chunk.includes('insert into deliveries')
      const isLost = !lost && isBatch && chunk.includes('commit\0')
      if (isLost) {
        lost = true
        far.unpipe(near)
        // This is the answer that confirms the commit.
        far.once('data', () => near.destroy())
      }
      far.write(chunk)
    })
    far.pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  const url = new URL(database.url)
  url.host = `127.0.0.1:${address.port}`
  return { url: url.href, hasLost: () => lost, close: () => server.close() }
}

/** Shorter than a node needs to hand a message over without doubting that it still holds it. */
const soonMs = 10_000

describe('what a node accepts', () => {
  beforeEach(() => emptyQueue(database))

  it('is handed over without being looked for, in one attempt', async () => {
    const capture = new Capture()
    const claims: unknown[] = []
    const hear = (text: unknown) => {
      if (String(text).includes('for update skip locked) found')) claims.push(text)
    }
    await withNode(capture, async (node) => {
      for (let tries = 10; ; tries--) {
        assert.ok(tries > 0, `no node can be seen at work that is held up for ${soonMs} ms each time`)
        claims.length = 0
        const { serverKey, appId } = await createTenant(node)
        const recipients = Array.from({ length: 50 }, () => freshPhone())
        const startedAtMs = performance.now()
        subscribe('countersign:statement', hear)
        await Promise.all(recipients.map((recipient) => sendPatiently(node, serverKey, { recipient })))
        await until('all are sent', async () => (await openOf(appId)) === 0)
        unsubscribe('countersign:statement', hear)
        for (const recipient of recipients) assert.equal(capture.to(recipient).length, 1)
        // A node that was held up for longer gives messages back to the table, as it must, which shows nothing.
        if (performance.now() - startedAtMs > soonMs) continue
        const attempts = await database.query(
          'select distinct attempt, held_by, next_attempt_at from deliveries where app_id = $1',
          [appId],
        )
        assert.deepEqual(attempts, [{ attempt: 1, held_by: null, next_attempt_at: null }])
        break
      }
    })
    assert.deepEqual(
      claims.filter((text) => String(text).includes('each has its share')),
      [],
    )
  })

  it('and dies with is taken over, sent at most once more, and says so', async () => {
    const { serverKey, appId } = await createTenant(api)
    const child = startApart(DYING_PROGRAM, database)
    const exited = once(child, 'exit')
    const [baseUrl] = await once(createInterface({ input: child.stdout }), 'line')
    const calls = Array.from({ length: 10 }, () =>
      fetch(`${baseUrl}/api/v1/otp/send`, {
        method: 'POST',
        headers: { authorization: `Bearer ${serverKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ recipient: freshPhone() }),
      }).catch(() => null),
    )
    await Promise.all([exited, ...calls])
    // Statements that the process has sent are still executed after its death.
    const accepted = () =>
      database.query<{ otp_id: string; held_by: string | null; attempt: number }>(
        'select otp_id, held_by, attempt from deliveries where app_id = $1',
        [appId],
      )
    const held = await accepted()
    assert.ok(held.length > 0)
    assert.ok(held.every((row) => row.held_by !== null && row.attempt === 1))

    const capture = new Capture()
    await withNode(capture, async (node) => {
      await until('all are taken over', async () => {
        for (const { otp_id } of await accepted()) await abandon(database, otp_id)
        return (await openOf(appId)) === 0
      })
      const { body } = await node.manage('GET', `/verifications/${held[0]?.otp_id}`)
      assert.equal(body.deliveries[0].error.code, 'uncertain')
    })
    assert.equal(capture.messages.length, (await accepted()).length)
  })

  it('and cannot know to be committed is handed over once, if it was', async () => {
    const { serverKey, appId } = await createTenant(api)
    const cable = await loseOneAnswer()
    const capture = new Capture()
    try {
      const node = await startNode(cable.url, { capture, masterKeys })
      try {
        const recipient = freshPhone()
        const answer = await send(node, serverKey, { recipient })
        assert.ok(cable.hasLost())
        assert.equal(answer.status, 503)
        await until('it to be sent', async () => (await openOf(appId)) === 0, 60_000)
        assert.equal(capture.to(recipient).length, 1)
      } finally {
        await node.close()
      }
    } finally {
      cable.close()
    }
  })

  it('and has no room for waits in the table, where whoever has room finds it', async () => {
    const capture = new Capture()
    const hanging: (() => void)[] = []
    let isOpen = false
    capture.answerWith(({ deliveryId }) =>
      isOpen
        ? { kind: 'accepted', messageId: deliveryId }
        : new Promise<SendOutcome>((resolve) => {
            hanging.push(() => resolve({ kind: 'accepted', messageId: deliveryId }))
          }),
    )
    await withNode(capture, async (node) => {
      const { serverKey, appId } = await createTenant(node)
      const recipients = Array.from({ length: 400 }, () => freshPhone())
      await Promise.all(recipients.map((recipient) => sendPatiently(node, serverKey, { recipient })))
      const [counts] = await database.query<{ held: number; free: number }>(
        `select count(held_by)::integer as held, count(*) filter (where held_by is null and attempt = 0)::integer as free
           from deliveries where app_id = $1`,
        [appId],
      )
      assert.ok(counts && counts.held >= 50 && counts.free >= 100, JSON.stringify(counts))
      isOpen = true
      for (const end of hanging) end()
      await until('all are sent', async () => (await openOf(appId)) === 0)
      for (const recipient of recipients) assert.equal(capture.to(recipient).length, 1)
    })
  })

  it('is not delayed by another tenant of the node whose accounts hang', async () => {
    const capture = new Capture()
    const [shared] = capture.providers(['sms'])
    assert.ok(shared)
    const hog = await createTenant(api, { routing: { default: ['sms'] } }, { balance: '100000' })
    const other = await createTenant(api, { routing: { default: ['sms'] } })
    let hanging = 0
    const accounts = Array.from({ length: 8 }, (_, index) => ({
      ...shared,
      providerId: `hangs-${index}`,
      priority: index,
      companyId: hog.companyId as Provider['companyId'],
      account: {
        send: (_message: unknown, signal: AbortSignal) =>
          new Promise<SendOutcome>((resolve) => {
            hanging++
            signal.addEventListener('abort', () =>
              resolve({ kind: 'retry', error: busy, afterSeconds: null }),
            )
          }),
        close: async () => {},
      },
    }))
    await withNode(
      capture,
      async (node) => {
        for (let from = 0; from < 600; from += 100)
          await Promise.all(
            Array.from({ length: 100 }, () =>
              sendPatiently(node, hog.serverKey, { recipient: freshPhone() }),
            ),
          )
        await until('they hang', () => hanging >= 50)
        await assertArrivesInASecond(node, capture, other.serverKey)
        await database.query(`update deliveries set give_up_at = now() where company_id = $1`, [
          hog.companyId,
        ])
      },
      { builtIn: () => [...accounts, shared] },
    )
  })

  it('and waits for in memory is given back when it stops', async () => {
    const capture = new Capture()
    let begun = 0
    capture.answerWith(
      () =>
        new Promise<SendOutcome>((resolve) => {
          begun++
          setTimeout(() => resolve({ kind: 'accepted', messageId: null }), 2_000)
        }),
    )
    const { serverKey, appId } = await createTenant(api)
    await withNode(capture, async (node) => {
      await Promise.all(
        Array.from({ length: 100 }, () => sendPatiently(node, serverKey, { recipient: freshPhone() })),
      )
      await until('the account is busy', () => begun >= 50)
    })
    const rows = await database.query<{ status: string; count: number }>(
      `select status, count(*)::integer as count from deliveries where app_id = $1 and held_by is null group by 1`,
      [appId],
    )
    assert.equal(
      rows.reduce((sum, { count }) => sum + count, 0),
      100,
      'nothing is held by a worker that has stopped',
    )
    assert.equal(rows.find(({ status }) => status === 'sent')?.count, begun)
  })
})

async function openOf(appId: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*)::integer as count from deliveries where app_id = $1 and status = 'queued'`,
    [appId],
  )
  return row?.count ?? 0
}
