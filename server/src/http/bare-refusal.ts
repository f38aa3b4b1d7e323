/** The one error body, written by hand, for what never becomes a call. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { newId } from '../platform/ids.ts'
import { requestIdOf } from './request-id.ts'

function answerOf(requestId: string, message: string, details: Readonly<Record<string, string>> = {}) {
  const body = JSON.stringify({
    error: { type: 'HTTPException', message, details },
    request_id: requestId,
  })
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    connection: 'close',
    ...details,
  }
  return { body, headers }
}

/** Where Node has made no request of it. Details are headers too. */
export function refuseBarely(
  socket: Socket | Duplex,
  statusLine: string,
  message: string,
  details: Readonly<Record<string, string>> = {},
): void {
  const { body, headers } = answerOf(newId('request', Date.now()), message, details)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${statusLine}\r\n${lines.join('')}\r\n${body}`)
}

/** Whose request has begun and does not come. */
export function refuseLate(socket: Socket): void {
  refuseBarely(socket, '408 Request Timeout', 'The request did not arrive in time.')
  socket.destroySoon()
}

/** After the answers to whatever the same connection has asked before. */
export function refuseOutright(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  message: string,
): void {
  const { body, headers } = answerOf(requestIdOf(request), message)
  response.writeHead(status, headers).end(body)
}

/** Node would answer without a body, and a caller could not tell from whom. */
export function refuseExpectations(server: FastifyInstance): void {
  server.server.on('checkExpectation', (request, response) =>
    refuseOutright(request, response, 417, 'The only expectation that is supported is 100-continue.'),
  )
}

/** CONNECT asks for a tunnel and names no path; Node would hang up without a word. */
export function refuseTunnels(server: FastifyInstance): void {
  server.server.on('connect', (_request, socket) => {
    socket.on('error', () => {})
    refuseBarely(socket, '405 Method Not Allowed', 'This is not a proxy.', {
      allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    })
  })
}
