/** A cable to a database that counts what goes through it: round trips and statements, as the wire shows them. */
import { createServer, connect as dial, type Socket } from 'node:net'

export interface Counts {
  /** Times that the database said it is ready for more. */
  readonly roundTrips: number
  readonly statements: number
}

export interface CountingCable {
  readonly url: string
  readonly counts: () => Counts
  readonly close: () => Promise<void>
}

const readyForQuery = 'Z'.charCodeAt(0)
const commandComplete = 'C'.charCodeAt(0)
/** A message begins with its kind and its length. */
const headBytes = 5

/** Cuts what the database says into messages, whatever the pieces it comes in; calls with the kind of each. */
function kindsOf(take: (kind: number) => void): (chunk: Buffer) => void {
  const head = Buffer.alloc(headBytes)
  let headRead = 0
  let bodyLeft = 0
  return (chunk) => {
    for (let place = 0; place < chunk.length; ) {
      if (bodyLeft > 0) {
        const step = Math.min(bodyLeft, chunk.length - place)
        bodyLeft -= step
        place += step
        continue
      }
      const step = Math.min(headBytes - headRead, chunk.length - place)
      chunk.copy(head, headRead, place, place + step)
      headRead += step
      place += step
      if (headRead < headBytes) return
      headRead = 0
      // The length includes its own four bytes.
      bodyLeft = head.readUInt32BE(1) - 4
      take(head[0] ?? 0)
    }
  }
}

export async function layCountingCable(databaseUrl: string): Promise<CountingCable> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let roundTrips = 0
  let statements = 0
  const server = createServer((near) => {
    const far = dial(Number(target.port), target.hostname)
    const read = kindsOf((kind) => {
      if (kind === readyForQuery) roundTrips++
      if (kind === commandComplete) statements++
    })
    far.on('data', read)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far)
    far.pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  const url = new URL(databaseUrl)
  url.port = String(address.port)
  return {
    url: url.href,
    counts: () => ({ roundTrips, statements }),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
