/** A new database with one node or two, opened and closed together. */
import { createTestDatabase, type TestDatabase } from './database.ts'
import { type Node, startNode } from './node.ts'
import { closeAll, startTwoNodes } from './two-nodes.ts'

type Options = Parameters<typeof startNode>[1]

export interface Service {
  readonly database: TestDatabase
  readonly node: Node
  readonly close: () => Promise<void>
}

export interface TwoNodeService {
  readonly database: TestDatabase
  readonly nodes: [Node, Node]
  readonly close: () => Promise<void>
}

export async function startService(options: Options = {}): Promise<Service> {
  const [database, node] = await onNewDatabase((url) => startNode(url, options))
  return { database, node, close: () => closeAll([node, database]) }
}

export async function startTwoNodeService(options: Options = {}): Promise<TwoNodeService> {
  const [database, nodes] = await onNewDatabase((url) => startTwoNodes(url, options))
  return { database, nodes, close: () => closeAll([...nodes, database]) }
}

/** If the start fails, the database is closed, because it would keep the process alive. */
async function onNewDatabase<Started>(
  start: (url: string) => Promise<Started>,
): Promise<[TestDatabase, Started]> {
  const database = await createTestDatabase()
  try {
    return [database, await start(database.url)]
  } catch (error) {
    await database.close()
    throw error
  }
}
