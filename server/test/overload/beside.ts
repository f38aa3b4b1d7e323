/** What happens beside the load: health checks, and connections that never send a whole request. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection, requestText } from '../../../bench/measuring/wire.ts'
import type { Overloaded } from './overloaded.ts'

const healthEveryMs = 200

/** Calls /healthz again and again, and keeps the longest time. */
export function watchHealth({ baseUrl }: Overloaded) {
  const connection = new Connection(Number(new URL(baseUrl).port))
  let slowestMs = 0
  let failures = 0
  let isOver = false
  const running = (async () => {
    while (!isOver) {
      const begun = performance.now()
      const { status } = await connection.call(requestText('GET', '/healthz'))
      if (status !== 200) failures++
      slowestMs = Math.max(slowestMs, performance.now() - begun)
      await sleep(healthEveryMs)
    }
  })()
  return async () => {
    isOver = true
    await running
    connection.close()
    return { slowestMs: Math.round(slowestMs), failures }
  }
}

/** Opens connections that send this text and then nothing. */
export async function openMany({ baseUrl }: Overloaded, count: number, text: string): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let opened = 0; opened < count; opened += 100) {
    const some = Array.from({ length: Math.min(100, count - opened) }, () => {
      const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1')
      socket.on('error', () => {})
      if (text) socket.write(text)
      return socket
    })
    await Promise.all(some.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])))
    sockets.push(...some)
  }
  return sockets
}

export const stillOpen = (sockets: readonly Socket[]) => sockets.filter(({ destroyed }) => !destroyed).length

/** Sends one more byte at intervals, as a client does that wants to hold a connection open. */
export function trickle(sockets: readonly Socket[], everyMs: number): () => void {
  const timer = setInterval(() => {
    for (const socket of sockets) if (!socket.destroyed) socket.write('x')
  }, everyMs)
  return () => clearInterval(timer)
}
