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

/** How many messages its worker has handed over, whenever it is asked. */
process.on('message', async (asked) => {
  if (asked === 'delivered') {
    const [row] = await database.query<{ count: string }>(
      `select count(*) from deliveries where status <> 'queued'`,
    )
    process.send?.({ delivered: Number(row?.count) })
    return
  }
  await node.close()
  await database.close()
  process.exit(0)
})
