/** A mail server that takes mail only for return paths: each mail is read for a receipt and then dropped. */
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions } from 'smtp-server'
import type { Receipt } from '../channel.ts'
import { BoundedConnections } from './bounded-connections.ts'
import { readDeliveryStatus } from './delivery-status.ts'

const MAX_MAIL_BYTES = 256 * 1024
const MAX_RECIPIENTS = 1
const SOCKET_TIMEOUT_MS = 30_000
const CLOSE_TIMEOUT_MS = 1_000

export interface BounceListenerOptions {
  readonly host: string
  readonly port: number
  /** The delivery that a return path belongs to; the recipient is refused if null. */
  readonly verifyReturnPath: (address: string) => string | null
  /** Rejects if the receipt could not be recorded; the sender is then asked to send the mail again. */
  readonly onReceipt: (receipt: Receipt) => Promise<void>
  readonly nowMs?: () => number
}

export interface BounceListener {
  readonly port: number
  readonly close: () => Promise<void>
}

export async function startBounceListener(options: BounceListenerOptions): Promise<BounceListener> {
  const server = createServer(options, new BoundedConnections(options.nowMs))
  const listening = await new Promise<AddressInfo>((resolve, reject) => {
    server.once('error', reject)
    const listener = server.listen({ port: options.port, host: options.host }, () => {
      server.off('error', reject)
      // Errors of a single connection are ignored.
      server.on('error', () => {})
      const address = listener.address()
      if (address === null || typeof address === 'string') reject(new Error('not listening on a port'))
      else resolve(address)
    })
  })
  return { port: listening.port, close: () => new Promise((resolve) => server.close(resolve)) }
}

function createServer(
  { verifyReturnPath, onReceipt }: BounceListenerOptions,
  connections: BoundedConnections,
): SMTPServer {
  return new BoundedServer(connections, {
    disabledCommands: ['AUTH', 'STARTTLS'],
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    size: MAX_MAIL_BYTES,
    socketTimeout: SOCKET_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    onConnect: (session, done) =>
      connections.has(session.id) ? done() : done(reply(421, '4.3.2 Too many connections')),
    onRcptTo: (recipient, session, done) => {
      if (session.envelope.rcptTo.length >= MAX_RECIPIENTS) done(reply(452, '4.5.3 One recipient at a time'))
      else if (verifyReturnPath(recipient.address) === null) done(reply(550, '5.1.1 No such return path'))
      else done()
    },
    onData: (stream, session, done) => {
      const address = session.envelope.rcptTo[0]?.address ?? ''
      readMail(stream)
        .then(async (mail) => {
          if (mail === null) return done(reply(552, '5.3.4 Too large'))
          const deliveryId = verifyReturnPath(address)
          const receipt = deliveryId === null ? null : readDeliveryStatus(mail, deliveryId)
          if (receipt !== null) await onReceipt(receipt)
          connections.noteMail(session.id)
          done()
        })
        .catch(() => done(reply(451, '4.3.0 Try again later')))
    },
  })
}

type Connecting = Parameters<SMTPServer['connect']>

/** Tracks sockets by the session's id, since the session writes the address of its socket differently. */
class BoundedServer extends SMTPServer {
  readonly #connections: BoundedConnections

  constructor(connections: BoundedConnections, options: SMTPServerOptions) {
    super(options)
    this.#connections = connections
  }

  override connect(socket: Connecting[0], options: Connecting[1]): void {
    if (options?.id) this.#connections.take(options.id, socket)
    super.connect(socket, options)
  }
}

/** Null if it is too large; the rest is read and dropped, as the protocol requires. */
async function readMail(stream: SMTPServerDataStream): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream) {
    bytes += chunk.length
    if (bytes <= MAX_MAIL_BYTES) chunks.push(chunk)
  }
  return bytes > MAX_MAIL_BYTES || stream.sizeExceeded ? null : Buffer.concat(chunks)
}

function reply(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}
