import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, it } from 'node:test'
import { until } from '../harness/fixtures.ts'
import { startTwoNodeService } from '../harness/service.ts'
import { startReceiver } from './receiver.ts'
import { countByStatus, eventRows, insertEvents, makeDue, settled, subscribe, webhook } from './support.ts'

/** Fewer than an endpoint is sent at once at first; how many it is sent later depends on how quickly the machine answers. */
const atOnce = 8

// A long deadline, so that no attempt times out while calls are held back.
const door = { allowedRanges: ['127.0.0.0/8'], allowsHttp: true, deadlineMs: 60_000 }
const { database, nodes, close } = await startTwoNodeService({ door })
after(close)
const [node] = nodes

it('calls whose kept connections are cut off at once, as by a proxy that is restarted, do not pause their endpoint', async () => {
  const [used, cut, later] = [new WeakSet<object>(), [] as ServerResponse[], [] as ServerResponse[]]
  let isOver = false
  const receiver = await startReceiver(({ index }, response) => {
    const { socket } = response
    assert.ok(socket)
    if (cut.length === atOnce && !isOver) return void later.push(response)
    if (index < 100 || isOver || !used.has(socket)) {
      used.add(socket)
      return void setTimeout(() => response.writeHead(204).end(), 20)
    }
    cut.push(response)
    if (cut.length === atOnce) void cutOff()
  })
  const tenant = await subscribe(node, receiver.url)
  // One failure more would pause the endpoint.
  async function cutOff() {
    await database.query('update webhook_endpoints set failures = 19 where app_id = $1', [tenant.appId])
    for (const each of cut) each.socket?.resetAndDestroy()
  }
  await insertEvents(database, tenant, 1_000)
  await until('the failures', async () => {
    const failed = (await eventRows(database, tenant.appId)).filter(({ is_retry }) => is_retry)
    return failed.length >= atOnce
  })
  assert.equal((await webhook(node, tenant.appId)).status, 'active')
  isOver = true
  for (const response of later) response.writeHead(204).end()
  await until('first attempts', async () => {
    const rows = await eventRows(database, tenant.appId)
    return rows.every(({ status, is_retry }) => is_retry || status === 'delivered')
  })
  await makeDue(database, tenant.appId)
  await settled(database, tenant.appId)
  assert.deepEqual(await countByStatus(database, tenant.appId), { delivered: 1_000 })
  await receiver.close()
})
