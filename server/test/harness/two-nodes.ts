/** Two nodes of one service: one database, one set of providers. */
import type { AppOptions } from '../../src/app.ts'
import { Capture } from './capture.ts'
import { type Node, startNode } from './node.ts'

/** Both or none: a node left running would keep the process from ending. */
export async function startTwoNodes(
  databaseUrl: string,
  { capture = new Capture(), ...options }: Partial<AppOptions> & { capture?: Capture } = {},
): Promise<[Node, Node]> {
  const first = await startNode(databaseUrl, { capture, ...options })
  try {
    return [first, await startNode(databaseUrl, { capture, ...options })]
  } catch (error) {
    await first.close()
    throw error
  }
}

/** Whatever was started is closed, even when closing one of them fails. */
export async function closeAll(
  closing: readonly ({ close: () => Promise<void> } | undefined)[],
): Promise<void> {
  const errors: unknown[] = []
  for (const each of closing) await each?.close().catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}
