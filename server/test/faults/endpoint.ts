/** A customer's endpoint: keeps each event that it was sent, and answers as it is told. */
import { createServer } from 'node:https'
import { TLS_CERTIFICATE, TLS_KEY } from '../channels/loopback-tls.ts'

export interface Endpoint {
  readonly port: number
  /** The bodies of each event, as they came; those that were answered with 204 and heard are not told apart. */
  readonly bodies: Map<string, string[]>
  status: number
  readonly close: () => void
}

export async function openEndpoint(): Promise<Endpoint> {
  const bodies = new Map<string, string[]>()
  const server = createServer({ key: TLS_KEY, cert: TLS_CERTIFICATE }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => {})
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const { id } = JSON.parse(body) as { id: string }
      if (endpoint.status === 204) bodies.set(id, [...(bodies.get(id) ?? []), body])
      response.writeHead(endpoint.status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (!address || typeof address === 'string') throw new Error('the endpoint has no port')
  const endpoint: Endpoint = {
    port: address.port,
    bodies,
    status: 204,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
  return endpoint
}
