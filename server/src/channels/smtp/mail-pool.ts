/** nodemailer's connection pool, and what it does not tell: whether a message that failed had begun to leave. */
import { connect, type LookupFunction, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { within } from '../../platform/within.ts'
import type { SmtpSettings } from './settings.ts'

const MAX_CONNECTIONS = 10
const MAX_REQUEUES = 1
const CONNECT_TIMEOUT_MS = 5_000
const SOCKET_TIMEOUT_MS = 60_000
const IDLE_TIMEOUT_MS = 60_000
const DRAIN_TIMEOUT_MS = 3_000

export type MailResult =
  | { readonly kind: 'taken' }
  /** `hasLeft`: the server had asked for the content and some of it was written. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly hasLeft: boolean }

export class MailPool {
  readonly #transport
  readonly #bodies = new Map<string, MailBody>()
  readonly #underWay = new Set<Promise<MailResult>>()

  constructor(settings: SmtpSettings, lookup: LookupFunction | null) {
    this.#transport = createTransport({ ...poolOptions(settings), ...checkedSocket(settings, lookup) })
    this.#transport.use('stream', (mail, done) => {
      const { message } = mail
      const createReadStream = message.createReadStream.bind(message)
      const body = this.#bodies.get(message.messageId())
      message.createReadStream = (options) => {
        const stream = createReadStream(options)
        body?.watch(stream)
        return stream
      }
      done()
    })
  }

  /** `messageId` must be the mail's own, and no two mails under way may share it. */
  async send(messageId: string, mail: SendMailOptions, signal: AbortSignal): Promise<MailResult> {
    if (signal.aborted) return { kind: 'failed', error: deadline(), hasLeft: false }
    const body = new MailBody()
    this.#bodies.set(messageId, body)
    const result = this.#transport.sendMail(mail).then(
      (): MailResult => ({ kind: 'taken' }),
      (error: unknown): MailResult => ({ kind: 'failed', error, hasLeft: body.hasLeft }),
    )
    this.#underWay.add(result)
    void result.then(() => {
      this.#underWay.delete(result)
      if (this.#bodies.get(messageId) === body) this.#bodies.delete(messageId)
    })
    return beforeDeadline(result, body, signal)
  }

  async close(): Promise<void> {
    await within(DRAIN_TIMEOUT_MS, Promise.all(this.#underWay))
    this.#transport.close({ force: true })
  }
}

/** A message's content streams, one for each connection that it is tried on. */
class MailBody {
  readonly #streams: Readable[] = []
  #cancelled = false

  get hasLeft(): boolean {
    return this.#streams.some((stream) => stream.readableDidRead)
  }

  watch(stream: Readable): void {
    stream.on('error', () => {})
    this.#streams.push(stream)
    if (this.#cancelled) stream.destroy(deadline())
  }

  /** Makes sure that a mail which has not left never will: without its content no server takes it. */
  cancel(): void {
    this.#cancelled = true
    for (const stream of this.#streams) stream.destroy(deadline())
  }
}

function beforeDeadline(
  result: Promise<MailResult>,
  body: MailBody,
  signal: AbortSignal,
): Promise<MailResult> {
  return new Promise((resolve) => {
    const giveUp = (): void => {
      const { hasLeft } = body
      if (!hasLeft) body.cancel()
      resolve({ kind: 'failed', error: deadline(), hasLeft })
    }
    signal.addEventListener('abort', giveUp)
    void result.then((value) => {
      signal.removeEventListener('abort', giveUp)
      resolve(value)
    })
  })
}

function deadline(): Error {
  return Object.assign(new Error('deadline'), { code: 'deadline' })
}

/** nodemailer resolves names itself, so a checked connection is made for it. */
function checkedSocket({ host, port }: SmtpSettings, lookup: LookupFunction | null) {
  if (lookup === null) return {}
  type Done = (error: Error | null, options?: { connection: Socket }) => void
  return {
    getSocket: (_options: unknown, done: Done) => {
      const connection = connect({ host, port, lookup, timeout: CONNECT_TIMEOUT_MS })
      const fail = (error: Error) => done(error)
      const giveUp = () => connection.destroy(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' }))
      connection.once('error', fail).once('timeout', giveUp)
      connection.once('connect', () => {
        connection.off('error', fail).off('timeout', giveUp)
        done(null, { connection })
      })
    },
  }
}

function poolOptions(settings: SmtpSettings) {
  const { user, password, dkim_domain, dkim_selector, dkim_private_key } = settings
  return {
    pool: true as const,
    host: settings.host,
    port: settings.port,
    secure: settings.secure ?? settings.port === 465,
    requireTLS: settings.require_tls ?? user !== undefined,
    ...(settings.tls_ca === undefined ? {} : { tls: { ca: settings.tls_ca } }),
    ...(user === undefined || password === undefined ? {} : { auth: { user, pass: password } }),
    ...(dkim_domain === undefined || dkim_selector === undefined || dkim_private_key === undefined
      ? {}
      : { dkim: { domainName: dkim_domain, keySelector: dkim_selector, privateKey: dkim_private_key } }),
    maxConnections: MAX_CONNECTIONS,
    maxRequeues: MAX_REQUEUES,
    idleTimeout: IDLE_TIMEOUT_MS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
