/** Node closes a connection that was idle for its time limit, even while its caller waits for our answer. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { refuseLate } from './bare-refusal.ts'

/**
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
