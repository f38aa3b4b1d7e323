import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { NoteCallError } from '../domain/insight/index.ts'
import type { Principal } from '../domain/tenancy/index.ts'
import { createMetrics } from '../platform/metrics.ts'
import { Front } from './front.ts'
import { askBehindGate, Gate } from './gate.ts'
import { createLocate } from './locate.ts'
import { createServer } from './server.ts'
import { createSessionCookie } from './session-cookie.ts'
import { registerTwilio } from './twilio/register.ts'
import { otpRoutes } from './v1/otp.ts'

const principal = {
  keyId: 'key_known',
  kind: 'server',
  app: { companyId: 'cmp_busy', appId: 'app_busy' },
} as Principal
/** Dependencies that are never reached: every call is refused, or let through to `authenticate`. */
const unreached = {} as never

/** A server that is full. With `isClosing` the front does nothing, and Fastify's own handling refuses. */
async function startFull({ isClosing }: { readonly isClosing: boolean }) {
  let nowMs = 0
  const gate = new Gate(() => nowMs)
  for (let count = 0; count < 2_100; count++) gate.enter('cmp_busy')
  nowMs += 2_000
  const noted: Parameters<NoteCallError>[0][] = []
  const countedKeys: string[] = []
  let isTold = true
  const metrics = createMetrics()
  const tracer = null
  const recall = (keyText: string) => (keyText === 'known' ? principal : undefined)
  const shared = {
    gate,
    metrics,
    tracer,
    isClosing: () => isClosing && isTold,
    noteKeyError: ({ keyId }: Principal) => countedKeys.push(keyId),
    noteError: (error: Parameters<NoteCallError>[0]) => noted.push(error),
  }
  const front = new Front({ ...shared, recall })
  const authenticate = askBehindGate(async () => principal, gate, recall)
  const knownCalls = new WeakMap()
  const server = createServer({
    ...shared,
    routes: otpRoutes(unreached),
    authenticate,
    locate: createLocate(unreached),
    audited: unreached,
    replays: unreached,
    cookie: createSessionCookie('http://localhost'),
    trustedProxies: [],
    knownCalls,
    front,
    log: () => {},
  })
  registerTwilio(server, { ...Object(unreached), authenticate, knownCalls, front })
  server.get('/healthz', async () => ({ status: 'ok' }))
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    noted,
    countedKeys,
    metrics,
    url: `http://127.0.0.1:${port}`,
    close: () => {
      isTold = false
      return server.close()
    },
  }
}

type Full = Awaited<ReturnType<typeof startFull>>

const basic = `Basic ${Buffer.from('anybody:known').toString('base64')}`

/** Calls whose refusals must be the same in both places. */
const calls = [
  { method: 'POST', path: '/api/v1/otp/send', authorization: 'Bearer known', body: '{"recipient":"+4"}' },
  { method: 'POST', path: '/api/v1/otp/send?x=1', authorization: 'bearer  known', body: '{' },
  { method: 'GET', path: '/api/v1/otp/otp_1', authorization: 'Bearer known' },
  { method: 'GET', path: '/api/v1/otp/otp_1/decision', authorization: 'Bearer known' },
  { method: 'POST', path: '/api/v1/routing/preview', authorization: 'Bearer known', body: '{}' },
  { method: 'POST', path: '/twilio/v2/Services/VA1/Verifications', authorization: basic, body: 'To=1' },
  { method: 'GET', path: '/twilio/v2/Attempts/VL1', authorization: basic },
] as const

async function ask({ url }: Full, call: (typeof calls)[number], requestId: string) {
  const { method, path, authorization } = call
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization, 'x-request-id': requestId },
    ...('body' in call ? { body: call.body } : {}),
  })
  const headers = Object.fromEntries(response.headers)
  for (const name of ['date', 'connection', 'keep-alive']) delete headers[name]
  return { status: response.status, headers, body: await response.json() }
}

const countsOf = async ({ metrics }: Full) =>
  (await metrics.text())
    .split('\n')
    .filter((line) => line.startsWith('countersign_http_request_seconds_count'))

describe('a call that the gate has no room for', () => {
  let inFront: Full
  let itself: Full
  before(async () => {
    inFront = await startFull({ isClosing: false })
    itself = await startFull({ isClosing: true })
  })
  after(() => Promise.all([inFront.close(), itself.close()]))

  it('is refused in front exactly as the server itself would: answer, headers, notes and figures', async () => {
    for (const call of calls) {
      const answer = await ask(inFront, call, 'the-same-id')
      assert.deepEqual(answer, await ask(itself, call, 'the-same-id'), call.path)
      assert.equal(answer.status, 503)
      assert.equal(answer.headers['retry-after'], '1')
      assert.equal(answer.headers['x-request-id'], 'the-same-id')
    }
    assert.deepEqual(inFront.noted, itself.noted)
    assert.deepEqual([inFront.noted.length, inFront.countedKeys.length], [calls.length, calls.length])
    const counts = await countsOf(inFront)
    assert.notEqual(counts.length, 0)
    assert.deepEqual(counts, await countsOf(itself))
  })

  it('is left to the server itself while the node stops, which asks for another connection', async () => {
    const heard = async ({ url }: Full) => {
      const headers = { authorization: 'Bearer known' }
      const response = await fetch(`${url}/api/v1/otp/otp_1`, { headers })
      await response.text()
      return [response.status, response.headers.get('connection')]
    }
    assert.deepEqual(await heard(inFront), [503, 'keep-alive'])
    assert.deepEqual(await heard(itself), [503, 'close'])
  })

  it('gets an id of its own where it sends none', async () => {
    const response = await fetch(`${inFront.url}/api/v1/otp/otp_1`, {
      headers: { authorization: 'Bearer known' },
    })
    const body = Object(await response.json())
    assert.match(body.request_id, /^req_[0-9a-z]{26}$/)
    assert.equal(response.headers.get('x-request-id'), body.request_id)
  })

  it('keeps its connection: what follows on it is answered, one after the other', async () => {
    const socket = connect(inFront.port, '127.0.0.1')
    const head = 'host: x\r\nauthorization: Bearer known\r\n'
    const send = `POST /api/v1/otp/send HTTP/1.1\r\n${head}content-length: 5\r\n\r\n{"a":`
    socket.write(`${send}${send}GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    let heard = ''
    socket.setEncoding('utf8').on('data', (text) => {
      heard += text
    })
    await once(socket, 'close')
    assert.deepEqual(heard.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 503', 'HTTP/1.1 503', 'HTTP/1.1 200'])
  })

  it('is noted for nobody whose key is not known, or is known to be revoked', async () => {
    const before = inFront.noted.length
    // Callers with an unknown key have their own part of the room, so these are let through.
    const response = await fetch(`${inFront.url}/api/v1/otp/otp_1`, {
      headers: { authorization: 'Bearer revoked' },
    })
    await response.text()
    assert.equal(inFront.noted.length, before)
  })

  it('is none that asks for something else, or says no key', async () => {
    const authorization = 'Bearer known'
    assert.equal((await fetch(`${inFront.url}/healthz`, { headers: { authorization } })).status, 200)
    assert.equal((await fetch(`${inFront.url}/api/v1/nothing`, { headers: { authorization } })).status, 404)
    // Without a key it is not the gate that refuses; here everybody is let in.
    assert.equal((await fetch(`${inFront.url}/api/v1/otp/send`, { method: 'POST' })).status, 422)
  })
})
