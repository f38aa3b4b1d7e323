/** Two nodes of one service: one database, one set of providers. */
import type { AppOptions } from '../../src/app.ts'
import { Capture } from './capture.ts'
import { type Node, startNode } from './node.ts'

/** If one fails to start, the other is closed, because it would keep the process alive. */
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

/** Closes all of them, even if closing one fails. */
export async function closeAll(
  closing: readonly ({ close: () => Promise<void> } | undefined)[],
): Promise<void> {
  const errors: unknown[] = []
  for (const each of closing) await each?.close().catch((error: unknown) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}
