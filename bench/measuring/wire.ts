/**
 * Just enough of HTTP/1.1: messages with a content length, over kept connections, one at a time on each. The callers
 * share the processor with what they measure, and a complete HTTP client and server would take half of it.
 */
import { connect, createServer, type Socket } from 'node:net'

export interface Answer {
  readonly status: number
  readonly body: string
}

/** An answer with its status line and headers. */
export interface Heard extends Answer {
  readonly head: string
}

const endOfHead = '\r\n\r\n'
const lengthHeader = /\r\ncontent-length: *(\d+)/i
const loopback = '127.0.0.1'

/** Cuts what arrives into messages. With latin1 one byte is one character, so a content length counts characters. */
function onMessages(socket: Socket, take: (head: string, body: string) => void): void {
  let unread = ''
  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    unread = unread === '' ? text : unread + text
    for (;;) {
      const headEnd = unread.indexOf(endOfHead)
      if (headEnd === -1) return
      const bodyStart = headEnd + endOfHead.length
      const head = unread.slice(0, headEnd)
      const bodyEnd = bodyStart + Number(lengthHeader.exec(head)?.[1] ?? 0)
      if (unread.length < bodyEnd) return
      const body = unread.slice(bodyStart, bodyEnd)
      unread = unread.slice(bodyEnd)
      take(head, body)
    }
  })
}

/** The connection of one caller. A request is answered before the next one is made. */
export class Connection {
  readonly #port: number
  #socket: Socket | null = null
  #settle: ((heard: Heard) => void) | null = null

  constructor(port: number) {
    this.#port = port
  }

  /** Resolves with status 0 if the connection broke before an answer. */
  call(request: string): Promise<Heard> {
    return new Promise((resolve) => {
      this.#settle = resolve
      this.#socket ??= this.#open()
      this.#socket.write(request, 'latin1')
    })
  }

  close(): void {
    this.#socket?.destroy()
  }

  #open(): Socket {
    const socket = connect(this.#port, loopback)
    onMessages(socket, (head, body) => this.#end({ status: Number(head.slice(9, 12)), body, head }))
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#socket = null
      this.#end({ status: 0, body: '', head: '' })
    })
    return socket
  }

  #end(heard: Heard): void {
    const settle = this.#settle
    this.#settle = null
    settle?.(heard)
  }
}

export function requestText(
  method: string,
  path: string,
  { key, body = '', headers = '' }: { key?: string; body?: string; headers?: string } = {},
): string {
  const authorization = key === undefined ? '' : `authorization: Bearer ${key}\r\n`
  const content = body === '' ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: ${loopback}\r\n${authorization}${headers}${content}\r\n${body}`
}

/** Opens a connection for a single call that is not measured. */
export async function callOnce(port: number, request: string): Promise<Answer> {
  const connection = new Connection(port)
  const answer = await connection.call(request)
  connection.close()
  return answer
}

export interface Listening {
  readonly port: number
  readonly close: () => void
}

/** A server that answers each message with what `answer` returns or resolves to. */
export async function listen(
  answer: (head: string, body: string) => Promise<Answer> | Answer,
): Promise<Listening> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    onMessages(socket, async (head, body) => {
      const { status, body: text } = await answer(head, body)
      socket.write(
        `HTTP/1.1 ${status} x\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, loopback, resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return {
    port: address.port,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
