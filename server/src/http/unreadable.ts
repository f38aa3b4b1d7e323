/**
 * Refuses bytes that Node's parser cannot read, and CONNECT, which Node does not pass on as a request: once for a
 * connection, after its earlier requests are answered.
 */
import { METHODS, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { ConnectionError, FastifyInstance } from 'fastify'
import { refuseBarely, refuseLate, refuseTunnel } from './bare-refusal.ts'

export type RefuseUnreadable = (error: ConnectionError, socket: Socket) => void

export function createRefuseUnreadable(server: FastifyInstance): RefuseUnreadable {
  /** The last call of each connection, which may still be under way. */
  const calls = new WeakMap<Duplex, ServerResponse>()
  /** Connections that were already refused: further errors on them are ignored. */
  const refused = new WeakSet<Duplex>()
  server.server.on('request', (request, response) => calls.set(request.socket, response))
  const refuseOnce = (socket: Socket, refusal: () => void) => {
    if (refused.has(socket)) return
    refused.add(socket)
    const last = calls.get(socket)
    const refuse = () => {
      if (!socket.writable) return
      // The call whose body cannot be read was already answered, and gets no second answer.
      if (last?.headersSent && !last.req.complete) socket.destroySoon()
      else refusal()
    }
    if (!last || last.writableFinished) refuse()
    else if (last.req.complete) last.once('close', refuse)
    // The call gets its socket once earlier calls are answered; its own answer, if ready, leaves in the same tick.
    else if (last.socket === null) last.once('socket', () => process.nextTick(refuse))
    else refuse()
  }
  // Node forgets the connection of a CONNECT: it no longer closes it, not even after a time. What follows is read and
  // dropped, because closing a connection with unread bytes could take back the answer.
  server.server.on('connect', ({ socket }) => {
    socket
      .on('error', () => {})
      .on('timeout', () => socket.destroy())
      .resume()
    refuseOnce(socket, () => refuseTunnel(socket))
  })
  return (error, socket) => {
    if (socket.writable && error.code !== 'ECONNRESET')
      refuseOnce(socket, () => answer(server, error, socket))
    else socket.destroy()
  }
}

function answer(server: FastifyInstance, { code, rawPacket }: ConnectionError, socket: Socket): void {
  const head =
    code === 'HPE_INVALID_METHOD' && Buffer.isBuffer(rawPacket)
      ? traceInstead(rawPacket.toString('latin1'))
      : null
  if (head !== null) {
    ask(server, head, socket)
    return
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') refuseLate(socket)
  else if (code === 'HPE_HEADER_OVERFLOW')
    refuseBarely(socket, '431 Request Header Fields Too Large', 'The request line and headers are too long.')
  else refuseBarely(socket, '400 Bad Request', 'This is not an HTTP request.')
}

/** RFC 9110 §5.6.2 and §9.1: a method is any token, and its case matters. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const sentRequestId = /^x-request-id:[\t ]*([A-Za-z0-9_-]{8,64})[\t ]*$/im

/** The same call with TRACE, which Node can parse and no path takes; null if more than the method is wrong. */
export function traceInstead(packet: string): string | null {
  const [line = ''] = packet.split('\r\n', 1)
  const [method = '', url = '', version = '', ...rest] = line.split(' ')
  if (!token.test(method) || url === '' || !version.startsWith('HTTP/1.') || rest.length > 0) return null
  // The packet begins with a call that could be parsed; the error is in what follows.
  if (METHODS.includes(method)) return null
  const [, requestId] = sentRequestId.exec(packet) ?? []
  const id = requestId ? `x-request-id: ${requestId}\r\n` : ''
  return `TRACE ${url} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${id}\r\n`
}

/** Sends the call over an internal connection, whose answer is written to the socket. */
function ask(server: FastifyInstance, head: string, socket: Socket): void {
  const connection = new Duplex({
    read() {},
    write: (chunk, _encoding, done) => socket.write(chunk, done),
    final(done) {
      socket.end()
      done()
      this.destroy()
    },
  })
  server.server.emit('connection', connection)
  connection.push(head)
}
