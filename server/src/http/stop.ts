/** Stopping: calls under way are answered, and idle connections are closed. Node alone would wait for both. */
import type { Server } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { within } from '../platform/within.ts'

/** Longer than an answer takes. A body that is still arriving after this time is cut off. */
const graceMs = 10_000
/** A connection younger than this was made for a call that is on its way: without an answer, a proxy says 502. */
const youngMs = 2_000
/** While new connections keep coming, they are accepted for at most this long. */
const mostComingMs = 1_000
/** During the first turn, connections from before it may not have been noticed. */
const quietTurns = 2

export interface Stopping {
  /** Tells whether this node is about to stop. */
  readonly isClosing: () => boolean
  /** If a parent accepts connections: resolves when a connection that it has accepted would have arrived here. */
  readonly untilHandedOn?: (() => Promise<unknown>) | undefined
}

/** While `isClosing`, the server still answers, and asks callers to use another connection next time. */
export function stopPromptly(
  server: FastifyInstance,
  { isClosing, untilHandedOn = nextTurn }: Stopping,
): void {
  /** How many answers each connection waits for, since requests may be pipelined. */
  const awaited = new Map<Socket, number>()
  /** Connections that have not sent a request yet, with the time when they were opened. */
  const silent = new Map<Socket, number>()
  let isStopping = false
  let onNoneSilent = () => {}
  const leaveSilence = (socket: Socket) => {
    silent.delete(socket)
    if (silent.size === 0) onNoneSilent()
  }
  const untilNoneSilent = () =>
    new Promise<void>((resolve) => {
      onNoneSilent = resolve
      if (silent.size === 0) resolve()
    })
  const count = (socket: Socket, change: number) => {
    const answers = (awaited.get(socket) ?? 0) + change
    if (isStopping && answers === 0) socket.destroy()
    if (!socket.destroyed) awaited.set(socket, answers)
  }
  const closeSilent = (olderThanMs: number) => {
    for (const [socket, sinceMs] of silent) {
      if (performance.now() - sinceMs >= olderThanMs) socket.destroy()
    }
  }
  server.server.on('connection', (socket) => {
    silent.set(socket, performance.now())
    socket.once('close', () => {
      leaveSilence(socket)
      awaited.delete(socket)
    })
  })
  server.server.on('request', ({ socket }, response) => {
    leaveSilence(socket)
    count(socket, 1)
    response.once('close', () => count(socket, -1))
  })
  // As late as possible: a connection whose next request is already here is kept for it.
  server.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (isClosing() && awaited.get(raw.socket) === 1) reply.header('connection', 'close')
    done(null, payload)
  })
  server.addHook('preClose', async () => {
    await closePort(server.server, untilHandedOn)
    isStopping = true
    for (const socket of awaited.keys()) count(socket, 0)
    closeSilent(youngMs)
    setTimeout(() => server.server.closeAllConnections(), graceMs).unref()
    // Fastify closes the server next, and from Node 26 on that closes silent connections too.
    await within(youngMs, untilNoneSilent())
    closeSilent(0)
  })
}

/**
 * When the port closes, the system resets connections that were not accepted yet, with their requests. Node accepts one
 * in each turn of its event loop, so the port is closed after turns without a new one. If a parent process accepts, it
 * hands on the next connection after the one before was taken: then a turn is a question to the parent and its answer.
 */
async function closePort(server: Server, turn: () => Promise<unknown>): Promise<void> {
  const untilMs = performance.now() + mostComingMs
  let quiet = 0
  const begin = () => {
    quiet = 0
  }
  server.on('connection', begin)
  while (quiet < quietTurns && performance.now() < untilMs) {
    quiet++
    // A parent that is gone hands on nothing.
    await within(
      untilMs - performance.now(),
      turn().catch(() => {}),
    )
  }
  server.off('connection', begin)
  // At once, not after the close hooks of the server have run. Only the port: an HTTP server would also close
  // connections on which a request is on its way.
  NetServer.prototype.close.call(server)
}
