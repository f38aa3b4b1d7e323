/** The common error body, written by hand, for requests that never become a call. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { newId } from '../platform/ids.ts'
import { answerHeaders } from './header.ts'
import { requestIdOf } from './request-id.ts'

function answerOf(requestId: string, message: string, details: Readonly<Record<string, string>> = {}) {
  const body = JSON.stringify({
    error: { type: 'HTTPException', message, details },
    request_id: requestId,
  })
  const headers = {
    ...answerHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': requestId,
    connection: 'close',
    ...details,
  }
  return { body, headers }
}

/** For bytes that Node could not parse as a request. Details are also sent as headers. */
export function refuseBarely(
  socket: Socket,
  statusLine: string,
  message: string,
  details: Readonly<Record<string, string>> = {},
): void {
  const { body, headers } = answerOf(newId('request', Date.now()), message, details)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${statusLine}\r\n${lines.join('')}\r\n${body}`)
}

/** For a request that has begun but does not arrive completely. */
export function refuseLate(socket: Socket): void {
  refuseBarely(socket, '408 Request Timeout', 'The request did not arrive in time.')
  socket.destroySoon()
}

/** Sent after the answers to earlier requests of the same connection. */
export function refuseOutright(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  message: string,
): void {
  const { body, headers } = answerOf(requestIdOf(request), message)
  response.writeHead(status, headers).end(body)
}

/** Node itself would answer without a body, and the caller could not tell who answered. */
export function refuseExpectations(server: FastifyInstance): void {
  server.server.on('checkExpectation', (request, response) =>
    refuseOutright(request, response, 417, 'The only expectation that is supported is 100-continue.'),
  )
}

/** CONNECT asks for a tunnel and names no path. */
export function refuseTunnel(socket: Socket): void {
  refuseBarely(socket, '405 Method Not Allowed', 'This is not a proxy.', {
    allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  })
  socket.destroySoon()
}
