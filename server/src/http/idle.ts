/** Decides when a connection on which nothing moves is closed. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { refuseLate } from './bare-refusal.ts'

/**
 * Keeps a connection open while its call is being handled, since the call has its own bounds. Node alone would close a
 * connection that was idle for its time limit even while the caller waits for our answer.
 *
 * The limit still applies where we wait for the caller: an incomplete request, or an answer that nobody reads. Every
 * write restarts it.
 */
export function keepWhileInWork(server: FastifyInstance): void {
  server.server.on('request', (request, response) => {
    response.on('timeout', (socket: Socket) => {
      const isInWork = request.complete && !response.writableEnded && !response.writableNeedDrain
      if (isInWork) return
      if (!request.complete && !response.headersSent && socket.writable) refuseLate(socket)
      else socket.destroy()
    })
  })
}

/** How long a caller may keep an idle connection, as every answer announces. Longer than most proxies keep one. */
export const keptMs = 72_000
/** Added to the announced time: a call sent just before its end is still on its way, and a busy caller is late. */
const spareMs = 10_000

/** Node closes a connection within a second of the announced time, when a caller may just be sending a call. */
export function keepLongerThanSaid(server: FastifyInstance): void {
  server.server.on('request', ({ socket }, response) => {
    response.once('close', () => {
      // Only if no call is under way: the limit during a call is shorter.
      if ((socket.timeout ?? 0) >= keptMs) socket.setTimeout(keptMs + spareMs)
    })
  })
}
