/** The overloaded service as its own process, so that its memory and processor time can be measured from outside. */
import { Capture } from '../harness/capture.ts'
import { createTestDatabase } from '../harness/database.ts'
import { createTenant } from '../harness/fixtures.ts'
import { startNode } from '../harness/node.ts'

/** A company's sends are decided one after the other, so one company alone would be the bottleneck. */
const companies = 8

const capture = new Capture()
// Captured messages are dropped, or they would make the memory grow.
capture.answerWith(() => {
  capture.messages.length = 0
  return { kind: 'accepted', messageId: null }
})
const database = await createTestDatabase()
const node = await startNode(database.url, { capture })
const tenants = await Promise.all(Array.from({ length: companies }, () => createTenant(node)))
process.send?.({ baseUrl: node.baseUrl, keys: tenants.map(({ serverKey }) => serverKey) })

async function end() {
  await node.close()
  await database.close()
  process.exit(0)
}
let ending: Promise<void> | undefined
const stop = () => {
  ending ??= end()
  return ending
}

/** On request, reports how many messages its worker has handed over, and how many are queued. */
process.on('message', async (asked) => {
  if (asked === 'delivered') {
    const [row] = await database.query<{ delivered: number; queued: number }>(
      `select count(*) filter (where status <> 'queued')::integer as delivered,
              count(*) filter (where status = 'queued')::integer as queued from deliveries`,
    )
    process.send?.(row ?? {})
    return
  }
  stop()
})
// Also stops if its parent has failed, so that nothing is left running.
process.on('disconnect', stop)
