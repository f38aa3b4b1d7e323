/** The one error body, written by hand, for what never becomes a request. */
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { newId } from '../platform/ids.ts'

export function refuseBarely(
  socket: Socket | Duplex,
  statusLine: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const requestId = newId('request', Date.now())
  const body = JSON.stringify({
    error: { type: 'HTTPException', message, details: { ...headers } },
    request_id: requestId,
  })
  const lines = Object.entries({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${statusLine}\r\n${lines.join('')}\r\n${body}`)
}

/** Node would answer without a body, and a caller could not tell from whom. */
export function refuseExpectations(server: FastifyInstance): void {
  server.server.on('checkExpectation', ({ socket }) =>
    refuseBarely(socket, '417 Expectation Failed', 'The only expectation that is met here is 100-continue.'),
  )
}

/** CONNECT asks for a tunnel and names no path; Node would hang up without a word. */
export function refuseTunnels(server: FastifyInstance): void {
  server.server.on('connect', (_request, socket) => {
    socket.on('error', () => {})
    refuseBarely(socket, '405 Method Not Allowed', 'This is no proxy.', {
      allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    })
  })
}
