/** A company with an app and its two keys; recipients that no other test uses. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { openCompany } from '../../src/domain/billing/index.ts'
import * as tenancy from '../../src/domain/tenancy/index.ts'
import type { CompanyId } from '../../src/platform/ids.ts'
import type { Captured } from './capture.ts'
import type { Answer, Node } from './node.ts'
import { untilAvailable } from './until-available.ts'

export interface Tenant {
  readonly companyId: string
  readonly appId: string
  readonly serverKey: string
  readonly publishableKey: string
}

/** High limits, for tests that are not about limits. */
const wideLimits = {
  recipient: [{ max: 1000, window_s: 600 }],
  recipient_failures: [{ max: 1000, window_s: 86_400 }],
  app_without_ip: [{ max: 500_000, window_s: 60 }],
  ip: [{ max: 1_000_000, window_s: 60 }],
  app: [{ max: 1_000_000, window_s: 60 }],
}

/** Without the management API's own routes: nearly every test makes tenants, and few are about the audit trail. */
export async function createTenant(
  node: Node,
  settings: Record<string, unknown> = {},
  company: Partial<Parameters<typeof openCompany>[1]> = {},
): Promise<Tenant> {
  const wanted = { name: 'Acme', balance: '1000', metered: true, ...company }
  const { companyId } = await untilAvailable(() => openCompany(node.app, wanted))
  return createApp(node, companyId, settings)
}

export async function createApp(
  node: Node,
  companyId: string,
  settings: Record<string, unknown> = {},
): Promise<Tenant> {
  const { limits, ...others } = settings as { limits?: object }
  const wanted = {
    name: 'Acme',
    resend_cooldown_s: 0,
    // Tests send to many numbers in a row, as attackers do.
    pumping: { mode: 'off' },
    spend_caps: { day_by_country: { default: 'off' }, hour_unverified: 'off' },
    limits: wideLimits,
    ...others,
  }
  const app = await untilAvailable(() => tenancy.createApp(node.app, companyId as CompanyId, wanted))
  const { appId } = app
  // Limits are set in a request by themselves: a limit is compared with the wider one only if a request sets it.
  if (limits) {
    const changed = await node.manage('PATCH', `/apps/${appId}`, { limits })
    assert.equal(changed.status, 200, JSON.stringify(changed.body))
  }
  const keyOf = async (kind: 'server' | 'publishable') =>
    (await untilAvailable(() => tenancy.createKey(node.app, app, { kind, name: null }))).text
  return {
    companyId,
    appId,
    serverKey: await keyOf('server'),
    publishableKey: await keyOf('publishable'),
  }
}

/** Calls the management API, for tests about the audit trail that this leaves. */
export async function createRecordedTenant(node: Node): Promise<Tenant> {
  const company = await node.manage('POST', '/companies', { name: 'Acme', balance: '1000' })
  assert.equal(company.status, 201, JSON.stringify(company.body))
  const companyId: string = company.body.company_id
  const app = await node.manage('POST', `/companies/${companyId}/apps`, { name: 'Acme' })
  assert.equal(app.status, 201, JSON.stringify(app.body))
  const appId: string = app.body.app_id
  return {
    companyId,
    appId,
    serverKey: await createKey(node, appId, 'server'),
    publishableKey: await createKey(node, appId, 'publishable'),
  }
}

export async function createKey(node: Node, appId: string, kind: 'server' | 'publishable'): Promise<string> {
  const made = await node.manage('POST', `/apps/${appId}/keys`, { kind })
  assert.equal(made.status, 201)
  return made.body.key
}

let counter = 0
/** Valid British mobile numbers, each used once in a process. */
export function freshPhone(): string {
  counter++
  return `+447400${String(100_000 + counter).slice(-6)}`
}
export const freshEmail = () => `person${++counter}@example.com`

export const send = (
  node: Node,
  key: string,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
) => node.call('POST', '/api/v1/otp/send', { key, body, headers })
/** Repeats a call after a 503, which some of many parallel calls get on a busy machine. */
export const patiently = (call: () => Promise<Answer>): Promise<Answer> =>
  until('a call to be taken', async () => {
    const answer = await call()
    return answer.status !== 503 && answer
  })
export const sendPatiently = (node: Node, key: string, body: Record<string, unknown>): Promise<Answer> =>
  patiently(() => send(node, key, body))

export const resend = (node: Node, key: string, otpId: string, channel?: string) =>
  node.call('POST', '/api/v1/otp/resend', { key, body: { otp_id: otpId, ...(channel ? { channel } : {}) } })
export const verify = (node: Node, key: string, otpId: string, code: unknown) =>
  node.call('POST', '/api/v1/otp/verify', { key, body: { otp_id: otpId, code } })
export const status = (node: Node, key: string, otpId: string) =>
  node.call('GET', `/api/v1/otp/${otpId}`, { key })

/** Waits for what must happen, and fails with a clear message if it does not. */
export async function until<Value>(
  what: string,
  look: () => Promise<Value | undefined | false> | Value | undefined | false,
  ms = 240_000,
): Promise<Value> {
  const startMs = performance.now()
  for (;;) {
    const seen = await look()
    if (seen) return seen
    const waitedMs = performance.now() - startMs
    if (waitedMs > ms) assert.fail(`waited ${ms} ms in vain for: ${what}`)
    // The pause grows with the time waited, because looking takes processor time from what is waited for.
    await pause(Math.min(Math.max(5, waitedMs / 6), 300))
  }
}

/** A change must be in force for every call that begins a second after it. A busy machine may only answer later. */
export async function untilInForce(what: string, look: () => Promise<boolean>): Promise<void> {
  const changedAtMs = performance.now()
  for (;;) {
    const askedAtMs = performance.now()
    if (await look()) return
    assert.ok(askedAtMs - changedAtMs <= 1_000, `not in force after a second: ${what}`)
    await pause(20)
  }
}

/** A recipient's message at this index, once the worker has delivered it. */
export const message = (node: Node, recipient: string, index = 0): Promise<Captured> =>
  until(`message ${index} to a recipient`, () => node.capture.to(recipient)[index])

/** Starts a verification and waits for its code. */
export async function started(
  node: Node,
  key: string,
  recipient = freshPhone(),
  extra: Record<string, unknown> = {},
): Promise<{ otpId: string; code: string; recipient: string; answer: Answer }> {
  const answer = await sendPatiently(node, key, { recipient, ...extra })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const delivered = await until('the code', () => {
    const last = node.capture.to(recipient).at(-1)
    return last && last.code.length > 0 && last
  })
  return { otpId: answer.body.otp_id, code: delivered.code, recipient, answer }
}

export const wrongCode = (code: string) => code.replace(/^./, (digit) => String((Number(digit) + 1) % 10))
