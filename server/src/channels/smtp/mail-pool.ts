/** nodemailer's connection pool, which also tells whether a message that failed had begun to leave. */
import { connect, type LookupFunction, type Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { afterReading } from '../../platform/after-reading.ts'
import { perAddressTimeout } from '../../platform/per-address-timeout.ts'
import { within } from '../../platform/within.ts'
import { InternationalCheck } from './international.ts'
import type { SmtpSettings } from './settings.ts'

const MAX_CONNECTIONS = 10
const MAX_REQUEUES = 1
const CONNECT_TIMEOUT_MS = 5_000
const SOCKET_TIMEOUT_MS = 60_000
const IDLE_TIMEOUT_MS = 60_000
const DRAIN_TIMEOUT_MS = 3_000
/** Replies are one or a few lines; a longer one comes from a broken or hostile server. */
const MAX_REPLY_LENGTH = 16 * 1024

export type MailResult =
  | { readonly kind: 'taken' }
  /** `hasLeft`: the server had asked for the content, and some of it was written. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly hasLeft: boolean }

export class MailPool {
  readonly #transport
  readonly #international
  readonly #bodies = new Map<string, MailBody>()
  readonly #underWay = new Set<Promise<MailResult>>()

  constructor(settings: SmtpSettings, lookup: LookupFunction | null) {
    const connect = lookup === null ? null : () => connectChecked(settings, lookup)
    this.#transport = createTransport({ ...poolOptions(settings), ...checkedSocket(connect) })
    this.#international = new InternationalCheck(connectionOptions(settings), connect)
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

  /** `messageId` must be that of the mail, and must not be shared by two mails under way. */
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

  /** Whether the server accepts addresses beyond ASCII. */
  async takesInternational(signal: AbortSignal): Promise<boolean | Extract<MailResult, { kind: 'failed' }>> {
    const failed = (error: unknown) => ({ kind: 'failed', error, hasLeft: false }) as const
    if (signal.aborted) return failed(deadline())
    const late = new Promise<ReturnType<typeof failed>>((resolve) => {
      signal.addEventListener('abort', () => resolve(failed(deadline())), { once: true })
    })
    return Promise.race([this.#international.isTaken().catch(failed), late])
  }

  /** Connects and signs in, without sending mail. */
  async check(signal: AbortSignal): Promise<Extract<MailResult, { kind: 'failed' }> | null> {
    const failed = (error: unknown) => ({ kind: 'failed', error, hasLeft: false }) as const
    if (signal.aborted) return failed(deadline())
    const late = new Promise<ReturnType<typeof failed>>((resolve) => {
      signal.addEventListener('abort', () => resolve(failed(deadline())), { once: true })
    })
    return Promise.race([this.#transport.verify().then(() => null, failed), late])
  }

  async close(): Promise<void> {
    await within(DRAIN_TIMEOUT_MS, Promise.all(this.#underWay))
    this.#transport.close({ force: true })
  }
}

/** The content streams of a message, one for each connection that it is tried on. */
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

  /** Makes sure that a mail that has not left never does: no server accepts it without its content. */
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
      const end = () => resolve({ kind: 'failed', error: deadline(), hasLeft })
      if (hasLeft) {
        afterReading(end)
        return
      }
      body.cancel()
      end()
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

/** nodemailer resolves names itself, so it is given a connection to a checked address. */
function checkedSocket(connectTo: (() => Promise<Socket>) | null) {
  if (connectTo === null) return {}
  type Done = (error: Error | null, options?: { connection: Socket }) => void
  return {
    getSocket: (_options: unknown, done: Done) => {
      connectTo().then(
        (connection) => done(null, { connection }),
        (error: Error) => done(error),
      )
    },
  }
}

function connectChecked({ host, port }: SmtpSettings, lookup: LookupFunction): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const connection = connect({ host, port, lookup, timeout: CONNECT_TIMEOUT_MS, ...perAddressTimeout })
    const giveUp = () => connection.destroy(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' }))
    // The listener stays, since a later error without a listener would end the process.
    connection.on('error', reject).once('timeout', giveUp)
    connection.once('connect', () => {
      connection.off('timeout', giveUp)
      resolve(connection)
    })
  })
}

function connectionOptions(settings: SmtpSettings) {
  return {
    host: settings.host,
    port: settings.port,
    secure: settings.secure ?? settings.port === 465,
    requireTLS: settings.require_tls ?? settings.user !== undefined,
    ...(settings.tls_ca === undefined ? {} : { tls: { ca: settings.tls_ca } }),
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
  }
}

function poolOptions(settings: SmtpSettings) {
  const { user, password, dkim_domain, dkim_selector, dkim_private_key } = settings
  return {
    pool: true as const,
    ...connectionOptions(settings),
    ...(user === undefined || password === undefined ? {} : { auth: { user, pass: password } }),
    ...(dkim_domain === undefined || dkim_selector === undefined || dkim_private_key === undefined
      ? {}
      : { dkim: { domainName: dkim_domain, keySelector: dkim_selector, privateKey: dkim_private_key } }),
    maxConnections: MAX_CONNECTIONS,
    maxRequeues: MAX_REQUEUES,
    idleTimeout: IDLE_TIMEOUT_MS,
    maxResponseSize: MAX_REPLY_LENGTH,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}
