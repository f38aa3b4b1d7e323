/** Doors for customers' addresses, and servers behind them that misbehave as a test wants. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { after } from 'node:test'
import { createSafeDoor, type SafeDoorOptions } from '../../src/platform/safe-post.ts'

/** The deadline for calls that never end, and long enough for those that do on a busy machine. */
export const deadlineMs = 1_500
const loopback = ['127.0.0.0/8', '::1/128']

/** Doors and servers for the suite in which this is called; they are closed after it. */
export function keepDoors() {
  const closers: (() => Promise<unknown>)[] = []
  after(() => Promise.all(closers.map((close) => close())))

  const openDoor = (options: Partial<SafeDoorOptions> = {}) => {
    const door = createSafeDoor({ allowedRanges: loopback, allowsHttp: true, deadlineMs: 20_000, ...options })
    closers.push(door.close)
    return door
  }
  const listen = async (server: Server, host = '127.0.0.1'): Promise<number> => {
    await new Promise<void>((resolve) => server.listen(0, host, resolve))
    closers.push(() => new Promise((resolve) => server.close(resolve)))
    return (server.address() as AddressInfo).port
  }
  const serve = async (listener: RequestListener) => {
    const server = createServer(listener)
    closers.push(async () => server.closeAllConnections())
    return `http://127.0.0.1:${await listen(server)}/`
  }
  /** A server that acts on the bare connection once the request has arrived. */
  const serveRaw = async (act: (socket: Socket) => void) => {
    const sockets = new Set<Socket>()
    const server = createTcpServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
      socket.once('data', () => act(socket))
    })
    closers.push(async () => {
      for (const socket of sockets) socket.destroy()
    })
    return { url: `http://127.0.0.1:${await listen(server)}/`, sockets }
  }
  const every = (socket: Socket, ms: number, write: () => void) => {
    const timer = setInterval(write, ms)
    socket.on('close', () => clearInterval(timer))
  }
  const timed = async (url: string, door = openDoor({ deadlineMs })) => {
    const startedAt = performance.now()
    const result = await door.post(url, '{}', {})
    return { ...result, ms: performance.now() - startedAt }
  }
  const closed = async (sockets: ReadonlySet<Socket>) => {
    for (const socket of sockets) await once(socket, 'close')
  }
  const inTime = (ms: number) => assert.ok(ms < deadlineMs + 15_000, `${ms} ms`)

  return { closers, openDoor, listen, serve, serveRaw, every, timed, closed, inTime }
}
