/** People who sign up through the SDK, at two nodes in turn, and the answers they got. */
import { setTimeout as pause } from 'node:timers/promises'
import { Countersign, CountersignError } from '../../../sdks/node/src/index.ts'
import { recipientLimit } from './installation.ts'

type Channel = 'sms' | 'telegram'

export interface Sign {
  readonly recipient: string
  readonly channel: Channel
  readonly key: string
  readonly otpIds: Set<string>
  readonly refusals: string[]
  /** Wrong codes that were sent, and those that were answered as wrong. */
  wrongSent: number
  wrongJudged: number
  /** Right codes that were sent, and those that were answered as right. */
  rightSent: number
  rightJudged: number
  /** What the carrier does with the message; null means that it delivers it. */
  readonly outcome: string | null
  /** Whether it is the only send to its recipient; otherwise the recipient's limit applies to all of them. */
  readonly isAlone: boolean
}

/** Whether the carrier sends a receipt for it. */
export const isSpokenOf = ({ outcome }: Sign) => outcome === null || outcome === 'duplicate'

const isUnanswered = ({ otpIds, refusals }: Sign) => otpIds.size === 0 && refusals.length === 0

export interface Answers {
  readonly counts: Map<string, number>
  readonly violations: string[]
}

export interface ClientOptions {
  readonly baseUrls: readonly string[]
  readonly keys: Readonly<Record<Channel, string>>
  readonly simulatorUrl: string
  readonly random: () => number
}

/** The share of people who ask too often, whose carrier answers too late or late, or who get another outcome. */
const shares = { many: 0.08, never: 0.02, late: 0.1, outcome: 0.2 }
const neverMs = 40_000
const lateMs = 3_000
const codeWaitMs = 6_000
const mostSendTries = 8
const callMs = 9_000
const mostSimulatorTries = 5

let next = 0
const newPhone = () => `+447400${String(100_000 + next++).slice(-6)}`

function newSign(
  recipient: string,
  channel: Channel,
  key: string,
  outcome: string | null,
  isAlone: boolean,
): Sign {
  return {
    recipient,
    channel,
    key,
    otpIds: new Set(),
    refusals: [],
    wrongSent: 0,
    wrongJudged: 0,
    rightSent: 0,
    rightJudged: 0,
    outcome,
    isAlone,
  }
}

export class Clients {
  readonly signs: Sign[] = []
  readonly answers: Answers = { counts: new Map(), violations: [] }
  readonly #options: ClientOptions
  #isOver = false
  #turn = 0

  constructor(options: ClientOptions) {
    this.#options = options
  }

  async run(atOnce: number): Promise<void> {
    await Promise.all(Array.from({ length: atOnce }, () => this.#loop()))
  }

  end(): void {
    this.#isOver = true
  }

  /** Sends without an answer are repeated once nothing is broken: no idempotency key may be stuck. */
  async askAgain(): Promise<void> {
    this.#isOver = false
    for (const sign of this.signs.filter(isUnanswered)) {
      await this.#send(sign)
      if (isUnanswered(sign))
        this.answers.violations.push(`${sign.recipient} gets no answer though nothing is in the way`)
    }
    this.#isOver = true
  }

  async #loop(): Promise<void> {
    const { random } = this.#options
    while (!this.#isOver) {
      await this.#signUp(random() < 0.5 ? 'sms' : 'telegram').catch((error: unknown) => {
        this.answers.violations.push(`a client failed: ${error}`)
      })
      await pause(100 + random() * 500)
    }
  }

  async #signUp(channel: Channel): Promise<void> {
    const { random } = this.#options
    const recipient = newPhone()
    if (random() < shares.many) return this.#askTooOften(recipient, channel)
    const outcome =
      random() < shares.outcome
        ? (['silent', 'duplicate', 'error', 'fail'][Math.floor(random() * 4)] ?? null)
        : null
    const delayMs = [neverMs, lateMs][[shares.never, shares.late].findIndex((share) => random() < share)] ?? 0
    // With `error` only one message fails, so that the next attempt succeeds.
    if (outcome || delayMs)
      await this.#behave({
        to: recipient,
        channel,
        outcome: outcome ?? 'deliver',
        delay_ms: delayMs,
        once: outcome === 'error',
      })
    const sign = newSign(recipient, channel, `key-${recipient}`, outcome, true)
    this.signs.push(sign)
    const otpId = await this.#send(sign)
    if (!otpId || this.#isOver) return
    const code = await this.#codeOf(recipient)
    if (code) await this.#guess(sign, otpId, code)
  }

  /** One more send at once than the recipient's limit allows, each with its own idempotency key. */
  async #askTooOften(recipient: string, channel: Channel): Promise<void> {
    const signs = Array.from({ length: recipientLimit + 1 }, (_, index) =>
      newSign(recipient, channel, `key-${recipient}-${index}`, null, false),
    )
    this.signs.push(...signs)
    await Promise.all(signs.map((sign) => this.#send(sign)))
  }

  /** Repeats the same call until there is an answer, as a backend would. */
  async #send(sign: Sign): Promise<string | null> {
    const isTwice = this.#options.random() < 0.1
    for (let tries = 0; tries < mostSendTries && !this.#isOver; tries++) {
      const call = () =>
        this.#call(sign.channel, (client, options) =>
          client.otp.send({ recipient: sign.recipient }, { idempotencyKey: sign.key, ...options }),
        )
      const answers = await Promise.all(isTwice ? [call(), call()] : [call()])
      for (const answer of answers) {
        if ('value' in answer) sign.otpIds.add(answer.value.otpId)
        else if (answer.refusal) sign.refusals.push(answer.refusal)
      }
      const [otpId] = sign.otpIds
      if (otpId) return otpId
      if (sign.refusals.length > 0) return null
      await pause(300 + this.#options.random() * 700)
    }
    return null
  }

  async #guess(sign: Sign, otpId: string, code: string): Promise<void> {
    const { random } = this.#options
    const wrong = code.replace(/^./, (digit) => String((Number(digit) + 1) % 10))
    const guess = async (text: string) => {
      const isRight = text === code
      if (isRight) sign.rightSent++
      else sign.wrongSent++
      const answer = await this.#call(sign.channel, (client, options) =>
        client.otp.verify({ otpId, code: text }, options),
      )
      if (!('value' in answer)) return false
      if (answer.value.matched && !isRight) this.answers.violations.push('a wrong code was right')
      if (answer.value.matched) sign.rightJudged++
      else sign.wrongJudged++
      return true
    }
    if (random() < 0.3) await guess(wrong)
    for (let tries = 0; tries < 4 && !this.#isOver; tries++) {
      const heard = await Promise.all(
        random() < 0.2 ? [guess(code), guess(code), guess(wrong)] : [guess(code)],
      )
      if (heard.some(Boolean)) return
      await pause(500)
    }
  }

  async #codeOf(recipient: string): Promise<string | null> {
    const untilMs = Date.now() + codeWaitMs
    while (Date.now() < untilMs && !this.#isOver) {
      const [message] = await messagesTo(this.#options.simulatorUrl, recipient)
      const code = message && /(?<!\d)\d{6}(?!\d)/.exec(message.text)?.[0]
      if (code) return code
      await pause(150)
    }
    return null
  }

  async #behave(rule: Readonly<Record<string, unknown>>): Promise<void> {
    await askSimulator(`${this.#options.simulatorUrl}/behaviour`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(rule),
    })
  }

  /** A call must succeed, be refused, get a 503 with Retry-After, or get no answer at all. */
  async #call<Value>(
    channel: Channel,
    call: (
      client: Countersign,
      options: {
        maxRetries: number
        timeoutMs: number
        onAnswer: (answer: { status: number; headers: Readonly<Record<string, string>> }) => void
      },
    ) => Promise<Value>,
  ): Promise<{ value: Value } | { refusal: string | null }> {
    const { baseUrls, keys } = this.#options
    const baseUrl = baseUrls[this.#turn++ % baseUrls.length] ?? ''
    const client = new Countersign(keys[channel], { baseUrl })
    const onAnswer = ({ status, headers }: { status: number; headers: Readonly<Record<string, string>> }) => {
      this.#count(String(status))
      if (status >= 500 && (status !== 503 || !headers['retry-after']))
        this.answers.violations.push(
          `an answer was ${status} with Retry-After ${headers['retry-after'] ?? 'missing'}`,
        )
    }
    try {
      return { value: await call(client, { maxRetries: 0, timeoutMs: callMs, onAnswer }) }
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error
      const hasAnswer = error.status !== undefined && error.status !== null
      if (!hasAnswer) this.#count(`no answer (${error.type})`)
      return { refusal: hasAnswer && Number(error.status) < 500 ? error.type : null }
    }
  }

  #count(what: string): void {
    this.answers.counts.set(what, (this.answers.counts.get(what) ?? 0) + 1)
  }
}

export interface Message {
  readonly to: string
  readonly text: string
  readonly received_at: string
}

/** Nothing breaks this connection on purpose: if it fails, the machine is busy. */
async function askSimulator(url: string, init?: RequestInit): Promise<Response> {
  for (let tries = 1; tries < mostSimulatorTries; tries++) {
    const answer = await fetch(url, init).catch(() => null)
    if (answer) return answer
    await pause(500)
  }
  return fetch(url, init)
}

export async function messagesTo(simulatorUrl: string, recipient: string): Promise<Message[]> {
  const answer = await askSimulator(`${simulatorUrl}/messages?${new URLSearchParams({ to: recipient })}`)
  return (await answer.json()) as Message[]
}
