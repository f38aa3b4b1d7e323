/** What a connection may send, and how long it may take. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { sendPath, startTalk } from './conventions-support.ts'
import { freshPhone, send, until } from './harness/fixtures.ts'

const { database, node, tenant, close, speak } = await startTalk()
after(close)

const statusesIn = (heard: string) =>
  [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => Number(code))

describe('conventions of the API', () => {
  describe('a connection', () => {
    const request = (head: string, body = '') =>
      `${head}\r\nhost: x\r\nauthorization: Bearer ${tenant.serverKey}\r\n${body ? `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` : ''}`

    it('that carries refused requests one after the other answers each, in order', async () => {
      const heard = await speak(
        [
          `${request('GET /nowhere HTTP/1.1')}\r\n`,
          `${request(`POST ${sendPath} HTTP/1.1`, '{}')}\r\n{}`,
          `${request('PUT /api/v1/otp/send HTTP/1.1', '{}')}\r\n{}`,
          `POST ${sendPath} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`,
          `${request(`POST ${sendPath} HTTP/1.1`, '{')}\r\n{`,
          `${request('GET /healthz HTTP/1.1')}connection: close\r\n\r\n`,
        ].join(''),
      )
      assert.deepEqual(statusesIn(heard), [404, 422, 405, 401, 422, 200])
    })

    it('whose caller closes their side once all is said is answered, and closed then', async () => {
      const body = JSON.stringify({ recipient: freshPhone() })
      const asked = `${request(`POST ${sendPath} HTTP/1.1`, body)}\r\n${body}`
      for (const [said, expected] of [
        [asked, [200]],
        [`${request('GET /healthz HTTP/1.1')}\r\n${asked}`, [200, 200]],
        ['', []],
      ] as const) {
        const { hostname, port } = new URL(node.baseUrl)
        const socket = connect(Number(port), hostname, () => socket.end(said))
        assert.deepEqual(statusesIn(await text(socket)), expected)
      }
    })

    it('that brings an unwanted body of another type is not left hanging', async () => {
      const body = 'x'.repeat(30_000)
      const heard = await speak(
        `POST ${sendPath} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.serverKey}\r\ncontent-type: text/plain\r\ncontent-length: ${body.length}\r\n\r\n${body}GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
      )
      assert.match(heard, /^HTTP\/1\.1 422 /)
    })

    it('whose body never comes gets its 401 at once: the key is asked for first', async () => {
      const heard = await speak(
        `POST ${sendPath} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n`,
        (text) => text.includes('request_id'),
      )
      assert.match(heard, /^HTTP\/1\.1 401 /)
    })

    it('that asks by TRACE, which fetch cannot send, is a 405', async () => {
      const heard = await speak(`TRACE ${sendPath} HTTP/1.1\r\nhost: x\r\n\r\n`, (text) =>
        text.includes('request_id'),
      )
      assert.match(heard, /^HTTP\/1\.1 405 /)
      assert.match(heard, /^allow: POST\r$/im)
    })

    for (const [what, head, status] of [
      ['names no host', 'GET /healthz HTTP/1.1', 400],
      ['has a path that proxies read differently', 'GET /metrics#/x HTTP/1.1\r\nhost: x', 400],
      ['expects what nobody knows', 'POST /api/v1/otp/send HTTP/1.1\r\nhost: x\r\nexpect: miracles', 417],
    ] as const)
      it(`whose request ${what} gets the one error body`, async () => {
        const before = `${request(`POST ${sendPath} HTTP/1.1`, '{}')}\r\n{}`
        const heard = await speak(`${before}${head}\r\nx-request-id: chosen-by-caller\r\n\r\n`)
        assert.match(heard, /^HTTP\/1\.1 422 /, 'what the connection has asked before is answered first')
        const refusal = heard.slice(heard.indexOf(`HTTP/1.1 ${status} `))
        const [top = '', body = ''] = refusal.split('\r\n\r\n')
        const { error, request_id } = JSON.parse(body)
        assert.deepEqual([error.type, request_id], ['HTTPException', 'chosen-by-caller'])
        assert.match(top, /^x-request-id: chosen-by-caller\r$/im)
        assert.match(top, /^cache-control: no-store\r$/im)
      })

    it('that speaks HTTP/1.0 need not name a host', async () => {
      assert.match(await speak('GET /healthz HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 /)
    })

    it('that speaks no HTTP is closed', async () => {
      assert.match(await speak('hello\r\n\r\n'), /^HTTP\/1\.1 400 /)
    })

    it('that goes on with what cannot be read first gets the answers to its calls', async () => {
      for (const rest of ['FOO / HTTP/1.1\r\nhost: x\r\n\r\n', '\x01\x02 garbage']) {
        const body = JSON.stringify({ recipient: freshPhone() })
        const heard = await speak(`${request(`POST ${sendPath} HTTP/1.1`, body)}\r\n${body}${rest}`)
        assert.deepEqual(statusesIn(heard), [200, 400])
      }
    })

    it('whose body cannot be read is refused at once', async () => {
      const heard = await speak(
        `POST ${sendPath} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.serverKey}\r\ntransfer-encoding: chunked\r\n\r\nnone\r\n`,
      )
      assert.match(heard, /^HTTP\/1\.1 400 /)
    })

    it('whose second call cannot be read first gets the answer to the first', async () => {
      const first = JSON.stringify({ recipient: freshPhone() })
      const second = `${request(`POST ${sendPath} HTTP/1.1`)}transfer-encoding: chunked\r\n\r\nno size\r\n`
      const heard = await speak(`${request(`POST ${sendPath} HTTP/1.1`, first)}\r\n${first}${second}`)
      assert.deepEqual(statusesIn(heard), [200, 400])
    })

    it('whose call was answered before its body could not be read gets no second answer', async () => {
      const head = `POST ${sendPath} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`
      const { hostname, port } = new URL(node.baseUrl)
      const client = connect(Number(port), hostname, () => client.write(head))
      client.once('data', () => client.write('no size\r\n'))
      assert.deepEqual(statusesIn(await text(client)), [401])
    })

    it('that sends a thousand headers before its key and its idempotency key is heard to the end', async () => {
      const body = JSON.stringify({ recipient: freshPhone() })
      const call = `POST ${sendPath} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${body.length}\r\n${'a: b\r\n'.repeat(2_500)}idempotency-key: ${freshPhone()}\r\nauthorization: Bearer ${tenant.serverKey}\r\n\r\n${body}`
      const idOf = (heard: string) => /"otp_id":"(\w+)"/.exec(heard)?.[1] ?? assert.fail(heard)
      assert.equal(idOf(await speak(call)), idOf(await speak(call)))
    })

    it('that asks for a tunnel is answered after its earlier calls, and closed though its caller stays', async () => {
      const { hostname, port } = new URL(node.baseUrl)
      const body = JSON.stringify({ recipient: freshPhone() })
      const call = `${request(`POST ${sendPath} HTTP/1.1`, body)}\r\n${body}`
      for (const [said, expected] of [
        ['', [405]],
        [call, [200, 405]],
      ] as const) {
        const opened = once(node.app.server.server, 'connection')
        const client = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
        client.write(`${said}CONNECT x:443 HTTP/1.1\r\nhost: x:443\r\n\r\n`)
        const [accepted] = await opened
        assert.deepEqual(statusesIn(await text(client)), expected)
        await until('the connection to be closed', () => accepted.destroyed)
        client.destroy()
      }
    })

    it('that asks for another protocol is answered in HTTP, and goes on in it', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const statuses: unknown[] = []
      for (const headers of [{ connection: 'upgrade', upgrade: 'websocket' }, {}]) {
        const asked = get(`${node.baseUrl}/healthz`, { agent, headers })
        const [answer] = await once(asked, 'response')
        statuses.push([answer.statusCode, asked.reusedSocket])
        await text(answer)
      }
      agent.destroy()
      assert.deepEqual(statuses, [
        [200, false],
        [200, true],
      ])
    })

    it('that trickles its request is bounded in time', () => {
      const { server } = node.app.server
      assert.ok(server.requestTimeout > 0 && server.requestTimeout <= 30_000)
      assert.ok(server.headersTimeout > 0 && server.headersTimeout <= server.requestTimeout)
      assert.ok(server.timeout > 0 && server.timeout <= 30_000)
      assert.ok(server.keepAliveTimeout > 0 && server.keepAliveTimeout <= 120_000)
    })

    it('that was quiet for its time limit gets the answer to its call that waits for the database', async () => {
      const { server } = node.app.server
      const body = JSON.stringify({ recipient: freshPhone() })
      const client = new pg.Client({ connectionString: database.url })
      await client.connect()
      try {
        await client.query('begin')
        await client.query('select 1 from companies where company_id = $1 for update', [tenant.companyId])
        const asked = once(server, 'request')
        const heard = speak(`${request(`POST ${sendPath} HTTP/1.1`, body)}connection: close\r\n\r\n${body}`)
        const [{ socket }] = await asked
        await until('the call to wait', async () => {
          const rows = await database.query(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
          return rows.length > 0
        })
        // As Node's timer does after the limit.
        socket.emit('timeout')
        await client.query('rollback')
        // On a machine so slow that five seconds have passed the answer is a 503.
        assert.match(await heard, /^HTTP\/1\.1 (200|503) /)
      } finally {
        await client.end()
      }
    })

    it('that trickles its request holds nobody else up', async () => {
      const { hostname, port } = new URL(node.baseUrl)
      const slow = Array.from({ length: 50 }, () => {
        const socket = connect(Number(port), hostname)
        socket.on('error', () => {})
        socket.write(`${request(`POST ${sendPath} HTTP/1.1`, 'x'.repeat(50))}\r\n{"rec`)
        return socket
      })
      try {
        assert.equal((await send(node, tenant.serverKey, { recipient: freshPhone() })).status, 200)
      } finally {
        for (const socket of slow) socket.destroy()
      }
    })
  })
})
