/** A node that stops answers callers who have asked, and waits for nobody else. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, until } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'

let database: TestDatabase
before(async () => {
  database = await createTestDatabase()
})
after(() => database.close())

const startOnly = (url: string) => startNode(url, { role: 'api' })

async function opened(baseUrl: string, text: string): Promise<Socket> {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

for (const [name, text] of [
  ['says nothing', ''],
  ['has not said all of its request', 'POST /api/v1/otp/send HTTP/1.1\r\nhost: x\r\n'],
] as const) {
  test(`a connection that ${name} does not keep a node from stopping`, async () => {
    const node = await startOnly(database.url)
    const socket = await opened(node.baseUrl, text)
    // Once this is answered the other connection was accepted, because connections are accepted in order.
    await node.call('GET', '/healthz')
    const closed = once(socket, 'close')
    await node.close()
    await closed
  })
}

const isOpen = (baseUrl: string) =>
  opened(baseUrl, '').then(
    (socket) => Boolean(socket.destroy()),
    () => false,
  )

test('whoever could connect before a node stops is answered, also who was not yet heard', async () => {
  const node = await startOnly(database.url)
  const port = Number(new URL(node.baseUrl).port)
  // One connection per call, as from a proxy that has lost all of its own. Node accepts one per turn of its event loop.
  const calls = Array.from({ length: 40 }, async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    let heard = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      heard += text
    })
    await once(socket, 'close')
    return heard.slice(0, 'HTTP/1.1 200'.length)
  })
  // By then the system has connected all of them.
  await new Promise(process.nextTick)
  const closed = node.close()
  assert.deepEqual([...new Set(await Promise.all(calls))], ['HTTP/1.1 200'])
  await closed
})

test('who connected just before a node stops may still say what it wants', async () => {
  const node = await startOnly(database.url)
  const socket = await opened(node.baseUrl, '')
  // Once this is answered, the other connection was accepted.
  await node.call('GET', '/healthz')
  const answered = once(socket, 'data')
  const closed = node.close()
  while (await isOpen(node.baseUrl));
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
  const [answer] = await answered
  assert.match(String(answer), /^HTTP\/1\.1 200 /)
  await closed
})

/** Locks the company's row, so that its sends wait until it is released. */
async function whileSendsWait(
  companyId: string,
  run: (untilOneWaits: () => Promise<unknown>, letGo: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const blocker = new pg.Client({ connectionString: database.url })
  await blocker.connect()
  try {
    await blocker.query('begin')
    await blocker.query('select 1 from companies where company_id = $1 for update', [companyId])
    const untilOneWaits = () =>
      until('a send to wait', async () => {
        const waiting = await database.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return waiting.length > 0
      })
    await run(untilOneWaits, () => blocker.query('commit'))
  } finally {
    await blocker.end()
  }
}

test('a call that is under way when a node stops is answered, and what it did is done', async () => {
  const node = await startOnly(database.url)
  const { companyId, serverKey } = await createTenant(node)
  await whileSendsWait(companyId, async (untilOneWaits, letGo) => {
    const sent = send(node, serverKey, { recipient: freshPhone() })
    await untilOneWaits()
    const closed = node.close()
    await letGo()
    const { status, body } = await sent
    assert.equal(status, 200)
    await closed
    const stored = await database.query('select 1 from verifications where otp_id = $1', [body.otp_id])
    assert.equal(stored.length, 1)
  })
})

test('a call that was sent behind another on the same connection is answered as well when a node stops', async () => {
  const node = await startOnly(database.url)
  const { companyId, serverKey } = await createTenant(node)
  await whileSendsWait(companyId, async (untilOneWaits, letGo) => {
    const body = JSON.stringify({ recipient: freshPhone() })
    const first = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'
    const second = `POST /api/v1/otp/send HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${serverKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const socket = await opened(node.baseUrl, first + second)
    let heard = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      heard += text
    })
    const hungUp = once(socket, 'close')
    await untilOneWaits()
    const closed = node.close()
    await letGo()
    await Promise.all([closed, hungUp])
    assert.deepEqual(heard.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200'])
  })
})

test('a node that stops says so at /readyz first, and goes on answering for as long as it was told', async () => {
  const node = await startNode(database.url, { role: 'api', drainMs: () => 5_000 })
  const { serverKey } = await createTenant(node)
  const closed = node.close()
  assert.equal((await node.call('GET', '/readyz')).status, 503)
  const sent = await send(node, serverKey, { recipient: freshPhone() })
  assert.equal(sent.status, 200)
  assert.equal(sent.headers.get('connection'), 'close', 'the next call is to come over another connection')
  await closed
  await assert.rejects(node.call('GET', '/healthz'))
})

test('what a slow carrier has keeps a node from neither answering nor refusing calls', async () => {
  const node = await startNode(database.url)
  const { serverKey } = await createTenant(node)
  let letGo = () => {}
  const released = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const recipient = freshPhone()
  const isTaken = new Promise<void>((taken) => {
    // A message that another test has left may arrive too, before or after.
    node.capture.answerWith(async (message) => {
      if (message.recipient === recipient) taken()
      await released
      return { kind: 'accepted', messageId: 'slow' }
    })
  })
  const { body } = await send(node, serverKey, { recipient })
  await isTaken
  const closed = node.close()
  await until('calls to be refused', () =>
    node.call('GET', '/healthz').then(
      () => false,
      () => true,
    ),
  )
  letGo()
  await closed
  const [delivery] = await database.query<{ status: string }>(
    'select status from deliveries where otp_id = $1',
    [body.otp_id],
  )
  assert.equal(delivery?.status, 'sent')
})
