/** A node whose database's clock the test moves. */
import { createTestDatabase } from './harness/database.ts'
import { startNode } from './harness/node.ts'
import { closeAll } from './harness/two-nodes.ts'
import { createVirtualClock } from './harness/virtual-clock.ts'

export async function startMovedNode() {
  const database = await createTestDatabase()
  const clock = await createVirtualClock(database)
  const node = await startNode(clock.url)
  return { database, clock, node, close: () => closeAll([node, database]) }
}
