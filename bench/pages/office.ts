/** Sets up a company with an app, an endpoint and a little traffic of each kind, and an operator who has signed in. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { OtherSide } from '../measuring/other-side.ts'
import { query, type Stage } from '../measuring/stage.ts'
import { until } from '../scenario.ts'
import type { Read, Things } from './calls.ts'

const program = fileURLToPath(new URL('../../server/dist/cli.js', import.meta.url))
const email = 'operator@example.com'
const writtenMs = 30_000
/** Enough sends for the guard to hold some of them back. */
const attacked = 40
/** One more than the number of sends that a recipient may have. */
const tooMany = 6

export interface Office {
  readonly companyId: string
  readonly appId: string
  readonly ids: Omit<Things, 'from' | 'before'>
  readonly call: (read: Read) => Promise<void>
}

type Answer = Readonly<Record<string, string>>

export async function openOffice(stage: Stage, side: OtherSide, databaseUrl: string): Promise<Office> {
  const masterKey = randomBytes(32).toString('base64')
  const { port, adminToken } = await stage.startService(databaseUrl, { MASTER_KEY: masterKey })
  const base = `http://127.0.0.1:${port}`
  const { companyId, appId, key } = await furnish(base, adminToken, side)
  const { otpId, recipient } = await makeTraffic(base, key, side)
  const [event, endpoint] = await written(databaseUrl)
  return {
    companyId,
    appId,
    ids: {
      company_id: companyId,
      app_id: appId,
      otp_id: otpId,
      event_id: event,
      endpoint_id: endpoint,
      recipient,
    },
    call: await signIn(base, { DATABASE_URL: databaseUrl, MASTER_KEY: masterKey, ADMIN_TOKEN: adminToken }),
  }
}

interface Question {
  readonly method: string
  readonly url: string
  readonly key: string
  readonly body: unknown
}

async function ask({ method, url, key, body }: Question, expected = [200, 201]): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!expected.includes(answer.status)) throw new Error(`${method} ${url}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

/** Creates a carrier, a company with an app, its key and its endpoint. */
async function furnish(base: string, adminToken: string, { carrierUrl, authToken, endpointUrl }: OtherSide) {
  const manage = (method: string, path: string, body: unknown) =>
    ask({ method, url: `${base}/manage/v1${path}`, key: adminToken, body })
  await manage('POST', '/providers', {
    channel: 'sms',
    kind: 'twilio',
    settings: {
      account_sid: `AC${'0'.repeat(32)}`,
      auth_token: authToken,
      from: 'Bench',
      base_url: carrierUrl,
    },
  })
  const company = { name: 'Bench', balance: '1000000' }
  const { company_id: companyId = '' } = await manage('POST', '/companies', company)
  const settings = { name: 'Bench', geo: { mode: 'block', countries: ['AF'] }, pumping: { mode: 'enforce' } }
  const { app_id: appId = '' } = await manage('POST', `/companies/${companyId}/apps`, settings)
  const { key = '' } = await manage('POST', `/apps/${appId}/keys`, { kind: 'server' })
  await manage('PUT', `/apps/${appId}/webhook`, { url: endpointUrl })
  return { companyId, appId, key }
}

/** Makes an approval, refusals of several kinds, and what looks like an attack. */
async function makeTraffic(base: string, key: string, side: OtherSide) {
  const post = (path: string, body: unknown, expected?: number[]) =>
    ask({ method: 'POST', url: `${base}/api/v1/otp/${path}`, key, body }, expected)
  const send = (to: string, expected?: number[]) =>
    post('send', { recipient: to, client_ip: '81.2.69.142' }, expected)
  const recipient = '+447400123456'
  const { otp_id: otpId = '' } = await send(recipient)
  await post('verify', { otp_id: otpId, code: await side.codeOf(recipient) })
  await send('+93701234567', [403])
  await send('+4474', [422])
  for (let sent = 1; sent < tooMany; sent++) await send(recipient, [200, 429])
  for (let number = 0; number < attacked; number++)
    await send(`+9945031${String(number * 137).padStart(5, '0')}`, [200, 429])
  return { otpId, recipient }
}

/** Waits for refusals, errors and outcomes of events, which are written a little later. */
async function written(url: string): Promise<[event: string, endpoint: string]> {
  let found: { event_id: string; endpoint_id: string }[] = []
  const isWritten = async () => {
    found = await query(
      url,
      `select event_id, endpoint_id from events
        where status = 'delivered' and type = 'otp.approved' and (select count(distinct rule) from refusals) >= 2
          and (select count(distinct type) from call_errors) >= 3 and exists (select 1 from pumping_history)
          and exists (select 1 from deliveries where status in ('sent', 'delivered') and next_attempt_at is null)`,
    )
    return found.length > 0
  }
  if (!(await until(isWritten, writtenMs))) throw new Error('what happened was not written in time')
  const [row] = found
  return [row?.event_id ?? '', row?.endpoint_id ?? '']
}

async function signIn(base: string, environment: Readonly<Record<string, string>>): Promise<Office['call']> {
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'sign-in-link', email, '--new'], {
    env: { PATH: process.env.PATH, PUBLIC_URL: base, ...environment },
  })
  const token = /[#?&/=]([\w-]{20,})\s*$/m.exec(stdout)?.[1]
  const answer = await fetch(`${base}/manage/v1/sign-in/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: base },
    body: JSON.stringify({ token }),
  })
  const cookie = answer.headers.get('set-cookie')?.split(';')[0]
  if (!cookie) throw new Error(`signing in: ${answer.status} ${await answer.text()}`)
  return async ({ method, path, body, name }) => {
    const got = await fetch(`${base}${path}`, {
      method,
      headers: {
        cookie,
        origin: base,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await got.text()
    if (got.status !== 200) throw new Error(`${name}: ${got.status} ${text.slice(0, 300)}`)
  }
}
