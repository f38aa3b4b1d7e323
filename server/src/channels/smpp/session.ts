/** One connection to a carrier, from connecting to its end. A lost connection is replaced, never reused. */
import { connect as connectTcp, isIP, type LookupFunction, Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterReading } from '../../platform/after-reading.ts'
import { perAddressTimeout } from '../../platform/per-address-timeout.ts'
import { bindBody, type DeliverSm, readDeliverSm } from './bodies.ts'
import { COMMAND, encodePdu, isResponse, type Pdu, PduReader, responseId } from './pdu.ts'
import type { SmppSettings } from './settings.ts'

const CONNECT_TIMEOUT_MS = 5_000
const RESPONSE_TIMEOUT_MS = 60_000
const CONTROL_TIMEOUT_MS = 10_000
/** A carrier that unbinds may still answer what it has taken; this is how long it may take for that. */
const LAST_ANSWERS_MS = 2_000
const MAX_SEQUENCE = 0x7fff_ffff
const INVALID_COMMAND_ID = 0x03
/** ESME_RX_T_APPN (§5.1.3): it could not be recorded now, and the carrier should send it again. */
const TEMPORARY_ERROR = 0x64
/** Far above any carrier's window; beyond this the carrier is told to deliver again later. */
const MAX_DELIVERS_UNDER_WAY = 1_000
/** Bounded, because a carrier that never reads our answers would fill the memory with them. */
const MAX_UNREAD_BYTES = 1_048_576
const EMPTY = Buffer.alloc(0)

/** `lost`: the request was written, and no answer will come. `not-written`: there was no connection. */
export type Exchange =
  | { readonly kind: 'response'; readonly pdu: Pdu }
  | { readonly kind: 'lost' }
  | { readonly kind: 'not-written' }

export interface SessionEvents {
  /** Rejects if the delivered packet could not be recorded. */
  readonly onDeliver: (deliver: DeliverSm) => Promise<void>
  readonly onEnd: (reason: string) => void
}

export class SmppSession {
  readonly #settings: SmppSettings
  readonly #events: SessionEvents
  readonly #socket: Socket
  readonly #reader = new PduReader()
  readonly #pending = new Map<number, (exchange: Exchange) => void>()
  readonly #connected: Promise<boolean>
  #sequence = 0
  #keepAlive: NodeJS.Timeout | null = null
  #endedBecause: string | null = null
  /** Answers the carrier's unbind and ends the session; null until the carrier unbinds. */
  #leave: (() => void) | null = null
  #deliversUnderWay = 0

  constructor(settings: SmppSettings, lookup: LookupFunction | null, events: SessionEvents) {
    this.#settings = settings
    this.#events = events
    this.#socket = openSocket(settings, lookup)
    this.#connected = this.#watch()
  }

  get endedBecause(): string | null {
    return this.#endedBecause
  }

  /** Resolves with the carrier's answer to the bind. */
  async bind(): Promise<Exchange> {
    if (!(await this.#connected)) return { kind: 'not-written' }
    const exchange = await this.#request(
      COMMAND.bindTransceiver,
      bindBody(this.#settings),
      CONTROL_TIMEOUT_MS,
    )
    if (exchange.kind === 'response' && exchange.pdu.status === 0 && this.#endedBecause === null)
      this.#startKeepAlive()
    return exchange
  }

  /** `onEnd` runs before anything that arrived after the answer is read: a receipt may follow at once. */
  submit(body: Buffer, onEnd: (exchange: Exchange) => void): void {
    this.#send(COMMAND.submitSm, body, RESPONSE_TIMEOUT_MS, onEnd)
  }

  /** Unbinds, and waits at most `timeoutMs` for the carrier's answer. */
  async unbind(timeoutMs: number): Promise<void> {
    await this.#request(COMMAND.unbind, EMPTY, timeoutMs)
    this.end('closed')
  }

  end(reason: string): void {
    this.#finish(reason, () => this.#socket.destroy())
  }

  #finish(reason: string, closeSocket: () => void): void {
    if (this.#endedBecause !== null) return
    this.#endedBecause = reason
    if (this.#keepAlive !== null) clearInterval(this.#keepAlive)
    closeSocket()
    for (const settle of [...this.#pending.values()]) settle({ kind: 'lost' })
    this.#events.onEnd(reason)
  }

  #watch(): Promise<boolean> {
    return new Promise((resolve) => {
      let isConnected = false
      const giveUp = () => isConnected || this.end('connect_timeout')
      const timer = setTimeout(() => afterReading(giveUp), CONNECT_TIMEOUT_MS)
      this.#socket.once(this.#settings.tls ? 'secureConnect' : 'connect', () => {
        isConnected = true
        clearTimeout(timer)
        this.#socket.setNoDelay(true)
        resolve(true)
      })
      this.#socket.on('data', (chunk: Buffer) => this.#onData(chunk))
      this.#socket.on('error', (error) => this.end('code' in error ? String(error.code) : 'socket_error'))
      this.#socket.on('end', () => this.end('disconnected'))
      this.#socket.once('close', () => {
        clearTimeout(timer)
        resolve(false)
        this.end('disconnected')
      })
    })
  }

  #request(commandId: number, body: Buffer, timeoutMs: number): Promise<Exchange> {
    return new Promise((resolve) => this.#send(commandId, body, timeoutMs, resolve))
  }

  #send(commandId: number, body: Buffer, timeoutMs: number, onEnd: (exchange: Exchange) => void): void {
    if (this.#endedBecause !== null || this.#leave !== null) {
      onEnd({ kind: 'not-written' })
      return
    }
    this.#sequence = this.#sequence === MAX_SEQUENCE ? 1 : this.#sequence + 1
    const sequence = this.#sequence
    // If a packet is unanswered for this long, the session is broken, and a new one is started.
    const giveUp = () => this.#pending.has(sequence) && this.end('response_timeout')
    const timer = setTimeout(() => afterReading(giveUp), timeoutMs)
    this.#pending.set(sequence, (exchange) => {
      clearTimeout(timer)
      this.#pending.delete(sequence)
      onEnd(exchange)
      if (this.#pending.size === 0) this.#leave?.()
    })
    this.#socket.write(encodePdu({ commandId, status: 0, sequence, body }))
  }

  #startKeepAlive(): void {
    const everyMs = this.#settings.enquire_link_s * 1_000
    const timeoutMs = Math.min(everyMs, CONTROL_TIMEOUT_MS)
    this.#keepAlive = setInterval(() => void this.#request(COMMAND.enquireLink, EMPTY, timeoutMs), everyMs)
  }

  #onData(chunk: Buffer): void {
    for (const pdu of this.#read(chunk)) {
      if (isResponse(pdu)) this.#pending.get(pdu.sequence)?.({ kind: 'response', pdu })
      else if (this.#endedBecause === null) this.#answer(pdu)
    }
  }

  #read(chunk: Buffer): Pdu[] {
    try {
      return this.#reader.push(chunk)
    } catch {
      this.end('malformed_pdu')
      return []
    }
  }

  #answer(pdu: Pdu): void {
    const respond = (commandId: number, status: number, body: Buffer): void => {
      if (this.#endedBecause !== null) return
      this.#socket.write(encodePdu({ commandId, status, sequence: pdu.sequence, body }))
      if (this.#socket.writableLength > MAX_UNREAD_BYTES) this.end('answers_unread')
    }
    switch (pdu.commandId) {
      case COMMAND.deliverSm:
        void this.#deliver(pdu.body).then((status) =>
          respond(responseId(pdu.commandId), status, Buffer.alloc(1)),
        )
        break
      case COMMAND.enquireLink:
        respond(responseId(pdu.commandId), 0, EMPTY)
        break
      case COMMAND.unbind:
        this.#beginToLeave(() => respond(responseId(pdu.commandId), 0, EMPTY))
        break
      default:
        respond(COMMAND.genericNack, INVALID_COMMAND_ID, EMPTY)
    }
  }

  #beginToLeave(answer: () => void): void {
    if (this.#leave !== null) {
      answer()
      return
    }
    const leave = () => {
      clearTimeout(timer)
      answer()
      this.#finish('unbound', () => this.#socket.destroySoon())
    }
    const timer = setTimeout(() => afterReading(leave), LAST_ANSWERS_MS)
    this.#leave = leave
    if (this.#pending.size === 0) leave()
  }

  /** The status to answer with, once it is known whether the packet was recorded. */
  async #deliver(body: Buffer): Promise<number> {
    const deliver = readDeliver(body)
    if (deliver === null) return 0
    if (this.#deliversUnderWay >= MAX_DELIVERS_UNDER_WAY) return TEMPORARY_ERROR
    this.#deliversUnderWay++
    return this.#events
      .onDeliver(deliver)
      .then(
        () => 0,
        () => TEMPORARY_ERROR,
      )
      .finally(() => this.#deliversUnderWay--)
  }
}

/** Null for a packet that cannot be read. It is acknowledged all the same, or it would come again and again. */
function readDeliver(body: Buffer): DeliverSm | null {
  try {
    return readDeliverSm(body)
  } catch {
    return null
  }
}

function openSocket(settings: SmppSettings, lookup: LookupFunction | null): Socket {
  const { host, port } = settings
  const checked = { ...perAddressTimeout, ...(lookup ? { lookup } : {}) }
  if (!settings.tls) return connectTcp({ host, port, ...checked })
  try {
    return connectTls({
      host,
      port,
      ...checked,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(settings.tls_ca === undefined ? {} : { ca: settings.tls_ca }),
    })
  } catch {
    // A certificate that cannot be read ends the session like any other connection error.
    return new Socket().destroy(Object.assign(new Error('tls settings'), { code: 'tls_settings' }))
  }
}
