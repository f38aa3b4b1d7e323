/** Two nodes behind a proxy that keeps connections are restarted in turn while calls come in. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { Capture } from './harness/capture.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, until } from './harness/fixtures.ts'
import { KeepAliveProxy } from './harness/keep-alive-proxy.ts'
import { type Node, startNode } from './harness/node.ts'

/** Forty checks of the proxy, so that it notices in time even on a busy machine. */
const drainMs = 2_000
const callers = 4
/** Leaves processor time to others; it is enough that calls come at every moment of a stop. */
const pauseMs = 20
const patienceMs = 60_000

let database: TestDatabase
const proxy = new KeepAliveProxy()
const capture = new Capture()
const nodes = new Set<Node>()

before(async () => {
  database = await createTestDatabase()
})
after(async () => {
  await proxy.close()
  await Promise.all([...nodes].map((node) => node.close()))
  await database.close()
})

async function startBehindProxy(): Promise<Node> {
  const node = await startNode(database.url, { capture, drainMs: () => drainMs })
  nodes.add(node)
  proxy.add(node.baseUrl)
  await until('the proxy to find it', () => proxy.isReady(node.baseUrl), patienceMs)
  return node
}

async function restart(node: Node): Promise<void> {
  await node.close()
  nodes.delete(node)
  proxy.remove(node.baseUrl)
  await startBehindProxy()
}

test('nodes that are restarted in turn under load refuse, reset and lose not one call', async () => {
  const url = await proxy.listen()
  const first = await startBehindProxy()
  const second = await startBehindProxy()
  const { appId, serverKey } = await createTenant(first)
  const agent = new Agent()
  const answers: number[] = []
  let isOver = false
  const call = async () => {
    while (!isOver) {
      const { statusCode, body } = await request(`${url}/api/v1/otp/send`, {
        method: 'POST',
        dispatcher: agent,
        headers: { authorization: `Bearer ${serverKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ recipient: freshPhone() }),
      })
      await body.dump()
      answers.push(statusCode)
      await sleep(pauseMs)
    }
  }
  const load = Promise.all(Array.from({ length: callers }, call))
  const untilMore = () => {
    const before = answers.length
    return until('more calls to come', () => answers.length > before + 10, patienceMs)
  }
  try {
    await untilMore()
    await restart(first)
    await untilMore()
    await restart(second)
    await untilMore()
  } finally {
    isOver = true
    await load
    await agent.close()
  }
  assert.deepEqual(proxy.lost, [])
  assert.deepEqual(
    answers.filter((status) => status !== 200),
    [],
  )
  const stored = await database.query('select 1 from verifications where app_id = $1', [appId])
  assert.equal(stored.length, answers.length)
})
