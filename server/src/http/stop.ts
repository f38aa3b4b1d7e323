/** Stopping: whoever has asked is answered, and whoever has not is not waited for. Node alone waits for both. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { within } from '../platform/within.ts'

/** Longer than an answer takes; a body that still trickles in after this is cut off. */
const graceMs = 10_000
/** A connection this young was made for a call that is still on its way: a proxy that gets no answer says 502. */
const youngMs = 2_000
/** For as long, those who come without a pause are let in. */
const mostComingMs = 1_000
/** In the first, who came before it began may not have been seen. */
const quietTurns = 2

export interface Stopping {
  /** Tells whether this node is about to stop. */
  readonly isClosing: () => boolean
  /** Where a parent accepts connections: resolves when one that it had accepted would be here. */
  readonly untilHandedOn?: (() => Promise<unknown>) | undefined
}

/** `isClosing`: it still answers, and asks whoever calls to come over another connection next time. */
export function stopPromptly(
  server: FastifyInstance,
  { isClosing, untilHandedOn = nextTurn }: Stopping,
): void {
  /** How many answers each connection waits for: requests may follow one another without waiting. */
  const awaited = new Map<Socket, number>()
  /** Since when those that have not asked for anything yet are there. */
  const silent = new Map<Socket, number>()
  let isStopping = false
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
      silent.delete(socket)
      awaited.delete(socket)
    })
  })
  server.server.on('request', ({ socket }, response) => {
    silent.delete(socket)
    count(socket, 1)
    response.once('close', () => count(socket, -1))
  })
  // As late as can be: a connection whose next request is already here is kept for it.
  server.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (isClosing() && awaited.get(raw.socket) === 1) reply.header('connection', 'close')
    done(null, payload)
  })
  server.addHook('preClose', async () => {
    await closePort(server.server, untilHandedOn)
    isStopping = true
    for (const socket of awaited.keys()) count(socket, 0)
    closeSilent(youngMs)
    setTimeout(closeSilent, youngMs, 0).unref()
    setTimeout(() => server.server.closeAllConnections(), graceMs).unref()
  })
}

/**
 * Who has connected and was not accepted when the port closes is reset by the system, with whatever was said. Node
 * accepts one in a turn of its loop, so the port may close after turns in which nobody was there. Where a parent accepts,
 * it hands on the next one when it hears that the one before was taken: a turn is then a question to it and its answer.
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
    // A parent that is gone hands nothing on.
    await within(
      untilMs - performance.now(),
      turn().catch(() => {}),
    )
  }
  server.off('connection', begin)
  // At once, and not when those who are told of the stop have done their part.
  server.close()
}
