/** A customer's endpoint: records what it receives, and answers as it is told. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The event's id. */
  readonly id: string
  /** How many calls came before this one. */
  readonly index: number
}

type Answer = (received: Received, response: ServerResponse) => void | Promise<void>

export interface Receiver {
  readonly url: string
  readonly calls: Received[]
  /** The most calls that were open at one time. */
  readonly peak: () => number
  readonly forgetPeak: () => void
  /** Applies until the next call of this. */
  readonly answerWith: (answer: Answer) => void
  readonly close: () => Promise<void>
}

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (_received, response) => {
    response.writeHead(code, headers).end()
  }

export async function startReceiver(first: Answer = status(204)): Promise<Receiver> {
  const calls: Received[] = []
  let answer = first
  let open = 0
  let peak = 0
  // It never closes an idle connection: after a pause of the machine, a call might just be using it.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    peak = Math.max(peak, ++open)
    response.on('close', () => open--)
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const { id } = JSON.parse(body) as { id: string }
      const received = { path: request.url ?? '', headers: request.headers, body, id, index: calls.length }
      calls.push(received)
      void answer(received, response)
    })
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}/hook`,
    calls,
    peak: () => peak,
    forgetPeak: () => {
      peak = open
    },
    answerWith: (next) => {
      answer = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export interface RawReceiver {
  readonly url: string
  readonly sockets: Set<Socket>
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/** An endpoint that controls its raw connection, once the head of a request has arrived. */
export async function startRawReceiver(act: (socket: Socket, head: string) => void): Promise<RawReceiver> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createTcpServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', (head) => act(socket, head.toString('latin1')))
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}/hook`,
    sockets,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function listen(server: ReturnType<typeof createTcpServer>): Promise<number> {
  // A failed test leaves its receiver open, which must not keep the process alive.
  server.unref()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** The signature that the header must have. */
export const signatureOf = ({ headers, body }: Received, secret: string) =>
  createHmac('sha256', secret).update(`${headers['x-webhook-timestamp']}.${body}`).digest('hex')
