/** Stopping: whoever has asked is answered, and whoever has not is not waited for. Node alone waits for both. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Longer than an answer takes; a body that still trickles in after this is cut off. */
const graceMs = 10_000

/** `isClosing`: it still answers, and asks whoever calls to come over another connection next time. */
export function stopPromptly(server: FastifyInstance, isClosing: () => boolean): void {
  /** How many answers each connection waits for: requests may follow one another without waiting. */
  const awaited = new Map<Socket, number>()
  let isStopping = false
  const count = (socket: Socket, change: number) => {
    const answers = (awaited.get(socket) ?? 0) + change
    if (isStopping && answers === 0) socket.destroy()
    if (!socket.destroyed) awaited.set(socket, answers)
  }
  server.server.on('connection', (socket) => {
    socket.once('close', () => awaited.delete(socket))
    count(socket, 0)
  })
  server.server.on('request', ({ socket }, response) => {
    count(socket, 1)
    response.once('close', () => count(socket, -1))
  })
  // As late as can be: a connection whose next request is already here is kept for it.
  server.addHook('onSend', async ({ raw }, reply) => {
    if (isClosing() && awaited.get(raw.socket) === 1) reply.header('connection', 'close')
  })
  server.addHook('preClose', async () => {
    isStopping = true
    for (const socket of awaited.keys()) count(socket, 0)
    setTimeout(() => server.server.closeAllConnections(), graceMs).unref()
  })
}
