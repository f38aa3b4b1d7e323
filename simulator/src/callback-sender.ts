import { Agent, request } from 'undici'
import { retry } from './retry.ts'
import type { Schedule } from './schedule.ts'

const ANSWER_TIMEOUT_MS = 10_000
const CONNECTIONS_PER_ORIGIN = 64

export type CallbackResult = { readonly status: number; readonly text: string } | { readonly failure: string }

export interface SignedCallback {
  readonly url: string
  readonly body: string
  /** Called for every attempt, because a signature may carry the time. */
  readonly headers: () => Record<string, string>
}

const MAX_ANSWER_CHARACTERS = 1_000

/** Sends what carriers send back to the service. */
export class CallbackSender {
  readonly #agent = new Agent({
    connections: CONNECTIONS_PER_ORIGIN,
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
    connectTimeout: ANSWER_TIMEOUT_MS,
  })
  readonly #schedule: Schedule

  constructor(schedule: Schedule) {
    this.#schedule = schedule
  }

  get(url: string): Promise<CallbackResult> {
    return this.#call(url, { method: 'GET' })
  }

  post(callback: SignedCallback): Promise<CallbackResult> {
    const headers = { 'content-type': 'application/json', ...callback.headers() }
    return this.#call(callback.url, { method: 'POST', headers, body: callback.body })
  }

  async postUntilAccepted(callback: SignedCallback): Promise<void> {
    const isTaken = await retry(this.#schedule, async () => {
      const result = await this.post(callback)
      return 'status' in result && result.status === 200
    })
    if (!isTaken && !this.#schedule.closed) console.error('simulator: no one took a receipt over HTTP')
  }

  async #call(
    url: string,
    options: { method: 'GET' | 'POST'; headers?: Record<string, string>; body?: string },
  ): Promise<CallbackResult> {
    try {
      const response = await request(url, { ...options, dispatcher: this.#agent })
      const text = await response.body.text()
      return { status: response.statusCode, text: text.slice(0, MAX_ANSWER_CHARACTERS) }
    } catch (error) {
      return { failure: error instanceof Error ? error.message || error.name : String(error) }
    }
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }
}
