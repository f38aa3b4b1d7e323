/** A connection on which nothing has moved for its time limit: Node closes it, also while its caller waits for us. */
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { refuseLate } from './bare-refusal.ts'

/**
 * Whose call is in work keeps the connection, for the call has bounds of its own. The limit stays for whoever is waited
 * for: a request that has not come whole, an answer that nobody takes. Whatever is written begins it anew.
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
