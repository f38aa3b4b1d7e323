import { createServer } from 'node:net'
import { ConfigError } from './config-error.ts'

/** Fails early when the port or the host cannot be listened on, before anything else has been started. */
export function assertPortFree(host: string, port: number, variable: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => reject(whyNot(error, host, port, variable)))
    server.listen({ port, host }, () => server.close(() => resolve()))
  })
}

function whyNot(error: NodeJS.ErrnoException, host: string, port: number, variable: string): Error {
  if (error.code === 'EADDRINUSE') return new Error(`port ${port} is taken. Set ${variable} to a free one.`)
  if (error.code === 'EACCES')
    return new ConfigError(`${variable}=${port} may not be opened by this user. Set one from 1024 on.`)
  // Not a ConfigError: a name, or an address that moves between machines, may become available a moment later.
  if (['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EINVAL'].includes(error.code ?? ''))
    return new Error(
      `HOST=${host} is not an address of this machine. 127.0.0.1 is reached from here alone, 0.0.0.0 from everywhere.`,
    )
  return error
}

/** A port that was free a moment ago, for programs that must be told their port before they listen. */
export function findFreePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ port: 0, host }, () => {
      const address = server.address()
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}
