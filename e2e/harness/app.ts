/** An app in its own company, and the calls that its backend makes. */
import assert from 'node:assert/strict'
import type { Channel } from './simulator.ts'
import { eventually, patiently } from './wait.ts'

export interface Answer<Body> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

export interface Verification {
  readonly otp_id: string
  readonly status: 'pending' | 'approved' | 'failed' | 'expired'
  readonly channel: Channel
  readonly masked_recipient: string
  readonly action_url: string | null
  readonly completion: 'code' | 'inbound'
}

export interface Delivery {
  readonly delivery_id: string
  readonly channel: Channel
  readonly status: 'queued' | 'sent' | 'delivered' | 'failed'
  readonly created_at: string
  readonly updated_at: string
  readonly error: { readonly code: string; readonly message: string } | null
}

export interface Status extends Verification {
  readonly verified_at: string | null
  readonly attempts_remaining: number
  readonly sends_remaining: number
  readonly resend_available_at: string | null
  readonly deliveries: readonly Delivery[]
}

export interface Verdict {
  readonly status: Verification['status']
  readonly matched: boolean
  readonly channel: Channel
  readonly attempts_remaining: number
}

export interface Refusal {
  readonly error: {
    readonly type: string
    readonly message: string
    readonly details: Readonly<Record<string, unknown>>
  }
}

export interface LedgerEntry {
  readonly kind: 'credit' | 'reserve' | 'capture' | 'return' | 'carried'
  readonly amount: string
  readonly otp_id: string | null
}

interface CallOptions {
  readonly key?: string
  readonly body?: unknown
  /** Returns a 503 at once, instead of calling again. */
  readonly isImpatient?: boolean
}

export interface Caller {
  readonly call: <Body>(method: string, path: string, options?: CallOptions) => Promise<Answer<Body>>
}

export function callerOf(url: string): Caller {
  const call = async <Body>(method: string, path: string, key?: string, body?: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
  }
  return {
    call: <Body>(method: string, path: string, { key, body, isImpatient = false }: CallOptions = {}) => {
      const once = () => call<Body>(method, path, key, body)
      return isImpatient ? once() : patiently(once)
    },
  }
}

export interface Send {
  readonly recipient: string
  readonly locale?: string
  readonly client_ip?: string
}

/** The calls that a backend can make with its server key. */
export class Backend {
  readonly #caller: Caller
  readonly key: string

  constructor(caller: Caller, key: string) {
    this.#caller = caller
    this.key = key
  }

  async send(send: Send): Promise<Verification> {
    return this.#good(await this.#post<Verification>('/otp/send', send))
  }

  async refusedSend(send: Send): Promise<Answer<Refusal>> {
    return this.#post<Refusal>('/otp/send', send)
  }

  /** Returns the answer whether the send was accepted or refused, a 503 included. */
  async attemptSend(body: Send): Promise<Answer<Partial<Verification & Refusal>>> {
    return this.#caller.call('POST', '/api/v1/otp/send', { key: this.key, body, isImpatient: true })
  }

  async resend(otpId: string, channel?: Channel): Promise<Verification> {
    return this.#good(await this.#post<Verification>('/otp/resend', resendBody(otpId, channel)))
  }

  async refusedResend(otpId: string, channel?: Channel): Promise<Answer<Refusal>> {
    return this.#post<Refusal>('/otp/resend', resendBody(otpId, channel))
  }

  async verify(otpId: string, code: string): Promise<Verdict> {
    return this.#good(await this.#post<Verdict>('/otp/verify', { otp_id: otpId, code }))
  }

  async refusedVerify(otpId: string, code: string): Promise<Answer<Refusal>> {
    return this.#post<Refusal>('/otp/verify', { otp_id: otpId, code })
  }

  async status(otpId: string): Promise<Status> {
    return this.#good(await this.#caller.call<Status>('GET', `/api/v1/otp/${otpId}`, { key: this.key }))
  }

  /** Waits until a delivery has this status. `place` is its index in the list, oldest first. */
  async delivery(otpId: string, wanted: Delivery['status'], place = 0): Promise<Delivery> {
    const { deliveries } = await eventually(
      `delivery ${place} is ${wanted}`,
      () => this.status(otpId),
      (status) => status.deliveries[place]?.status === wanted,
    )
    const delivery = deliveries[place]
    assert.ok(delivery)
    return delivery
  }

  #post<Body>(path: string, body: unknown): Promise<Answer<Body>> {
    return this.#caller.call<Body>('POST', `/api/v1${path}`, { key: this.key, body })
  }

  #good<Body>({ status, body }: Answer<Body>): Body {
    assert.equal(status, 200, JSON.stringify(body))
    return body
  }
}

const resendBody = (otpId: string, channel?: Channel) => ({ otp_id: otpId, ...(channel ? { channel } : {}) })

/** An app and its company, with what the operator can do. */
export class TestApp extends Backend {
  readonly #caller: Caller
  readonly #adminToken: string
  readonly companyId: string
  readonly appId: string

  constructor(
    caller: Caller,
    options: { key: string; adminToken: string; companyId: string; appId: string },
  ) {
    super(caller, options.key)
    this.#caller = caller
    this.#adminToken = options.adminToken
    this.companyId = options.companyId
    this.appId = options.appId
  }

  async change(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const { status, body } = await this.#manage('PATCH', `/apps/${this.appId}`, settings)
    assert.equal(status, 200, JSON.stringify(body))
  }

  /** Creates one more key of this app. */
  async createKey(kind: 'server' | 'publishable'): Promise<string> {
    const { status, body } = await this.#manage<{ key: string }>('POST', `/apps/${this.appId}/keys`, { kind })
    assert.equal(status, 201, JSON.stringify(body))
    return body.key
  }

  /** Sends the app's events to this address, and returns the signing secret. */
  async sendEventsTo(url: string): Promise<string> {
    const { status, body } = await this.#manage<{ signing_secret: string }>(
      'PUT',
      `/apps/${this.appId}/webhook`,
      { url },
    )
    assert.equal(status, 200, JSON.stringify(body))
    return body.signing_secret
  }

  /** The balance, after comparing it with the sum of the whole ledger. */
  async balance(): Promise<number> {
    const { balance, entries } = await this.#account()
    const sum = entries.reduce((total, { amount }) => total + micros(amount), 0)
    assert.equal(sum, micros(balance), 'the ledger must add up to the balance')
    return micros(balance)
  }

  async ledgerKinds(otpId: string): Promise<string[]> {
    const { entries } = await this.#account()
    return entries
      .filter((entry) => entry.otp_id === otpId)
      .map(({ kind }) => kind)
      .reverse()
  }

  /** The two calls are no snapshot, so they are repeated until nothing changed in between. */
  async #account(): Promise<{ balance: string; entries: LedgerEntry[] }> {
    const company = () => this.#manage<{ balance: string }>('GET', `/companies/${this.companyId}`)
    return await eventually(
      'a quiet account',
      async () => {
        const before = (await company()).body.balance
        const entries = await this.#ledger()
        return { isQuiet: before === (await company()).body.balance, balance: before, entries }
      },
      ({ isQuiet }) => isQuiet,
    )
  }

  async #ledger(): Promise<LedgerEntry[]> {
    const entries: LedgerEntry[] = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? '?limit=200' : `?limit=200&cursor=${cursor}`
      const { status, body } = await this.#manage<{ entries: LedgerEntry[]; next_cursor: string | null }>(
        'GET',
        `/companies/${this.companyId}/ledger${query}`,
      )
      assert.equal(status, 200)
      entries.push(...body.entries)
      cursor = body.next_cursor
    } while (cursor !== null)
    return entries
  }

  #manage<Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
    return this.#caller.call<Body>(method, `/manage/v1${path}`, {
      key: this.#adminToken,
      ...(body === undefined ? {} : { body }),
    })
  }
}

export const openingBalance = 10_000_000
/** The prices of a new installation, in millionths of the currency. */
export const prices: Readonly<Record<Channel, number>> = {
  sms: 50_000,
  whatsapp: 20_000,
  telegram: 10_000,
  email: 1_000,
}

const micros = (amount: string) => Math.round(Number(amount) * 1_000_000)

/** Settings that get in no test's way: no cooldown, and limits that one test cannot reach. */
const roomySettings = {
  resend_cooldown_s: 0,
  max_sends: 10,
  pumping: { mode: 'off' },
  limits: { recipient: [{ max: 100, window_s: 600 }] },
}

export async function createApp(
  caller: Caller,
  adminToken: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<TestApp> {
  const post = async <Body>(path: string, body: unknown): Promise<Body> => {
    const answer = await caller.call<Body>('POST', `/manage/v1${path}`, { key: adminToken, body })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    return answer.body
  }
  const company = { name: 'Acme', balance: String(openingBalance / 1_000_000) }
  const { company_id: companyId } = await post<{ company_id: string }>('/companies', company)
  const app = { name: 'Acme Shop', ...roomySettings, ...settings }
  const { app_id: appId } = await post<{ app_id: string }>(`/companies/${companyId}/apps`, app)
  const { key } = await post<{ key: string }>(`/apps/${appId}/keys`, { kind: 'server' })
  return new TestApp(caller, { key, adminToken, companyId, appId })
}
