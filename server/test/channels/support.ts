import type { AddressInfo, Server, Socket } from 'node:net'
import type { TestContext } from 'node:test'
import type { AccountContext, OutgoingMessage, Receipt } from '../../src/channels/channel.ts'

export function outgoing(changes: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    deliveryId: 'dlv_01',
    recipient: '+14155550123',
    code: '123456',
    text: 'Your ACME code is 123456',
    subject: 'Your ACME code',
    html: '<p>Your ACME code is <b>123456</b></p>',
    locale: 'en',
    ttlSeconds: 600,
    nowMs: Date.now(),
    inReplyTo: null,
    callbackUrl: 'https://otp.example/callbacks/acc_1',
    ...changes,
  }
}

export interface RecordingContext extends AccountContext {
  readonly receipts: Receipt[]
  readonly logged: string[]
  /** Resolves to the receipt with this number, counted from one, however late it arrives. */
  readonly receipt: (count: number) => Promise<Receipt>
}

export function recordingContext(): RecordingContext {
  const receipts: Receipt[] = []
  const logged: string[] = []
  const waiting = new Map<number, (receipt: Receipt) => void>()
  return {
    receipts,
    logged,
    providerId: 'prv_test',
    isPassive: false,
    lookup: null,
    onReceipt: async (receipt) => {
      receipts.push(receipt)
      waiting.get(receipts.length)?.(receipt)
    },
    log: (level, message, fields) => logged.push(`${level} ${message} ${JSON.stringify(fields)}`),
    receipt: (count) => {
      const known = receipts[count - 1]
      if (known !== undefined) return Promise.resolve(known)
      return new Promise((resolve) => waiting.set(count, resolve))
    },
  }
}

/** A deadline far beyond what a passing test needs. */
export function generousDeadline(): AbortSignal {
  return AbortSignal.timeout(20_000)
}

/** Listens on a free loopback port until the test ends, and then closes all connections. */
export async function listen(test: TestContext, server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  test.after(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return portOf(server)
}

/** Waits until it holds; fails if it does not within a minute. */
export async function eventually(holds: () => boolean): Promise<void> {
  const endMs = performance.now() + 60_000
  while (!holds()) {
    if (performance.now() > endMs) throw new Error('it did not come to hold')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

export function portOf(server: Server): number {
  const address: string | AddressInfo | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  return address.port
}

/** A port that nothing listens on: the system never hands it out as a free port. */
export const closedPort = 2

export function deferred<Value = void>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let settle: (value: Value) => void = () => {}
  const promise = new Promise<Value>((resolve) => {
    settle = resolve
  })
  return { promise, resolve: (value) => settle(value) }
}
