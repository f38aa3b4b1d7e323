/** The service that is overloaded, as a process of its own: its memory and its processor are looked at from outside. */
import { Capture } from '../harness/capture.ts'
import { createTestDatabase } from '../harness/database.ts'
import { createTenant } from '../harness/fixtures.ts'
import { startNode } from '../harness/node.ts'

/** One company's decisions are one after the other; what is to be overloaded is the service. */
const companies = 8

const capture = new Capture()
// A carrier that keeps what it was given would be the memory that grows.
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

/** How many messages its worker has handed over, and how many still wait, whenever it is asked. */
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
// Also where who started it has failed, so that nothing is left running.
process.on('disconnect', stop)
