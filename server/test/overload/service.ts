/** The service that is overloaded, as a process of its own: its memory and its processor are looked at from outside. */
import { createTestDatabase } from '../harness/database.ts'
import { createTenant } from '../harness/fixtures.ts'
import { startNode } from '../harness/node.ts'

const database = await createTestDatabase()
const node = await startNode(database.url)
const { serverKey, appId } = await createTenant(node)
process.send?.({ baseUrl: node.baseUrl, serverKey })

/** How many messages its worker has handed over, whenever it is asked. */
process.on('message', async (asked) => {
  if (asked === 'delivered') {
    const [row] = await database.query<{ count: string }>(
      `select count(*) from deliveries where app_id = $1 and status <> 'queued'`,
      [appId],
    )
    process.send?.({ delivered: Number(row?.count) })
    return
  }
  await node.close()
  await database.close()
  process.exit(0)
})
