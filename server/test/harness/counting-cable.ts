/** A proxy to a database that counts round trips and statements, read from the wire protocol. */
import { createServer, connect as dial, type Socket } from 'node:net'

interface Counts {
  /** How often something was asked while no answer was outstanding. */
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
/** Each of these messages is answered with one ReadyForQuery. */
const asks = new Set(['Q', 'S'].map((kind) => kind.charCodeAt(0)))
/** A message begins with its kind and its length; only the first message of a client has no kind. */
const lengthBytes = 4
const kindBytes = 1

/** Parses the stream of one side into messages, across chunks, and calls `take` with the kind of each. */
function kindsOf(take: (kind: number) => void, { isClient = false } = {}): (chunk: Buffer) => void {
  const head = Buffer.alloc(kindBytes + lengthBytes)
  let headBytes = isClient ? lengthBytes : head.length
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
      bodyLeft = head.readUInt32BE(headBytes - lengthBytes) - lengthBytes
      if (headBytes === head.length) take(head[0] ?? 0)
      headBytes = head.length
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
    let open = 0
    const ask = kindsOf(
      (kind) => {
        if (!asks.has(kind)) return
        if (open === 0) roundTrips++
        open++
      },
      { isClient: true },
    )
    const read = kindsOf((kind) => {
      // The first ReadyForQuery belongs to the connection's start.
      if (kind === readyForQuery) open = Math.max(0, open - 1)
      if (kind === commandComplete) statements++
    })
    near.on('data', ask)
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
