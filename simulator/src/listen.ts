import type { AddressInfo } from 'node:net'

export type Wire = 'http' | 'smtp' | 'smpp'

export class PortError extends Error {
  readonly wire: Wire
  readonly port: number

  constructor(wire: Wire, port: number, reason: string) {
    super(`cannot listen on port ${port} for ${wire}: ${reason}`)
    this.wire = wire
    this.port = port
  }
}

interface Listener {
  listen(port: number, host: string, listening: () => void): unknown
  once(event: 'error', failed: (error: Error) => void): unknown
  off(event: 'error', failed: (error: Error) => void): unknown
}

/** Resolves when the server listens, rejects with the reason when it cannot. */
export function listen(server: Listener, wire: Wire, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'another program uses it' : error.message
      reject(new PortError(wire, port, reason))
    }
    server.once('error', failed)
    server.listen(port, host, () => {
      server.off('error', failed)
      resolve()
    })
  })
}

export function boundPort(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('the server is not bound to a port')
  return address.port
}
