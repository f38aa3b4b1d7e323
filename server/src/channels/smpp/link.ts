/** Keeps one bound connection to the carrier: connects at once, and again after every loss, with growing pauses. */
import { afterReading } from '../../platform/after-reading.ts'
import type { AccountContext, Connection, SendOutcome } from '../channel.ts'
import { connectionError, providerError } from '../provider-error.ts'
import type { DeliverSm } from './bodies.ts'
import { SmppSession } from './session.ts'
import type { SmppSettings } from './settings.ts'
import { isCredentialFailure, statusError } from './status.ts'

const FIRST_BACKOFF_MS = 250
const MAX_BACKOFF_MS = 30_000
/**
 * A connection has to last this long before the pauses start again from the shortest: a carrier that binds and hangs up
 * at once must not be called without pause.
 */
const STABLE_AFTER_MS = 10_000
const UNBIND_TIMEOUT_MS = 1_000
/** A message waits at most this long for a connection that is being made: another account may be able to send it. */
const PATIENCE_MS = 3_000

type Failure = Extract<SendOutcome, { kind: 'retry' | 'broken' }>

type State =
  | { readonly kind: 'connecting'; readonly patience: Promise<void> }
  | { readonly kind: 'bound'; readonly session: SmppSession; readonly sinceMs: number }
  | { readonly kind: 'waiting'; readonly failure: Failure; readonly timer: NodeJS.Timeout }
  | { readonly kind: 'closed' }

const DISCONNECTED = { kind: 'retry', afterSeconds: 1 } as const

export class SmppLink {
  readonly #settings: SmppSettings
  readonly #onDeliver: (deliver: DeliverSm) => Promise<void>
  readonly #context: Pick<AccountContext, 'log' | 'lookup'>
  #state: State
  #session: SmppSession | null = null
  #failures = 0
  #connection: Connection = { kind: 'connecting' }

  constructor(
    settings: SmppSettings,
    onDeliver: (deliver: DeliverSm) => Promise<void>,
    context: Pick<AccountContext, 'log' | 'lookup'>,
  ) {
    this.#settings = settings
    this.#onDeliver = onDeliver
    this.#context = context
    this.#state = this.#begin()
  }

  get connection(): Connection {
    return this.#connection
  }

  /** A bound session, or why there is none. Waits a little for an attempt under way, but not for the next one. */
  async ready(signal: AbortSignal): Promise<SmppSession | Failure> {
    if (this.#state.kind === 'connecting') await untilAborted(this.#state.patience, signal)
    switch (this.#state.kind) {
      case 'bound':
        return this.#state.session
      case 'waiting':
        return this.#state.failure
      default:
        return { ...DISCONNECTED, error: providerError('not_connected', 'Not connected to the carrier.') }
    }
  }

  async close(): Promise<void> {
    const state = this.#state
    this.#state = { kind: 'closed' }
    if (state.kind === 'waiting') clearTimeout(state.timer)
    if (state.kind === 'bound') await state.session.unbind(UNBIND_TIMEOUT_MS)
    this.#session?.end('closed')
  }

  /** An attempt that takes longer than messages wait counts as down until it succeeds. */
  #begin(): State {
    const attempt = this.#connect()
    const patience = new Promise<void>((resolve) => {
      const giveUp = () => {
        if (this.#connection.kind === 'connecting')
          this.#connection = { kind: 'down', error: providerError('connect_slow', 'No connection yet.') }
        resolve()
      }
      const timer = setTimeout(() => afterReading(giveUp), PATIENCE_MS)
      void attempt.then(() => {
        clearTimeout(timer)
        resolve()
      })
    })
    return { kind: 'connecting', patience }
  }

  async #connect(): Promise<void> {
    const session = new SmppSession(this.#settings, this.#context.lookup, {
      onDeliver: this.#onDeliver,
      onEnd: (reason) => {
        if (this.#state.kind !== 'bound' || this.#state.session !== session) return
        if (performance.now() - this.#state.sinceMs >= STABLE_AFTER_MS) this.#failures = 0
        this.#lose(reason)
      },
    })
    this.#session = session
    const exchange = await session.bind()
    if (this.#state.kind === 'closed') {
      session.end('closed')
    } else if (exchange.kind !== 'response') {
      this.#lose(session.endedBecause ?? 'disconnected')
    } else if (exchange.pdu.status !== 0) {
      session.end('bind_refused')
      this.#refuse(exchange.pdu.status)
    } else if (session.endedBecause !== null) {
      this.#lose(session.endedBecause)
    } else {
      this.#state = { kind: 'bound', session, sinceMs: performance.now() }
      this.#connection = { kind: 'up' }
      this.#context.log('info', 'smpp bound', { host: this.#settings.host, port: this.#settings.port })
    }
  }

  #refuse(status: number): void {
    const error = statusError(status)
    this.#wait(isCredentialFailure(status) ? { kind: 'broken', error } : { ...DISCONNECTED, error })
  }

  #lose(reason: string): void {
    this.#wait({ ...DISCONNECTED, error: connectionError(reason, 'Not connected to the carrier') })
  }

  #wait(failure: Failure): void {
    const ceilingMs = Math.min(FIRST_BACKOFF_MS * 2 ** this.#failures, MAX_BACKOFF_MS)
    // Jitter, so that the nodes of one installation do not reconnect at the same moment.
    const delayMs = Math.round(ceilingMs * (0.5 + Math.random() / 2))
    this.#failures += 1
    this.#context.log(failure.kind === 'broken' ? 'error' : 'warn', 'smpp not connected', {
      host: this.#settings.host,
      port: this.#settings.port,
      code: failure.error.code,
      retry_ms: delayMs,
    })
    const timer = setTimeout(() => {
      this.#state = this.#begin()
    }, delayMs)
    const told = failure.kind === 'retry' ? { ...failure, afterSeconds: Math.ceil(delayMs / 1_000) } : failure
    this.#state = { kind: 'waiting', failure: told, timer }
    this.#connection = { kind: 'down', error: failure.error }
  }
}

function untilAborted(attempt: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = (): void => {
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
    void attempt.then(done)
  })
}
