import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { listen } from './support.ts'

export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Answer = (response: ServerResponse, request: IncomingMessage) => void

export interface HttpPeer {
  readonly url: string
  readonly requests: SeenRequest[]
  /** The answer to the next request and every later one. */
  answer: Answer
}

/** The other side of an HTTP provider, on a free loopback port. */
export async function startHttpPeer(test: TestContext): Promise<HttpPeer> {
  const requests: SeenRequest[] = []
  // It never closes an idle connection: after a pause of the machine, a call might just be using it.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      peer.answer(response, request)
    })
    request.on('error', () => {})
  })
  const port = await listen(test, server)
  const peer: HttpPeer = { url: `http://127.0.0.1:${port}`, requests, answer: (response) => response.end() }
  return peer
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}

export const drop: Answer = (_response, request) => request.socket.destroy()
export const neverAnswer: Answer = () => {}
export const garbage: Answer = (response) => response.writeHead(200).end('<html>not json')
export const huge: Answer = (response) => response.writeHead(200).end('x'.repeat(5 * 1024 * 1024))
