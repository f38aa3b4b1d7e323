import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { TestContext } from 'node:test'
import { boundPort } from '../src/listen.ts'
import type { SimulatorOptions } from '../src/options.ts'
import { type Simulator, startSimulator } from '../src/simulator.ts'

export const ACCESS_TOKEN = 'access-token'
export const APP_SECRET = 'app-secret'
const VERIFY_TOKEN = 'verify-token'
export const PHONE_NUMBER_ID = '1122334455667'
export const BUSINESS_NUMBER = '+15550001111'
export const TELEGRAM_TOKEN = 'telegram-token'

interface InboxMessage {
  id: string
  channel: string
  to: string
  from: string
  text: string
  received_at: string
  subject?: string
  html?: string
}

export interface Running extends Simulator {
  readonly url: string
  messages(query?: string): Promise<InboxMessage[]>
  behave(rule: Record<string, unknown>): Promise<void>
}

/** A simulator on free ports that ends with the test. */
export async function start(context: TestContext, changes: Partial<SimulatorOptions> = {}): Promise<Running> {
  const simulator = await startSimulator({
    httpPort: 0,
    smtpPort: 0,
    smppPort: 0,
    whatsapp: whatsAppOptions('http://127.0.0.1:9/none'),
    telegram: { token: TELEGRAM_TOKEN },
    smpp: { systemId: 'service', password: 'secret' },
    smtp: { user: 'service', password: 'secret' },
    bounce: null,
    ...changes,
  })
  context.after(() => simulator.close())
  const url = `http://127.0.0.1:${simulator.httpPort}`
  return {
    ...simulator,
    url,
    async messages(query = '') {
      const response = await fetch(`${url}/messages${query}`)
      return (await response.json()) as InboxMessage[]
    },
    async behave(rule) {
      const response = await send('PUT', `${url}/behaviour`, rule)
      if (response.status !== 200) throw new Error(await response.text())
    },
  }
}

export function whatsAppOptions(webhookUrl: string): SimulatorOptions['whatsapp'] {
  return {
    webhookUrl,
    appSecret: APP_SECRET,
    accessToken: ACCESS_TOKEN,
    verifyToken: VERIFY_TOKEN,
    phoneNumberId: PHONE_NUMBER_ID,
    displayPhoneNumber: BUSINESS_NUMBER,
  }
}

export function send(
  method: string,
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

export interface ReceivedCall {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly url: string
  readonly calls: ReceivedCall[]
  /** The statuses of the first answers; later calls are answered with 200. */
  readonly statuses: number[]
}

/** The service's side of webhooks and callbacks. */
export async function startReceiver(context: TestContext): Promise<Receiver> {
  const calls: ReceivedCall[] = []
  const statuses: number[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://receiver')
      const body = Buffer.concat(chunks).toString('utf8')
      calls.push({ method: request.method ?? '', url, headers: request.headers, body })
      response.writeHead(statuses.shift() ?? 200)
      const isOurs = url.searchParams.get('hub.verify_token') === VERIFY_TOKEN
      response.end(isOurs ? url.searchParams.get('hub.challenge') : '')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${boundPort(server.address())}/hook`, calls, statuses }
}

const POLL_MS = 10
/** Far longer than anything takes, because other programs may use the processor. */
const DEADLINE_MS = 30_000

/** Asks until `isThere` accepts the answer, and fails after the deadline. */
export async function eventually<T>(ask: () => T | Promise<T>, isThere: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS
  for (;;) {
    const value = await ask()
    if (isThere(value)) return value
    if (Date.now() > deadline) throw new Error(`still ${JSON.stringify(value)} after ${DEADLINE_MS} ms`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
