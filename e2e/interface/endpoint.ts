/** A customer's endpoint that accepts only signed events. */
import assert from 'node:assert/strict'
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { TestContext } from 'node:test'
import { openReceiver, type ReceivedRequest } from '../harness/receiver.ts'
import { eventually } from '../harness/wait.ts'
import { type App, createApp } from './app.ts'
import { type Fields, fields, string } from './calls.ts'
import type { Instance } from './instance.ts'

export interface Event {
  readonly id: string
  readonly type: string
  readonly payload: Fields
}

export interface Endpoint {
  readonly url: string
  readonly secret: string
  readonly received: readonly ReceivedRequest[]
  readonly answerWith: (status: number) => void
  /** Every request with this event of this verification, once there are at least `count`. */
  readonly requests: (type: string, otpId: string, count?: number) => Promise<readonly ReceivedRequest[]>
  readonly event: (type: string, otpId: string) => Promise<Event>
}

/** Retries wait longer each time, and the machine may be busy. */
const patienceMs = 120_000

export async function openEndpoint(t: TestContext, app: App): Promise<Endpoint> {
  const receiver = await openReceiver()
  t.after(receiver.close)
  const { signing_secret } = await app.manage('PUT', `/apps/${app.appId}/webhook`, { url: receiver.url })
  const secret = string(signing_secret)
  const requests = (type: string, otpId: string, count = 1) =>
    eventually(
      `${type} has come ${count} times`,
      () =>
        receiver.received.filter((request) => {
          const event = readEvent(request, secret)
          return event.type === type && event.payload.otp_id === otpId
        }),
      (found) => found.length >= count,
      patienceMs,
    )
  return {
    ...receiver,
    secret,
    requests,
    event: async (type, otpId) => {
      const [first] = await requests(type, otpId)
      assert.ok(first)
      return readEvent(first, secret)
    },
  }
}

export async function openWithEndpoint(t: TestContext, instance: Instance, settings: Fields = {}) {
  const app = await createApp(instance, settings)
  return { app, endpoint: await openEndpoint(t, app) }
}

/** The value of a header that must be spelled exactly so on the wire. */
export function headerOf({ rawHeaders }: ReceivedRequest, name: string): string {
  const place = rawHeaders.findIndex((entry, index) => index % 2 === 0 && entry === name)
  assert.notEqual(place, -1, `no header ${name} among ${rawHeaders.filter((_, index) => index % 2 === 0)}`)
  return string(rawHeaders[place + 1])
}

export function isGenuine(request: ReceivedRequest, secret: string, rawBody = request.rawBody): boolean {
  const given = Buffer.from(string(request.headers['x-webhook-signature']), 'hex')
  const timestamp = string(request.headers['x-webhook-timestamp'])
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest()
  return given.length === expected.length && timingSafeEqual(given, expected)
}

export function readEvent(request: ReceivedRequest, secret: string): Event {
  assert.ok(isGenuine(request, secret), 'an event is not signed as it should be')
  const { id, type, payload } = fields(JSON.parse(request.rawBody.toString()))
  return { id: string(id), type: string(type), payload: fields(payload) }
}
