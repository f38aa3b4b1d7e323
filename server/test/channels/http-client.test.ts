import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { Agent } from 'undici'
import { type HttpRequest, openHttpClient } from '../../src/platform/http-client.ts'
import { drop, huge, json, neverAnswer, startHttpPeer } from './http-peer.ts'
import { TLS_CERTIFICATE, TLS_KEY } from './loopback-tls.ts'
import { closedPort, deferred, generousDeadline, listen } from './support.ts'

const post = (url: string): HttpRequest => ({
  method: 'POST',
  url,
  headers: { 'x-test': '1' },
  body: 'hello',
})

describe('http client', () => {
  it('returns status, headers and body of an answer', async (test) => {
    const peer = await startHttpPeer(test)
    peer.answer = json(201, { ok: true }, { 'x-answer': 'yes' })
    const client = openHttpClient()
    test.after(client.close)
    const result = await client.send(post(`${peer.url}/path?query=1`), generousDeadline())
    assert.equal(result.kind, 'response')
    assert.ok(result.kind === 'response')
    assert.equal(result.status, 201)
    assert.equal(result.headers['x-answer'], 'yes')
    assert.equal(result.body.toString(), '{"ok":true}')
    assert.deepEqual(
      peer.requests.map(({ method, url, body }) => ({ method, url, body })),
      [{ method: 'POST', url: '/path?query=1', body: 'hello' }],
    )
  })

  it('does not follow a redirect', async (test) => {
    const peer = await startHttpPeer(test)
    peer.answer = (response) => response.writeHead(302, { location: `${peer.url}/elsewhere` }).end()
    const client = openHttpClient()
    test.after(client.close)
    const result = await client.send(post(peer.url), generousDeadline())
    assert.ok(result.kind === 'response')
    assert.equal(result.status, 302)
    assert.equal(peer.requests.length, 1)
  })

  it('reads no more than 64 KiB of a body and keeps the status', async (test) => {
    const peer = await startHttpPeer(test)
    peer.answer = huge
    const client = openHttpClient()
    test.after(client.close)
    const result = await client.send(post(peer.url), generousDeadline())
    assert.ok(result.kind === 'response')
    assert.equal(result.status, 200)
    assert.equal(result.body.length, 64 * 1024)
  })

  it('returns an answer that has arrived when the deadline passes: after a pause, timers come first', async (test) => {
    const peer = await startHttpPeer(test)
    const deadline = new AbortController()
    peer.answer = (response, request) => {
      json(422, { ok: false })(response, request)
      deadline.abort()
    }
    const client = openHttpClient()
    test.after(client.close)
    const result = await client.send(post(peer.url), deadline.signal)
    assert.ok(result.kind === 'response', JSON.stringify(result))
    assert.deepEqual([result.status, result.body.toString()], [422, '{"ok":false}'])
  })

  it('says not-sent when the connection is refused', async (test) => {
    const client = openHttpClient()
    test.after(client.close)
    const result = await client.send(post(`http://127.0.0.1:${closedPort}/`), generousDeadline())
    assert.deepEqual(result, { kind: 'not-sent', reason: 'ECONNREFUSED' })
  })

  it('says not-sent when the name does not resolve', async (test) => {
    const client = openHttpClient()
    test.after(client.close)
    const result = await client.send(post('http://no-such-host.invalid/'), generousDeadline())
    assert.equal(result.kind, 'not-sent')
  })

  it('says not-sent when the certificate is not trusted', async (test) => {
    const server = createTlsServer({ key: TLS_KEY, cert: TLS_CERTIFICATE })
    const port = await listen(test, server)
    const client = openHttpClient()
    test.after(client.close)
    const result = await client.send(post(`https://127.0.0.1:${port}/`), generousDeadline())
    assert.equal(result.kind, 'not-sent')
  })

  it('says not-sent when the peer hangs up during the TLS handshake', async (test) => {
    const server = createServer((socket) => socket.once('data', () => socket.destroy()))
    const port = await listen(test, server)
    const client = openHttpClient()
    test.after(client.close)
    const result = await client.send(post(`https://127.0.0.1:${port}/`), generousDeadline())
    assert.equal(result.kind, 'not-sent')
  })

  it('says not-sent when the deadline passes before the TLS handshake ends', async (test) => {
    const connected = deferred<Socket>()
    const server = createServer((socket) => socket.once('data', () => connected.resolve(socket)))
    const port = await listen(test, server)
    const agent = new Agent()
    test.after(() => agent.destroy())
    const deadline = new AbortController()
    const sending = openHttpClient(null, agent).send(post(`https://127.0.0.1:${port}/`), deadline.signal)
    const socket = await connected.promise
    deadline.abort()
    assert.deepEqual(await sending, { kind: 'not-sent', reason: 'deadline' })
    socket.destroy()
  })

  it('says not-sent for a deadline that has already passed', async (test) => {
    const peer = await startHttpPeer(test)
    const client = openHttpClient()
    test.after(client.close)
    const result = await client.send(post(peer.url), AbortSignal.abort())
    assert.deepEqual(result, { kind: 'not-sent', reason: 'deadline' })
    assert.equal(peer.requests.length, 0)
  })

  it('says uncertain when the peer hangs up after it got the request', async (test) => {
    const peer = await startHttpPeer(test)
    peer.answer = drop
    const client = openHttpClient()
    test.after(client.close)
    const result = await client.send(post(peer.url), generousDeadline())
    assert.equal(result.kind, 'uncertain')
    assert.equal(peer.requests.length, 1)
  })

  it('says uncertain when the deadline passes after the request was written', async (test) => {
    const peer = await startHttpPeer(test)
    const deadline = new AbortController()
    peer.answer = () => deadline.abort()
    const client = openHttpClient()
    test.after(client.close)
    assert.deepEqual(await client.send(post(peer.url), deadline.signal), {
      kind: 'uncertain',
      reason: 'deadline',
    })
  })

  it('keeps the status when the peer hangs up inside the body', async (test) => {
    const peer = await startHttpPeer(test)
    peer.answer = (response, request) => {
      response.writeHead(503, { 'content-length': '100' })
      response.write('part', () => request.socket.destroy())
    }
    const client = openHttpClient()
    test.after(client.close)
    const result = await client.send(post(peer.url), generousDeadline())
    assert.ok(result.kind === 'response')
    assert.deepEqual([result.status, result.body.toString()], [503, 'part'])
  })

  it('never sends what was given up while it waited for a free connection', async (test) => {
    const peer = await startHttpPeer(test)
    const arrived = deferred()
    const held: (() => void)[] = []
    peer.answer = (response) => {
      held.push(() => response.end())
      arrived.resolve()
    }
    const agent = new Agent({ connections: 1 })
    test.after(() => agent.destroy())
    const client = openHttpClient(null, agent)
    const first = client.send(post(peer.url), generousDeadline())
    await arrived.promise
    const deadline = new AbortController()
    const second = client.send(post(`${peer.url}/second`), deadline.signal)
    deadline.abort()
    assert.deepEqual(await second, { kind: 'not-sent', reason: 'deadline' })
    held[0]?.()
    assert.equal((await first).kind, 'response')
    peer.answer = json(200, {})
    await client.send(post(`${peer.url}/third`), generousDeadline())
    assert.deepEqual(
      peer.requests.map((request) => request.url),
      ['/', '/third'],
    )
  })

  it('closes within a bound while an answer is still awaited', async (test) => {
    const peer = await startHttpPeer(test)
    const arrived = deferred()
    peer.answer = (response, request) => {
      neverAnswer(response, request)
      arrived.resolve()
    }
    const client = openHttpClient()
    const sending = client.send(post(peer.url), generousDeadline())
    await arrived.promise
    await client.close()
    assert.equal((await sending).kind, 'uncertain')
  })

  it('answers for an address it cannot use instead of throwing', async (test) => {
    const client = openHttpClient()
    test.after(client.close)
    assert.equal((await client.send(post('nonsense'), generousDeadline())).kind, 'not-sent')
    const injected = { ...post('http://127.0.0.1:1/'), headers: { 'x-test': 'a\r\nb: c' } }
    assert.equal((await client.send(injected, generousDeadline())).kind, 'not-sent')
  })
})
