/** A customer of the service: apps made over the management API, and the calls that its backend makes. */
import { type Call, closedLoop, expect200 } from './load.ts'
import type { OtherSide } from './other-side.ts'
import type { Service } from './stage.ts'
import { type Connection, callOnce, requestText } from './wire.ts'

export interface App {
  readonly companyId: string
  readonly appId: string
  readonly key: string
}

export type Guard = 'off' | 'monitor' | 'auto'

/** The default limits, except for the app's own. Every send has its own number and client IP, so none is reached. */
const wide = {
  limits: { app: [{ max: 1_000_000, window_s: 1 }] },
  spend_caps: { day_by_country: { default: '1000000000' }, hour_unverified: '1000000000' },
}
const accountSid = `AC${'0'.repeat(32)}`

async function manage<Body>(service: Service, method: string, path: string, body: unknown): Promise<Body> {
  const request = requestText(method, `/manage/v1${path}`, {
    key: service.adminToken,
    body: JSON.stringify(body),
  })
  const answer = await callOnce(service.port, request)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`)
  return JSON.parse(answer.body) as Body
}

/** Creates the operator's provider account, which every company may use. */
export async function connectCarrier(service: Service, { carrierUrl, authToken }: OtherSide): Promise<void> {
  await manage(service, 'POST', '/providers', {
    channel: 'sms',
    kind: 'twilio',
    settings: { account_sid: accountSid, auth_token: authToken, from: 'Bench', base_url: carrierUrl },
  })
}

export async function openCompany(service: Service): Promise<string> {
  const body = { name: 'Bench', balance: '1000000000' }
  return (await manage<{ company_id: string }>(service, 'POST', '/companies', body)).company_id
}

export async function openApp(
  service: Service,
  companyId: string,
  { guard, endpointUrl }: { readonly guard: Guard; readonly endpointUrl?: string },
): Promise<App> {
  const settings = { name: 'Bench', ...wide, pumping: { mode: guard } }
  const { app_id: appId } = await manage<{ app_id: string }>(
    service,
    'POST',
    `/companies/${companyId}/apps`,
    settings,
  )
  const { key } = await manage<{ key: string }>(service, 'POST', `/apps/${appId}/keys`, { kind: 'server' })
  if (endpointUrl) await manage(service, 'PUT', `/apps/${appId}/webhook`, { url: endpointUrl })
  return { companyId, appId, key }
}

let serial = 0
/**
 * Mobile numbers of seven countries, each with eight more digits: real traffic comes from many carriers, and the guard
 * looks at each of them.
 */
const prefixes = [
  '+4474',
  '+4477',
  '+4478',
  '+4479',
  '+49151',
  '+49157',
  '+49176',
  '+336',
  '+346',
  '+3932',
  '+3933',
  '+3934',
  '+9198',
  '+9199',
  '+55119',
  '+55219',
]
/** Coprime to 100,000,000: every eight-digit number comes up once, and neighbours in the sequence are far apart. */
const scatter = 61_803_399
const nextPhone = () =>
  `${prefixes[++serial % prefixes.length]}${String((serial * scatter) % 100_000_000).padStart(8, '0')}`
const nextAddress = () => `11.${serial & 255}.${(serial >> 8) & 255}.${(serial >> 16) & 255}`

const otpIdField = /"otp_id":"([^"]+)"/

export interface Sent {
  readonly app: App
  readonly recipient: string
  readonly otpId: string
}

const sendRequest = ({ key }: App, recipient: string) =>
  requestText('POST', '/api/v1/otp/send', {
    key,
    body: `{"recipient":"${recipient}","client_ip":"${nextAddress()}"}`,
  })

const verifyRequest = ({ key }: App, otpId: string, code: string) =>
  requestText('POST', '/api/v1/otp/verify', { key, body: `{"otp_id":"${otpId}","code":"${code}"}` })

/** Few callers, as when a product starts: thousands of sends before anybody has typed a code look like an attack. */
const historyCallers = 4
const historyOfEach = 3
/** More than it needs. */
const historySeconds = 30

/** In each app some people type their codes, so that the guard has seen approvals there. */
export async function giveHistory(port: number, apps: readonly App[], side: OtherSide): Promise<void> {
  const most = Math.max(historyOfEach * apps.length, historyCallers * historyOfEach)
  await closedLoop(port, cycling(apps, side), { seconds: historySeconds, callers: historyCallers, most })
}

const takingTurns = (apps: readonly App[]) => {
  let turn = 0
  return () => {
    const app = apps[turn++ % apps.length]
    if (!app) throw new Error('there is no app')
    return app
  }
}

export async function sendOne(connection: Connection, app: App): Promise<Sent> {
  const recipient = nextPhone()
  const body = expect200(await connection.call(sendRequest(app, recipient)))
  return { app, recipient, otpId: otpIdField.exec(body)?.[1] ?? '' }
}

export async function verifyOne(connection: Connection, { app, otpId }: Sent, code: string): Promise<void> {
  const body = expect200(await connection.call(verifyRequest(app, otpId, code)))
  if (!body.includes('"status":"approved"')) throw new Error(`not approved: ${body.slice(0, 200)}`)
}

/** Sends by each app in turn. What was sent is added to `sent`. */
export function sending(apps: readonly App[], sent: Sent[]): Call {
  const nextApp = takingTurns(apps)
  return async (connection) => {
    sent.push(await sendOne(connection, nextApp()))
  }
}

/** Enters the right code of each verification in `sent`, once. */
export const verifying =
  (sent: Sent[], side: OtherSide): Call =>
  async (connection) => {
    const next = sent.pop()
    if (next) await verifyOne(connection, next, await side.codeOf(next.recipient))
  }

/** One whole cycle of a person: asks for a code, gets the message, enters the code. */
export function cycling(
  apps: readonly App[],
  side: OtherSide,
  onApproved: (otpId: string, atMs: number) => void = () => {},
): Call {
  const nextApp = takingTurns(apps)
  return async (connection) => {
    const sent = await sendOne(connection, nextApp())
    await verifyOne(connection, sent, await side.codeOf(sent.recipient))
    onApproved(sent.otpId, performance.now())
  }
}
