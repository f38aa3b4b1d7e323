/** An endpoint of a customer's: keeps what comes, and answers that it came. */
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'

export interface ReceivedRequest {
  readonly rawBody: Buffer
  readonly headers: IncomingHttpHeaders
}

export interface Receiver {
  readonly url: string
  readonly received: readonly ReceivedRequest[]
  readonly close: () => void
}

export async function openReceiver(): Promise<Receiver> {
  const received: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    received.push({ rawBody: Buffer.concat(chunks), headers: request.headers })
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return {
    url: `http://127.0.0.1:${address.port}/`,
    received,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
