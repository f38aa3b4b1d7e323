/** Who may call what: keys, other tenants' ids, devices. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { operations } from '@countersign/contract'
import { assertErrorBody, guarded, opensApi, sendPath, startTalk } from './conventions-support.ts'
import { freshPhone, send } from './harness/fixtures.ts'
import { adminToken } from './harness/node.ts'

const { node, tenant, close } = await startTalk()
after(close)

describe('conventions of the API', () => {
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
        for (const key of [{}, { key: 'x' }]) {
          const answer = await node.call(operation.method, path, { ...body, ...key })
          assertErrorBody(answer, 401)
          assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
        }
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
})
