/** What holds for every answer: one id, one error body, one order of checks, whatever is sent. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { type Operation, operations } from '@countersign/contract'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, started, status, type Tenant } from './harness/fixtures.ts'
import { type Answer, adminToken, type Node, startNode } from './harness/node.ts'

/** Signing in is for anybody. */
const guarded = Object.values<Operation>(operations).filter(({ access }) => access !== 'public')
const opensApi = ({ access }: Operation) => access === 'key' || access === 'server_key'

const sendPath = '/api/v1/otp/send'
const maxBodyBytes = 65_536
const newRequestId = /^req_[0-9a-z]{26}$/

function assertErrorBody(answer: Answer, expectedStatus: number, type = 'HTTPException'): void {
  assert.equal(answer.status, expectedStatus, JSON.stringify(answer.body))
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json(;|$)/)
  assert.deepEqual(Object.keys(answer.body), ['error', 'request_id'])
  assert.deepEqual(Object.keys(answer.body.error), ['type', 'message', 'details'])
  assert.equal(answer.body.error.type, type)
  assert.ok(answer.body.error.message.length > 0)
  assert.equal(Object.prototype.toString.call(answer.body.error.details), '[object Object]')
  assert.equal(answer.headers.get('x-request-id'), answer.body.request_id)
}

describe('conventions of the API', { timeout: 120_000 }, () => {
  let database: TestDatabase
  let node: Node
  let tenant: Tenant

  before(async () => {
    database = await createTestDatabase()
    node = await startNode(database.url)
    tenant = await createTenant(node)
  })

  after(async () => {
    await node?.close()
    await database?.close()
  })

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    node.call('POST', sendPath, { key: tenant.serverKey, body, headers })

  const postUntyped = (body: string) =>
    speak(
      `POST ${sendPath} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.serverKey}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    )

  /** Bytes as they are, where fetch would tidy them up. */
  async function postBytes(body: Uint8Array, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${node.baseUrl}${sendPath}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.serverKey}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: new Uint8Array(body),
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  /** Writes on a bare socket and reads until the server closes it, or until `isEnough`. */
  function speak(text: string, isEnough: (heard: string) => boolean = () => false): Promise<string> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(node.baseUrl)
      const socket = connect(Number(port), hostname, () => socket.write(text))
      let heard = ''
      socket.setTimeout(20_000, () => socket.destroy(new Error(`no end after: ${heard}`)))
      socket.on('data', (data) => {
        heard += data.toString()
        if (isEnough(heard)) socket.end()
      })
      socket.on('close', () => resolve(heard))
      socket.on('error', reject)
    })
  }

  describe('the request id', () => {
    for (const id of ['abcdefgh', 'A-Z_a-z_0-9', 'x'.repeat(64), '00000000', '--------']) {
      it(`of the caller is kept: ${id.slice(0, 20)}`, async () => {
        for (const answer of [
          await status(node, tenant.serverKey, 'x'),
          await post({}, { 'x-request-id': id }),
        ]) {
          assert.equal(answer.headers.get('x-request-id'), answer.body.request_id)
        }
        assert.equal((await post({}, { 'x-request-id': id })).body.request_id, id)
        const done = await send(node, tenant.serverKey, { recipient: freshPhone() }, { 'x-request-id': id })
        assert.equal(done.headers.get('x-request-id'), id)
      })
    }

    for (const id of [
      '',
      'short',
      'x'.repeat(65),
      'with space',
      'with.dots.in.it',
      'söme-thing',
      'a,b,c,d,e,f',
      'abcdefgh;x',
    ]) {
      it(`is made new where the caller’s is not as agreed: "${id.slice(0, 20)}"`, async () => {
        const answer = await post({}, { 'x-request-id': Buffer.from(id).toString('latin1') })
        assert.match(answer.body.request_id, newRequestId)
        assert.equal(answer.headers.get('x-request-id'), answer.body.request_id)
      })
    }

    it('is made new where two are sent', async () => {
      const heard = await speak(
        'GET /healthz HTTP/1.1\r\nhost: x\r\nx-request-id: aaaaaaaaaa\r\nx-request-id: bbbbbbbbbb\r\nconnection: close\r\n\r\n',
      )
      assert.match(heard, /x-request-id: req_[0-9a-z]{26}\r\n/i)
    })

    it('differs from call to call', async () => {
      const ids = await Promise.all(Array.from({ length: 50 }, async () => (await post({})).body.request_id))
      assert.equal(new Set(ids).size, 50)
    })

    it('is on every answer, good or bad', async () => {
      const paths = [
        '/healthz',
        '/readyz',
        '/metrics',
        '/docs',
        '/api/v1/openapi.json',
        '/',
        '/nowhere',
        sendPath,
        '/hooks/x',
      ]
      for (const path of paths) {
        const response = await fetch(`${node.baseUrl}${path}`, { redirect: 'manual' })
        assert.match(response.headers.get('x-request-id') ?? '', newRequestId, path)
        await response.arrayBuffer()
      }
    })

    it('is on the refusal of a path that cannot be read', async () => {
      for (const path of ['/api/v1/otp/%zz', '/%', '/api/v1/otp/%ff']) {
        assertErrorBody(await node.call('GET', path, { key: tenant.serverKey }), 404)
      }
    })
  })

  describe('an unknown path', () => {
    for (const path of [
      '/nowhere',
      '/api/v1',
      '/api/v1/',
      '/api/v2/otp/send',
      '/manage/v1/nowhere',
      '/api/v1/otp/send/',
      '//',
      '/api/v1/otp/send/x/y',
      '/%2e%2e/etc/passwd',
      '/API/V1/OTP/SEND',
    ]) {
      it(`is a 404 in the one error body: ${path}`, async () => {
        assertErrorBody(await node.call('GET', path), 404)
        assertErrorBody(await node.call('POST', path, { body: {} }), 404)
      })
    }

    it('is not said to belong to somebody: the answer is the same with and without a key', async () => {
      const without = await node.call('GET', '/api/v1/nowhere')
      const withKey = await node.call('GET', '/api/v1/nowhere', { key: tenant.serverKey })
      assert.deepEqual(without.body.error, withKey.body.error)
    })
  })

  describe('a wrong method', () => {
    const concrete = (path: string) => path.replaceAll(/\{\w+\}/g, 'x')
    const paths = new Set(Object.values(operations).map((operation) => operation.path))
    for (const path of paths) {
      it(`is a 405 that says what is allowed: ${path}`, async () => {
        const methods = Object.values(operations)
          .filter((operation) => operation.path === path)
          .map((operation) => operation.method)
        // TRACE is no method that fetch sends; of the others one is always wrong.
        const wrong = ['PUT', 'DELETE', 'PATCH'].find((method) => !methods.includes(method as 'PUT')) ?? 'PUT'
        const answer = await node.call(wrong, concrete(path), { body: {} })
        assertErrorBody(answer, 405)
        const allowed = (answer.headers.get('allow') ?? '').split(', ')
        for (const method of methods) assert.ok(allowed.includes(method), `${allowed}`)
        assert.ok(!allowed.includes(wrong))
        assert.equal(answer.body.error.details.allow, answer.headers.get('allow'))
      })
    }

    it('is a 405 that allows only what the path itself takes, though an id could be called so', async () => {
      for (const path of ['/api/v1/otp/send', '/api/v1/otp/resend', '/api/v1/otp/verify']) {
        for (const method of ['GET', 'PUT', 'DELETE']) {
          const answer = await node.call(method, path)
          assertErrorBody(answer, 405)
          assert.equal(answer.headers.get('allow'), 'POST')
        }
      }
    })

    it('is a 405 whatever the body', async () => {
      for (const body of ['x'.repeat(70_000), '{']) {
        assertErrorBody(
          await node.call('PUT', sendPath, { body, headers: { 'content-type': 'text/plain' } }),
          405,
        )
      }
    })

    it('is a 405 for HEAD and OPTIONS where they mean nothing', async () => {
      for (const path of ['/manage/v1/prices', '/api/v1/verifications/exchange', '/api/v1/routing/preview']) {
        const options = await node.call('OPTIONS', path)
        assertErrorBody(options, 405)
        const head = await node.call('HEAD', path)
        assert.equal(head.status, 405)
        assert.ok(head.headers.get('allow'))
      }
      assert.equal((await node.call('HEAD', `/api/v1/otp/x`, { key: tenant.serverKey })).status, 405)
    })

    it('is a 405 on the pages too', async () => {
      for (const path of ['/healthz', '/readyz', '/metrics', '/docs', '/api/v1/openapi.json']) {
        const answer = await node.call('POST', path, { body: {} })
        assertErrorBody(answer, 405)
        assert.match(answer.headers.get('allow') ?? '', /GET/)
      }
    })
  })

  describe('a body', () => {
    it('of 64 KiB is read; one byte more is a 413', async () => {
      const padded = (bytes: number) => {
        const frame = JSON.stringify({ recipient: '' })
        return JSON.stringify({ recipient: 'x'.repeat(bytes - frame.length) })
      }
      assertErrorBody(await post(padded(maxBodyBytes)), 422, 'ValidationError')
      assertErrorBody(await post(padded(maxBodyBytes + 1)), 413)
    })

    it('that is announced larger than 64 KiB is refused before it is sent', async () => {
      const heard = await speak(
        `POST ${sendPath} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.serverKey}\r\ncontent-type: application/json\r\ncontent-length: 70000\r\n\r\n`,
        (text) => text.includes('request_id'),
      )
      assert.match(heard, /^HTTP\/1\.1 413 /)
    })

    it('that comes in pieces and grows beyond 64 KiB is a 413', async () => {
      const piece = `${(16_384).toString(16)}\r\n${' '.repeat(16_384)}\r\n`
      const heard = await speak(
        `POST ${sendPath} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.serverKey}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${piece.repeat(5)}`,
        (text) => text.includes('request_id'),
      )
      assert.match(heard, /^HTTP\/1\.1 413 /)
    })

    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/jsonp',
      'json',
      '*/*',
    ]) {
      it(`is JSON whatever its type says, and in management of another type a 415: ${type}`, async () => {
        const headers = { 'content-type': type }
        const taken = await post(JSON.stringify({ recipient: freshPhone() }), headers)
        assert.equal(taken.status, 200, JSON.stringify(taken.body))
        const none = await post('recipient=%2B447400123456', headers)
        assertErrorBody(none, 422, 'ValidationError')
        const managed = { key: adminToken, body: '{"name":"x"}', headers }
        assertErrorBody(await node.call('POST', '/manage/v1/companies', managed), 415)
      })
    }

    it('is JSON also without a type', async () => {
      const taken = await postUntyped(JSON.stringify({ recipient: freshPhone() }))
      assert.match(taken, /^HTTP\/1\.1 200 /)
      assert.match(await postUntyped('{'), /^HTTP\/1\.1 422 /)
    })

    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json;charset=UTF-8',
    ]) {
      it(`of the type ${type} is read`, async () => {
        const answer = await post(JSON.stringify({ recipient: freshPhone() }), { 'content-type': type })
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
      })
    }

    const broken: Readonly<Record<string, string>> = {
      nothing: '',
      'a space': ' ',
      'half an object': '{"recipient":',
      'a comma too many': '{"recipient":"x",}',
      'single quotes': "{'recipient':'x'}",
      'two objects': '{}{}',
      'a list': '[]',
      'a list of a good body': '[{"recipient":"+447400123456"}]',
      'a number': '5',
      'a text': '"+447400123456"',
      null: 'null',
      true: 'true',
      NaN: 'NaN',
      'a form': 'recipient=%2B447400123456',
      'a NUL': '\0',
    }
    for (const [name, text] of Object.entries(broken)) {
      it(`that is ${name} is a 422`, async () => {
        const answer = await postBytes(Buffer.from(text))
        assertErrorBody(answer, 422, 'ValidationError')
        assert.equal(answer.body.error.details.fields.length, 1)
        assert.equal(answer.body.error.details.fields[0].path, '')
      })
    }

    it('that is missing altogether is a 422', async () => {
      assertErrorBody(await node.call('POST', sendPath, { key: tenant.serverKey }), 422, 'ValidationError')
    })

    it('with unknown fields names each of them', async () => {
      const answer = await post({ recipient: freshPhone(), channel: 'sms', Recipient: 'x' })
      assertErrorBody(answer, 422, 'ValidationError')
      const paths = answer.body.error.details.fields.map(({ path }: { path: string }) => path)
      assert.deepEqual(paths.sort(), ['Recipient', 'channel'])
      assert.match(answer.body.error.message, /channel.*1 more/)
    })

    it('with __proto__, constructor or prototype in it changes nothing but its own answer', async () => {
      for (const key of ['__proto__', 'constructor', 'prototype']) {
        const answer = await post(
          `{"recipient":"${freshPhone()}","${key}":{"client_ip":"8.8.8.8","isAdmin":true}}`,
        )
        assertErrorBody(answer, 422, 'ValidationError')
        assert.equal(answer.body.error.details.fields[0].path, key)
      }
      assertErrorBody(await post(`{"__proto__":{"recipient":"${freshPhone()}"}}`), 422, 'ValidationError')
      assert.equal((Object.prototype as Record<string, unknown>).isAdmin, undefined)
    })

    it('with half a character in a text or a name is a 422, since nothing can store it', async () => {
      for (const body of [
        '{"messages":{"sms":{"en":{"text":"{code} \\ud800"}}}}',
        '{"messages":{"sms":{"\\udc00":{"text":"{code}"}}}}',
        '{"name":"\\ud83d"}',
      ]) {
        const answer = await node.manage('PATCH', `/apps/${tenant.appId}`, body)
        assertErrorBody(answer, 422, 'ValidationError')
      }
    })

    it('with __proto__ anywhere in an app’s settings is a 422, and changes nothing', async () => {
      const before = (await node.manage('GET', `/apps/${tenant.appId}`)).body
      for (const body of [
        '{"__proto__":{"code_length":4}}',
        '{"geo":{"__proto__":{"mode":"allow"}}}',
        '{"routing":{"countries":{"__proto__":["sms"]}}}',
        '{"messages":{"\\u005f_proto__":{}}}',
        '{"limits":{"recipient":[{"__proto__":null}]}}',
      ]) {
        const answer = await node.manage('PATCH', `/apps/${tenant.appId}`, body)
        assertErrorBody(answer, 422, 'ValidationError')
        assert.equal(answer.body.error.details.fields[0].path, '__proto__', body)
      }
      assert.deepEqual((await node.manage('GET', `/apps/${tenant.appId}`)).body, before)
    })

    it('nested thousands deep is answered, and quickly', async () => {
      const begun = performance.now()
      const lists = `{"recipient":${'['.repeat(30_000)}${']'.repeat(30_000)}}`
      assertErrorBody(await post(lists), 422, 'ValidationError')
      const objects = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`
      assertErrorBody(await post(objects), 422, 'ValidationError')
      assert.ok(performance.now() - begun < 5_000)
    })

    it('of settings nested thousands deep is a 422', async () => {
      const deep = `${'{"geo":'.repeat(7_000)}1${'}'.repeat(7_000)}`
      const answer = await node.manage('PATCH', `/apps/${tenant.appId}`, deep)
      assertErrorBody(answer, 422, 'ValidationError')
    })

    it('that is not UTF-8 is refused, never an error of ours', async () => {
      for (const bytes of [
        [0xff, 0xfe],
        [0xc0, 0x80],
        [0xed, 0xa0, 0x80],
        [0xf5, 0x80, 0x80, 0x80],
      ]) {
        const answer = await postBytes(
          Buffer.concat([Buffer.from('{"recipient":"'), Buffer.from(bytes), Buffer.from('"}')]),
        )
        assert.equal(answer.status, 422, JSON.stringify(answer.body))
      }
      const utf16 = await postBytes(Buffer.from(JSON.stringify({ recipient: freshPhone() }), 'utf16le'))
      assert.equal(utf16.status, 422)
    })

    it('may name what it leaves out as null', async () => {
      const sent = await post({ recipient: freshPhone(), locale: null, client_ip: null })
      assert.equal(sent.status, 200, JSON.stringify(sent.body))
      const moved = await node.call('POST', '/api/v1/otp/resend', {
        key: tenant.serverKey,
        body: { otp_id: sent.body.otp_id, channel: null },
      })
      assert.equal(moved.status, 200, JSON.stringify(moved.body))
      const seen = await node.call('POST', '/api/v1/routing/preview', {
        key: tenant.serverKey,
        body: { recipient: freshPhone(), client_ip: null },
      })
      assert.equal(seen.body.channel, 'sms')
      const device = { key: tenant.publishableKey, body: { recipient: freshPhone(), client_ip: null } }
      assert.equal((await node.call('POST', sendPath, device)).status, 200)
      assertErrorBody(await post({ recipient: null }), 422, 'ValidationError')
    })

    it('may write its locale as systems do', async () => {
      for (const locale of ['en_US', 'en-US@posix', 'pt_BR.UTF-8', 'de'])
        assert.equal((await post({ recipient: freshPhone(), locale })).status, 200, locale)
      for (const locale of ['', '_', '@posix', 'english language'])
        assertErrorBody(await post({ recipient: freshPhone(), locale }), 422, 'ValidationError')
    })

    it('has a recipient of at most 320 characters, of which a bad one is no recipient', async () => {
      const refused = async (length: number) =>
        (await post({ recipient: 'x'.repeat(length) })).body.error.type
      assert.equal(await refused(320), 'InvalidRecipientError')
      assert.equal(await refused(321), 'ValidationError')
    })

    it('may name its fields in any order and twice, the last one counting', async () => {
      const recipient = freshPhone()
      const answer = await post(`{"recipient":"nobody","locale":"en","recipient":"${recipient}"}`)
      assert.equal(answer.status, 200)
    })
  })

  describe('the key', () => {
    const attempts: Readonly<Record<string, Record<string, string>>> = {
      'a wrong content type': { 'content-type': 'text/plain' },
      'a good content type': {},
    }
    for (const [name, headers] of Object.entries(attempts)) {
      it(`is asked for before the body is looked at: ${name}`, async () => {
        for (const body of ['x'.repeat(70_000), '{', '', '[]']) {
          for (const key of [undefined, 'nonsense']) {
            for (const { method, path } of [
              operations.send,
              operations.exchange,
              operations.putPrices,
              operations.createCompany,
            ]) {
              const answer = await node.call(method, path, { ...(key ? { key } : {}), body, headers })
              assertErrorBody(answer, 401)
              assert.deepEqual(answer.body.error.details, {})
            }
          }
        }
      })
    }

    it('is asked for on every operation of the table but those that sign in', async () => {
      for (const operation of guarded) {
        const path = operation.path.replaceAll(/\{\w+\}/g, 'x')
        const body = 'body' in operation ? { body: {} } : {}
        assertErrorBody(await node.call(operation.method, path, body), 401)
        assertErrorBody(await node.call(operation.method, path, { ...body, key: 'x' }), 401)
      }
    })

    it('of an app opens no management, and the operator’s token no app', async () => {
      for (const operation of guarded) {
        const path = operation.path.replaceAll(/\{\w+\}/g, 'x')
        const body = 'body' in operation ? { body: {} } : {}
        const key = opensApi(operation) ? adminToken : tenant.serverKey
        assertErrorBody(await node.call(operation.method, path, { ...body, key }), 401)
      }
    })

    it('that is publishable opens the four device endpoints and nothing else', async () => {
      for (const operation of guarded) {
        const path = operation.path.replaceAll(/\{\w+\}/g, 'x')
        const body = 'body' in operation ? { body: {} } : {}
        const answer = await node.call(operation.method, path, { ...body, key: tenant.publishableKey })
        assert.equal(answer.status === 401, operation.access !== 'key', `${operation.method} ${path}`)
      }
    })

    it('may come with a scheme in any case and several spaces', async () => {
      for (const authorization of [`bearer ${tenant.serverKey}`, `BEARER   ${tenant.serverKey}`]) {
        const answer = await node.call('POST', sendPath, {
          body: { recipient: freshPhone() },
          headers: { authorization },
        })
        assert.equal(answer.status, 200)
      }
    })

    it('of ten thousand characters is a 401', async () => {
      assertErrorBody(
        await node.call('POST', sendPath, { key: `otp_sk_${'0'.repeat(10_000)}`, body: {} }),
        401,
      )
    })
  })

  describe('an id in the path', () => {
    for (const id of [
      '%00',
      'otp_%00',
      '%0a',
      '%F0%9F%92%A9',
      '..%2f..',
      "'%20or%201=1",
      'otp_01kxxxxxxx0000000000000000%00',
      'null',
      '%25',
    ]) {
      it(`that cannot exist is not found: ${id}`, async () => {
        assertErrorBody(
          await node.call('GET', `/api/v1/otp/${id}`, { key: tenant.serverKey }),
          404,
          'OtpNotFoundError',
        )
        assertErrorBody(
          await node.call('GET', `/manage/v1/apps/${id}`, { key: adminToken }),
          404,
          'NotFoundError',
        )
      })
    }

    it('of hundreds of characters is not found like any other', async () => {
      const path = `/api/v1/otp/otp_${'0'.repeat(300)}`
      assertErrorBody(await node.call('GET', path, { key: tenant.serverKey }), 404, 'OtpNotFoundError')
      assertErrorBody(await node.call('GET', path), 401)
    })

    it('so long that the request cannot be read is refused in the one error body', async () => {
      const response = await fetch(`${node.baseUrl}/api/v1/otp/${'0'.repeat(20_000)}`)
      const body = JSON.parse(await response.text())
      assert.ok(response.status >= 400 && response.status < 500)
      assert.equal(body.error?.type, 'HTTPException')
    })
  })

  describe('devices', () => {
    const deviceCalls = Object.values(operations).filter((operation) => operation.access === 'key')
    const concrete = (path: string) => path.replaceAll(/\{\w+\}/g, 'otp_01kxxxxxxx0000000000000000')

    it('have four endpoints', () => {
      assert.deepEqual(
        deviceCalls.map(({ method, path }) => `${method} ${path}`),
        [
          'POST /api/v1/otp/send',
          'POST /api/v1/otp/resend',
          'POST /api/v1/otp/verify',
          'GET /api/v1/otp/{otp_id}',
        ],
      )
    })

    for (const { method, path } of deviceCalls) {
      it(`are let in by a preflight: ${method} ${path}`, async () => {
        const response = await fetch(`${node.baseUrl}${concrete(path)}`, {
          method: 'OPTIONS',
          headers: {
            origin: 'https://shop.example.com',
            'access-control-request-method': method,
            'access-control-request-headers': 'authorization, content-type, idempotency-key',
          },
        })
        assert.equal(response.status, 204)
        assert.equal(await response.text(), '')
        assert.equal(response.headers.get('access-control-allow-origin'), '*')
        assert.ok(response.headers.get('access-control-allow-methods')?.split(', ').includes(method))
        const allowed = response.headers.get('access-control-allow-headers')?.split(', ') ?? []
        for (const name of ['authorization', 'content-type', 'idempotency-key', 'x-request-id'])
          assert.ok(allowed.includes(name), name)
        assert.ok(Number(response.headers.get('access-control-max-age')) > 0)
        assert.equal(response.headers.get('access-control-allow-credentials'), null)
      })

      it(`can read every refusal, its wait and its id: ${method} ${path}`, async () => {
        const body = method === 'POST'
        const refusals = [
          await node.call(method, concrete(path), body ? { body: {} } : {}),
          await node.call(method, concrete(path), {
            key: tenant.publishableKey,
            ...(body ? { body: { x: 1 } } : {}),
          }),
          ...(body
            ? [await node.call(method, path, { key: tenant.publishableKey, body: 'x'.repeat(70_000) })]
            : []),
          ...(body
            ? [
                await node.call(method, path, {
                  key: tenant.publishableKey,
                  body: '{}',
                  headers: { 'content-type': 'text/plain' },
                }),
              ]
            : []),
        ]
        for (const answer of refusals) {
          assert.ok(answer.status >= 400)
          assert.equal(answer.headers.get('access-control-allow-origin'), '*')
          assert.match(answer.headers.get('access-control-expose-headers') ?? '', /retry-after/)
          assert.match(answer.headers.get('access-control-expose-headers') ?? '', /x-request-id/)
        }
      })
    }

    it('can read a good answer', async () => {
      const answer = await send(
        node,
        tenant.publishableKey,
        { recipient: freshPhone() },
        { origin: 'https://shop.example.com' },
      )
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('access-control-allow-origin'), '*')
    })

    it('are let in nowhere else', async () => {
      for (const operation of Object.values(operations)) {
        if (operation.access === 'key') continue
        const path = concrete(operation.path)
        const headers = {
          origin: 'https://shop.example.com',
          'access-control-request-method': operation.method,
        }
        const preflight = await node.call('OPTIONS', path, { headers })
        assert.equal(preflight.status, 405, path)
        assert.equal(preflight.headers.get('access-control-allow-origin'), null, path)
        const key = operation.access === 'operator' ? adminToken : tenant.serverKey
        const answer = await node.call(operation.method, path, {
          key,
          headers,
          ...('body' in operation ? { body: {} } : {}),
        })
        assert.equal(answer.headers.get('access-control-allow-origin'), null, path)
      }
    })
  })

  describe('the pages', () => {
    it('healthz says that the process lives', async () => {
      const answer = await node.call('GET', '/healthz')
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, { status: 'alive' })
    })

    it('readyz says that it can serve', async () => {
      const answer = await node.call('GET', '/readyz')
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, { status: 'ready' })
    })

    it('metrics need their token where one is set, and only that one', async () => {
      const closed = await startNode(database.url, { metricsToken: 'a-token-of-the-metrics', role: 'api' })
      try {
        for (const key of [undefined, 'a-token-of-the-metric', 'a-token-of-the-metrics-', adminToken]) {
          assertErrorBody(await closed.call('GET', '/metrics', key ? { key } : {}), 401)
        }
        const read = await closed.call('GET', '/metrics', { key: 'a-token-of-the-metrics' })
        assert.equal(read.status, 200)
        assert.match(String(read.body), /countersign_/)
        assert.equal((await closed.call('GET', '/healthz')).status, 200)
      } finally {
        await closed.close()
      }
    })

    it('metrics are Prometheus text that counts requests by route, never by id or person', async () => {
      const recipient = freshPhone()
      const { otpId } = await started(node, tenant.serverKey, recipient)
      await status(node, tenant.serverKey, otpId)
      await node.call('GET', '/some/unknown/path')
      const answer = await node.call('GET', '/metrics')
      assert.match(answer.headers.get('content-type') ?? '', /^text\/plain/)
      const text: string = answer.body
      assert.match(text, /^# TYPE countersign_http_request_seconds histogram$/m)
      assert.match(
        text,
        /countersign_http_request_seconds_count\{method="POST",route="\/api\/v1\/otp\/send",status="200"\} \d+/,
      )
      assert.match(text, /route="\/api\/v1\/otp\/:otp_id"/)
      assert.match(text, /countersign_delivery_attempts_total\{channel="sms",/)
      for (const secret of [otpId, recipient, tenant.appId, tenant.companyId, '/some/unknown/path']) {
        assert.ok(!text.includes(secret), secret)
      }
    })

    it('the root leads to the reference', async () => {
      const response = await fetch(node.baseUrl, { redirect: 'manual' })
      assert.equal(response.status, 302)
      assert.equal(response.headers.get('location'), '/docs')
    })
  })

  describe('every answer', () => {
    it('is not to be stored or guessed at by whoever carries it', async () => {
      for (const answer of [
        await send(node, tenant.serverKey, { recipient: freshPhone() }),
        await post({}),
        await node.call('GET', '/nowhere'),
      ]) {
        assert.equal(answer.headers.get('cache-control'), 'no-store')
        assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
      }
    })

    it('writes times as ISO 8601 in UTC with Z', async () => {
      const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
      const { otpId } = await started(node, tenant.serverKey)
      const found = (await status(node, tenant.serverKey, otpId)).body
      const app = (await node.manage('GET', `/apps/${tenant.appId}`)).body
      const keys = (await node.manage('GET', `/apps/${tenant.appId}/keys`)).body
      const ledger = (await node.manage('GET', `/companies/${tenant.companyId}/ledger`)).body
      const decision = (await node.call('GET', `/api/v1/otp/${otpId}/decision`, { key: tenant.serverKey }))
        .body
      const times = [
        found.created_at,
        found.expires_at,
        found.resend_available_at,
        found.deliveries[0].created_at,
        found.deliveries[0].updated_at,
        app.created_at,
        keys.keys[0].created_at,
        ledger.entries[0].created_at,
        decision.decisions[0].at,
      ]
      for (const time of times) assert.match(time, iso)
    })
  })

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
      const statuses = [...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => Number(code))
      assert.deepEqual(statuses, [404, 422, 405, 401, 422, 200])
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

    it('that speaks no HTTP is closed', async () => {
      assert.match(await speak('hello\r\n\r\n'), /^HTTP\/1\.1 400 /)
    })

    it('that trickles its request is bounded in time', () => {
      const { server } = node.app.server
      assert.ok(server.requestTimeout > 0 && server.requestTimeout <= 30_000)
      assert.ok(server.headersTimeout > 0 && server.headersTimeout <= 60_000)
      assert.ok(server.timeout > 0 && server.timeout <= 30_000)
      assert.ok(server.keepAliveTimeout > 0 && server.keepAliveTimeout <= 120_000)
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
