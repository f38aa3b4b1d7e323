/** What holds for every answer: one request id, one error body, paths and methods, times and headers. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { operations } from '@countersign/contract'
import { assertErrorBody, newRequestId, sendPath, startTalk } from './conventions-support.ts'
import { freshPhone, send, started, status } from './harness/fixtures.ts'
import { adminToken, startNode } from './harness/node.ts'

const { database, node, tenant, close, post, speak } = await startTalk()
after(close)

describe('conventions of the API', () => {
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
        // fetch does not send TRACE; of these methods at least one is not allowed.
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
      for (const path of [
        '/healthz',
        '/readyz',
        '/metrics',
        '/docs',
        '/docs/guide',
        '/llms.txt',
        '/api/v1/openapi.json',
      ]) {
        const answer = await node.call('POST', path, { body: {} })
        assertErrorBody(answer, 405)
        assert.match(answer.headers.get('allow') ?? '', /GET/)
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

    it('the root leads to the documents, where there is no dashboard', async () => {
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
        await node.call('GET', '/api/v1/otp/%ff'),
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
})
