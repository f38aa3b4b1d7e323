/** An app with its keys: in a new company if the operator's token is known, otherwise the one in the environment. */
import assert from 'node:assert/strict'
import { type Channel, codeIn } from '../harness/simulator.ts'
import { eventually } from '../harness/wait.ts'
import { type Answer, accepted, call, type Fields, string } from './calls.ts'
import type { Instance } from './instance.ts'
import { newAddress, newRecipient } from './people.ts'

export interface Client {
  readonly key: string
  readonly send: (body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  readonly resend: (body: unknown) => Promise<Answer>
  readonly verify: (otpId: string, code: string) => Promise<Answer>
  readonly lookUp: (otpId: string) => Promise<Answer>
  readonly exchange: (
    verificationToken: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
}

export function clientOf(url: string, key: string): Client {
  const post = (path: string, body: unknown, headers = {}) =>
    call(`${url}/api/v1${path}`, { key, body, headers })
  return {
    key,
    send: (body, headers) => post('/otp/send', body, headers),
    resend: (body) => post('/otp/resend', body),
    verify: (otpId, code) => post('/otp/verify', { otp_id: otpId, code }),
    lookUp: (otpId) => call(`${url}/api/v1/otp/${otpId}`, { method: 'GET', key }),
    exchange: (token, headers) => post('/verifications/exchange', { verification_token: token }, headers),
  }
}

export interface App {
  readonly server: Client
  readonly device: Client
  readonly companyId: string
  readonly appId: string
  readonly manage: (method: string, path: string, body?: unknown) => Promise<Fields>
}

const openingBalance = '1000'
const limitMs = 120_000

export async function openApp(instance: Instance): Promise<App> {
  if (instance.adminToken !== '') return createApp(instance)
  const { url, givenKeys } = instance
  const server = clientOf(url, givenKeys.server)
  const device = clientOf(url, givenKeys.publishable)
  return {
    server: { ...server, send: (body, headers) => server.send(withAddress(body), headers) },
    device: { ...device, send: (body, headers) => sendInTurn(device, body, headers) },
    companyId: '',
    appId: '',
    manage: () => assert.fail('needs ADMIN_TOKEN'),
  }
}

/** All tests share the given app, and without a client IP its sends would soon reach the limit. */
const withAddress = (body: unknown) =>
  typeof body === 'object' ? { client_ip: newAddress(), ...body } : body

/** A device has this machine's address, which is rarely public. Such sends share a limit that frees up in a minute. */
const sendInTurn = (device: Client, ...send: Parameters<Client['send']>) =>
  eventually(
    'room for one more without an address',
    () => device.send(...send),
    ({ status }) => status !== 429,
    limitMs,
  )

interface Where {
  readonly companyId?: string
  readonly balance?: string
}

/** Creates an app with these settings, and the defaults for all others. */
export async function createApp(instance: Instance, settings: Fields = {}, where: Where = {}): Promise<App> {
  const { url } = instance
  const manage = (method: string, path: string, body?: unknown) => manageAt(instance, method, path, body)
  const companyId =
    where.companyId ??
    string(
      (await manage('POST', '/companies', { name: 'Acme', balance: where.balance ?? openingBalance }))
        .company_id,
    )
  const { app_id } = await manage('POST', `/companies/${companyId}/apps`, { name: 'Acme Shop', ...settings })
  const appId = string(app_id)
  const [server, device] = [
    await createKey({ appId, manage }, 'server'),
    await createKey({ appId, manage }, 'publishable'),
  ]
  return {
    server: clientOf(url, server.key),
    device: clientOf(url, device.key),
    companyId,
    appId,
    manage,
  }
}

export async function createKey(
  { appId, manage }: Pick<App, 'appId' | 'manage'>,
  kind: 'server' | 'publishable',
): Promise<{ readonly key: string; readonly keyId: string }> {
  const { key, key_id } = await manage('POST', `/apps/${appId}/keys`, { kind })
  return { key: string(key), keyId: string(key_id) }
}

async function manageAt(
  { url, adminToken }: Instance,
  method: string,
  path: string,
  body?: unknown,
): Promise<Fields> {
  const request = { method, key: adminToken, ...(body === undefined ? {} : { body }) }
  const answer = await call(`${url}/manage/v1${path}`, request)
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.body
}

export interface Started {
  readonly otpId: string
  readonly channel: unknown
  readonly actionUrl: unknown
  readonly completion: unknown
}

/** The verification in an answer that must be 200. */
export function started(answer: Answer): Started {
  const { otp_id, channel, action_url: actionUrl, completion, status } = accepted(answer)
  assert.equal(status, 'pending')
  return { otpId: string(otp_id), channel, actionUrl, completion }
}

/** A resend that must be accepted. */
export const resend = async ({ server }: App, otpId: string, channel?: Channel) =>
  started(await server.resend({ otp_id: otpId, ...(channel ? { channel } : {}) }))

export const inOrder = (...order: readonly Channel[]) => ({ routing: { default: order } })

export type LinkMode = 'link_code' | 'link_inbound'
export const linkModes = ['link_code', 'link_inbound'] as const
export const linked = (mode: LinkMode, ...order: readonly Channel[]) => ({
  ...inOrder(...order),
  channels: { whatsapp: { mode } },
})

/** No cooldown between resends. */
export const unhurried = {
  resend_cooldown_s: 0,
  max_sends: 10,
  limits: { recipient: [{ max: 100, window_s: 600 }] },
}

/** The code of the newest message, once `count` have arrived. */
export async function codeOf(
  { simulator }: Instance,
  recipient: string,
  channel: Channel,
  count = 1,
): Promise<string> {
  return codeIn((await simulator.arrived(recipient, channel, count)).text)
}

/** Sends the text of the link, as a person does who taps it. */
export async function sendTextOf({ simulator }: Instance, recipient: string, actionUrl: unknown) {
  const { pathname, searchParams } = new URL(string(actionUrl))
  await simulator.write(recipient, `+${pathname.slice(1)}`, searchParams.get('text') ?? '')
}

export const wrongCode = (code: string) =>
  String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0')

/** Approves a verification through the backend, and returns its id. */
export async function approve(instance: Instance, { server }: App, channel: Channel): Promise<string> {
  const recipient = newRecipient(channel)
  const { otpId } = started(await server.send({ recipient, client_ip: newAddress() }))
  accepted(await server.verify(otpId, await codeOf(instance, recipient, channel)))
  return otpId
}

/** Approves a verification through a device, and returns it with its token. */
export async function verifyOnDevice(
  instance: Instance,
  app: App,
  recipient: string,
  channel: Channel,
): Promise<{ readonly otpId: string; readonly token: string }> {
  const { otpId } = started(await app.device.send({ recipient }))
  const code = await codeOf(instance, recipient, channel)
  const { verification_token: token } = accepted(await app.device.verify(otpId, code))
  return { otpId, token: string(token) }
}

export async function statusOf({ server }: App, otpId: string): Promise<unknown> {
  return accepted(await server.lookUp(otpId)).status
}
