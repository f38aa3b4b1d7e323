import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import Fastify from 'fastify'
import { keepLongerThanSaid, keepWhileInWork, keptMs } from './idle.ts'

function* withoutEnd() {
  for (;;) yield Buffer.alloc(65_536)
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise<void>((resolve) => setImmediate(resolve))
}

describe('a connection on which nothing has moved for its time limit', () => {
  const server = Fastify()
  keepWhileInWork(server)
  let finish: ((answer: string) => void) | null = null
  server.post('/slow', () => new Promise((resolve) => (finish = resolve)))
  server.get('/endless', (_request, reply) => reply.send(Readable.from(withoutEnd())))
  const clients: Socket[] = []

  before(() => server.listen({ host: '127.0.0.1', port: 0 }))
  after(async () => {
    for (const client of clients) client.destroy()
    await server.close()
  })

  async function connected() {
    const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
    clients.push(client)
    const [socket] = (await once(server.server, 'connection')) as [Socket]
    return { client, socket }
  }

  async function asked(head: string) {
    const { client, socket } = await connected()
    client.write(head)
    const [request, response] = (await once(server.server, 'request')) as [IncomingMessage, ServerResponse]
    return { client, socket, request, response }
  }

  const post = (body: string) =>
    `POST /slow HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n${body}`

  /** Does what Node's timer does when the limit has passed. */
  const pass = (socket: Socket) => socket.emit('timeout')

  it('is kept while its call is in work, and gets the answer', async () => {
    const { client, socket, request } = await asked(post('{}'))
    await until(() => request.complete && finish !== null)
    pass(socket)
    pass(socket)
    assert.equal(socket.destroyed, false)
    const answered = once(client, 'data')
    finish?.('done')
    assert.match(String(await answered), /^HTTP\/1\.1 200 /)
    pass(socket)
    assert.equal(socket.destroyed, true, 'nothing is asked any more')
  })

  it('is told so and cut where a part of the request has not come', async () => {
    const { client, socket } = await asked(post('{'))
    const heard = text(client)
    pass(socket)
    assert.match(await heard, /^HTTP\/1\.1 408 [\s\S]*"type":"HTTPException"/)
    await until(() => socket.destroyed)
  })

  it('is cut where the answer is not taken', async () => {
    const { socket, response } = await asked('GET /endless HTTP/1.1\r\nhost: x\r\n\r\n')
    await until(() => response.writableNeedDrain)
    pass(socket)
    assert.equal(socket.destroyed, true)
  })

  it('is cut where nothing was asked', async () => {
    const { socket } = await connected()
    pass(socket)
    assert.equal(socket.destroyed, true)
  })
})

describe('a connection that is kept for the next call', () => {
  const whileAskedMs = 30_000
  const server = Fastify({ keepAliveTimeout: keptMs, connectionTimeout: whileAskedMs })
  keepLongerThanSaid(server)
  server.get('/', async () => 'here')

  before(() => server.listen({ host: '127.0.0.1', port: 0 }))
  after(() => server.close())

  it('is not closed at the moment until which its caller may use it, but later', async () => {
    const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
    const [socket] = (await once(server.server, 'connection')) as [Socket]
    // The second call shows that the longer limit set after the first one no longer applies during it.
    for (const _ of ['first', 'second']) {
      const asked = once(server.server, 'request')
      client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
      await asked
      assert.equal(socket.timeout, whileAskedMs)
      const [answer] = await once(client, 'data')
      const [, said] = /^keep-alive: timeout=(\d+)$/im.exec(String(answer)) ?? []
      // Node's own limit, and then ours, are set after the answer has left.
      await until(() => socket.timeout !== whileAskedMs)
      await new Promise((resolve) => setImmediate(resolve))
      assert.ok(Number(socket.timeout) >= (Number(said) + 5) * 1_000, `${said} s, ${socket.timeout} ms`)
    }
    client.destroy()
  })
})
