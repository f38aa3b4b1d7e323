/**
 * The carrier and the customer's webhook endpoint, in the same process as the callers. The service reaches the carrier
 * as an account of the kind `twilio` that has our address. Codes are read from the messages that it hands over.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, Connection, listen } from './wire.ts'

const callbackConnections = 32
const codeMs = 60_000

export interface OtherSide {
  readonly carrierUrl: string
  readonly endpointUrl: string
  readonly authToken: string
  /** Waits for the code that was sent to this recipient. Each code can be read once. */
  readonly codeOf: (recipient: string) => Promise<string>
  /** The same without waiting: undefined if the code has not arrived yet. */
  readonly takeCode: (recipient: string) => string | undefined
  /** How many messages the carrier has accepted. */
  readonly taken: () => number
  /** When each event of this type arrived, by `otp_id`. */
  readonly arrivals: (type: string) => ReadonlyMap<string, number>
  /** The carrier answers no message until the returned function is called. */
  readonly hold: () => () => void
  /** From now on the carrier reports each message as delivered, `afterMs` after it accepted it; never with null. */
  readonly report: (afterMs: number | null, servicePort?: number) => void
  /** How many reports the service answered with 200, and how many with anything else. */
  readonly reported: () => { readonly taken: number; readonly refused: number }
  /** Forgets everything that has arrived so far. */
  readonly forget: () => void
  readonly close: () => void
}

const callbackPath = /StatusCallback=([^&]+)/
const recipientField = /(?:^|&)To=%2B(\d+)/
const textField = /(?:^|&)Body=([^&]+)/
const codeInText = /(?<!\d)\d{6}(?!\d)/
const otpIdField = /"otp_id":"([^"]+)"/
const typeField = /"type":"([^"]+)"/
const takenEvent: Answer = { status: 204, body: '' }

export async function openOtherSide(): Promise<OtherSide> {
  const authToken = randomBytes(16).toString('hex')
  const codes = new Codes()
  const events = new Map<string, Map<string, number>>()
  const reports = new Reports(authToken)
  let messages = 0
  let held: Promise<void> = Promise.resolve()
  let isHeld = false

  const carrier = await listen(async (_head, body) => {
    if (isHeld) await held
    const messageId = `SM${String(++messages).padStart(32, '0')}`
    const recipient = `+${recipientField.exec(body)?.[1]}`
    const text = decodeURIComponent(textField.exec(body)?.[1] ?? '')
    codes.put(recipient, codeInText.exec(text)?.[0] ?? '')
    reports.begin(decodeURIComponent(callbackPath.exec(body)?.[1] ?? ''), messageId)
    return { status: 201, body: `{"sid":"${messageId}"}` }
  })
  const endpoint = await listen((_head, body) => {
    const type = typeField.exec(body)?.[1] ?? ''
    const ofType = events.get(type) ?? new Map<string, number>()
    ofType.set(otpIdField.exec(body)?.[1] ?? '', performance.now())
    events.set(type, ofType)
    return takenEvent
  })
  return {
    carrierUrl: `http://127.0.0.1:${carrier.port}`,
    endpointUrl: `http://127.0.0.1:${endpoint.port}/events`,
    authToken,
    codeOf: async (recipient) => codes.take(recipient) ?? codes.waitFor(recipient),
    takeCode: (recipient) => codes.take(recipient),
    taken: () => messages,
    arrivals: (type) => events.get(type) ?? new Map(),
    hold: () => {
      isHeld = true
      let release = () => {}
      held = new Promise((resolve) => {
        release = resolve
      })
      return () => {
        isHeld = false
        release()
      }
    },
    report: reports.set,
    reported: () => reports.counts,
    forget: () => {
      codes.clear()
      events.clear()
      messages = 0
      reports.counts = { taken: 0, refused: 0 }
    },
    close: () => {
      carrier.close()
      endpoint.close()
      reports.close()
    },
  }
}

/** Codes that have arrived and were not read yet, and callers that wait for a code. */
class Codes {
  readonly #here = new Map<string, string>()
  readonly #waiting = new Map<string, (code: string) => void>()

  put(recipient: string, code: string): void {
    const wanted = this.#waiting.get(recipient)
    this.#waiting.delete(recipient)
    if (wanted) wanted(code)
    else this.#here.set(recipient, code)
  }

  take(recipient: string): string | undefined {
    const code = this.#here.get(recipient)
    this.#here.delete(recipient)
    return code
  }

  waitFor(recipient: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no message within ${codeMs / 1_000} s`)), codeMs)
      this.#waiting.set(recipient, (code) => {
        clearTimeout(timer)
        resolve(code)
      })
    })
  }

  clear(): void {
    this.#here.clear()
    this.#waiting.clear()
  }
}

/** The carrier's receipts for the messages that it accepted, sent over a few kept connections. */
class Reports {
  counts = { taken: 0, refused: 0 }
  readonly #authToken: string
  #afterMs: number | null = null
  #connections: Connection[] = []
  #idle: Connection[] = []
  readonly #waiting: string[] = []

  constructor(authToken: string) {
    this.#authToken = authToken
  }

  readonly set = (afterMs: number | null, servicePort = 0): void => {
    this.close()
    this.#afterMs = afterMs
    this.#connections = Array.from({ length: callbackConnections }, () => new Connection(servicePort))
    this.#idle = [...this.#connections]
  }

  begin(callbackUrl: string, messageId: string): void {
    if (this.#afterMs === null) return
    void sleep(this.#afterMs).then(() => this.#send(this.#requestText(callbackUrl, messageId)))
  }

  close(): void {
    for (const connection of this.#connections) connection.close()
    this.#connections = []
  }

  #requestText(callbackUrl: string, messageId: string): string {
    const signed = `${callbackUrl}MessageSid${messageId}MessageStatusdelivered`
    const signature = createHmac('sha1', this.#authToken).update(signed).digest('base64')
    const { pathname, search } = new URL(callbackUrl)
    const body = `MessageSid=${messageId}&MessageStatus=delivered`
    return (
      `POST ${pathname}${search} HTTP/1.1\r\nhost: 127.0.0.1\r\nx-twilio-signature: ${signature}\r\n` +
      `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    )
  }

  #send(request: string): void {
    const connection = this.#idle.pop()
    if (!connection) {
      this.#waiting.push(request)
      return
    }
    void connection.call(request).then(({ status }) => {
      if (status === 200) this.counts.taken++
      else this.counts.refused++
      this.#idle.push(connection)
      const next = this.#waiting.shift()
      if (next !== undefined) this.#send(next)
    })
  }
}
