/**
 * A connection that the parent passes to a process is taken by an acknowledgement. If the process dies before, Node
 * forgets the connection without closing it, and its caller would wait for as long as it has patience.
 */
import type { Worker } from 'node:cluster'
import { setNewest } from '../platform/set-newest.ts'

/** Node passes one at a time for each port. More would be taken ones of a Node that acknowledges in another way. */
const most = 16

interface Passed {
  readonly act?: string
  readonly seq?: number
}

interface Connection {
  readonly close: () => void
}

/** Closes, when this process ends, what was passed to it and not taken. */
export function closeUntakenConnections(worker: Worker): void {
  const { process } = worker
  const untaken = new Map<number, Connection>()
  const { send } = process
  Object.assign(process, {
    send: (...passed: readonly [message: Passed, connection?: Connection]) => {
      const [{ act, seq }, connection] = passed
      if (act === 'newconn' && seq !== undefined && connection) setNewest(untaken, seq, connection, most)
      return Reflect.apply(send, process, passed)
    },
  })
  process.on('internalMessage', ({ ack }: { readonly ack?: number }) => {
    if (ack !== undefined) untaken.delete(ack)
  })
  worker.once('exit', () => {
    for (const connection of untaken.values()) connection.close()
  })
}
