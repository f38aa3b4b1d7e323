/** A mail server on a free loopback port, and servers that misbehave. */
import { createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'
import { listen, portOf } from './support.ts'

interface ReceivedMail {
  readonly envelope: SMTPServerSession['envelope']
  readonly mail: Email
  readonly raw: string
}

export interface SmtpPeer {
  readonly port: number
  readonly received: ReceivedMail[]
}

export async function startSmtpPeer(test: TestContext, options: SMTPServerOptions = {}): Promise<SmtpPeer> {
  const received: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 100,
    logger: false,
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const raw = Buffer.concat(chunks)
        void PostalMime.parse(raw).then((mail) => {
          received.push({ envelope: session.envelope, mail, raw: raw.toString() })
          done()
        })
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.after(() => new Promise<void>((resolve) => server.close(resolve)))
  return { port: portOf(server.server), received }
}

/** `reply` gets each line of the client and of its mail, and writes whatever it wants. */
export async function startLineServer(
  test: TestContext,
  reply: (line: string, socket: Socket) => void,
): Promise<number> {
  const server = createServer((socket) => {
    let buffered = ''
    socket.write('220 peer.example ESMTP\r\n')
    socket.on('data', (chunk) => {
      const lines = (buffered + chunk.toString()).split('\r\n')
      buffered = lines.pop() ?? ''
      for (const line of lines) reply(line, socket)
    })
  })
  return listen(test, server)
}

export function refusal(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode })
}
