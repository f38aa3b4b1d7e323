/** Stopping: whoever has asked is answered, and whoever has not is not waited for. Node alone waits for both. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** Longer than an answer takes; a body that still trickles in after this is cut off. */
const graceMs = 10_000

export function stopPromptly(server: FastifyInstance): void {
  const silent = new Set<Socket>()
  let isStopping = false
  const rest = (socket: Socket) => {
    if (isStopping) socket.destroy()
    else silent.add(socket)
  }
  server.server.on('connection', (socket) => {
    socket.once('close', () => silent.delete(socket))
    rest(socket)
  })
  server.server.on('request', ({ socket }, response) => {
    silent.delete(socket)
    response.once('close', () => socket.destroyed || rest(socket))
  })
  server.addHook('preClose', async () => {
    isStopping = true
    for (const socket of silent) socket.destroy()
    setTimeout(() => server.server.closeAllConnections(), graceMs).unref()
  })
}
