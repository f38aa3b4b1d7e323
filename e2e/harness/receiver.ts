/** A customer's endpoint: keeps what it receives, and answers 200 unless told otherwise. */
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface ReceivedRequest {
  readonly method: string
  readonly rawBody: Buffer
  readonly headers: IncomingHttpHeaders
  /** Names and values alternate, spelled as they were sent. */
  readonly rawHeaders: readonly string[]
  readonly receivedAtMs: number
}

export interface Receiver {
  readonly url: string
  readonly received: readonly ReceivedRequest[]
  readonly answerWith: (status: number) => void
  readonly close: () => void
}

export async function openReceiver(): Promise<Receiver> {
  const received: ReceivedRequest[] = []
  let status = 204
  // It never closes an idle connection: after a pause of the machine, a call might just be using it.
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const receivedAtMs = Date.now()
    const rawBody = await buffer(request)
    const { method = '', headers, rawHeaders } = request
    received.push({ method, rawBody, headers, rawHeaders, receivedAtMs })
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return {
    url: `http://127.0.0.1:${address.port}/`,
    received,
    answerWith: (next) => {
      status = next
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
