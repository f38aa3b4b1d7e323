/** A customer's endpoint: records each event that it receives, and answers as it is told. */
import { createServer } from 'node:https'
import { TLS_CERTIFICATE, TLS_KEY } from '../channels/loopback-tls.ts'

export interface Taken {
  readonly body: string
  readonly atMs: number
}

export interface Endpoint {
  readonly port: number
  /** The bodies that it accepted of each event; it is not known here whether the sender got the answer. */
  readonly taken: Map<string, Taken[]>
  status: number
  readonly close: () => void
}

export async function openEndpoint(): Promise<Endpoint> {
  const taken = new Map<string, Taken[]>()
  const server = createServer({ key: TLS_KEY, cert: TLS_CERTIFICATE }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const { id } = JSON.parse(body) as { id: string }
      if (endpoint.status === 204) taken.set(id, [...(taken.get(id) ?? []), { body, atMs: Date.now() }])
      response.writeHead(endpoint.status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('the endpoint has no port')
  const endpoint: Endpoint = {
    port: address.port,
    taken,
    status: 204,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return endpoint
}
