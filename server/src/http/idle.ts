/** When a connection on which nothing moves is closed. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { refuseLate } from './bare-refusal.ts'

/**
 * Node closes a connection that was idle for its time limit, even while its caller waits for our answer.
 *
 * A connection whose call is being handled is kept, since the call has its own bounds. The limit still applies to what
 * waits for the caller: a request that is incomplete, an answer that nobody reads. Every write restarts it.
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

/** How long a caller may keep a connection without a call, as every answer says. Longer than most proxies keep one. */
export const keptMs = 72_000
/** A call that was begun just before the end is still on its way, and the clock of a busy caller is late. */
const spareMs = 10_000

/** Node closes a connection within a second of what it announced, and whoever calls at that moment gets no answer. */
export function keepLongerThanSaid(server: FastifyInstance): void {
  server.server.on('request', ({ socket }, response) => {
    response.once('close', () => {
      // Only where no call is under way: the limit of a call is shorter.
      if ((socket.timeout ?? 0) >= keptMs) socket.setTimeout(keptMs + spareMs)
    })
  })
}
