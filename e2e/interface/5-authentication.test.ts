import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { useBrowser } from '../harness/browser.ts'
import { openReceiver } from '../harness/receiver.ts'
import { eventually } from '../harness/wait.ts'
import { clientOf, codeOf, createApp, createKey, openApp, started, verifyOnDevice } from './app.ts'
import { accepted, call, refused, string } from './calls.ts'
import { readEvent } from './endpoint.ts'
import { needs, useInstance } from './instance.ts'
import { newEmail } from './people.ts'
import { enterKeysScreen, setEndpoint } from './screen.ts'

const instance = useInstance()
const paths = ['/otp/send', '/otp/resend', '/verifications/exchange']

describe('5 Authentication', { concurrency: 4 }, () => {
  test('5.1 every call needs Authorization: Bearer with a key', needs('app'), async () => {
    const { server } = await openApp(instance())
    for (const path of paths) {
      for (const authorization of [undefined, '', 'Bearer', 'Bearer ', server.key, `Basic ${server.key}`]) {
        const headers = authorization === undefined ? {} : { authorization }
        const body = { recipient: newEmail() }
        const answer = await call(`${instance().url}/api/v1${path}`, { body, headers })
        assert.equal(answer.status, 401, `${path} with ${authorization?.slice(0, 8)}`)
      }
    }
  })

  test(
    '5.2 there are server keys and publishable keys, and both can verify somebody',
    needs('settings', 'people'),
    async () => {
      const app = await createApp(instance())
      for (const client of [app.server, app.device]) {
        const recipient = newEmail()
        const { otpId } = started(await client.send({ recipient }))
        const code = await codeOf(instance(), recipient, 'email')
        assert.equal(accepted(await client.verify(otpId, code)).matched, true)
      }
    },
  )

  test('5.2 a publishable key at the exchange is 401', needs('device', 'people'), async () => {
    const app = await openApp(instance())
    const { token } = await verifyOnDevice(instance(), app, newEmail(), 'email')
    refused(await app.device.exchange(token), 401, 'HTTPException')
  })

  test('5.3 a missing key at the exchange is 401', needs(), async () => {
    const url = `${instance().url}/api/v1/verifications/exchange`
    const body = { verification_token: `otp_vt_${'a'.repeat(40)}` }
    refused(await call(url, { body }), 401, 'HTTPException')
  })

  test('5.3 an invalid key at the exchange is 401', needs('app'), async () => {
    const { server } = await openApp(instance())
    const token = `otp_vt_${'a'.repeat(40)}`
    const last = server.key.slice(-1)
    const almost = server.key.slice(0, -1) + (last === 'x' ? 'y' : 'x')
    for (const key of ['nonsense', almost, server.key.slice(0, -1), `${server.key}0`, token]) {
      refused(await clientOf(instance().url, key).exchange(token), 401, 'HTTPException')
    }
  })

  test('5.3 a revoked key at the exchange is 401', needs('settings', 'people'), async () => {
    const app = await createApp(instance())
    const { key, keyId } = await createKey(app, 'server')
    const client = clientOf(instance().url, key)
    const { token } = await verifyOnDevice(instance(), app, newEmail(), 'email')
    accepted(await client.exchange(token))
    await app.manage('DELETE', `/keys/${keyId}`)
    const answer = await eventually(
      'the key is revoked everywhere',
      () => client.exchange(token),
      ({ status }) => status !== 200,
    )
    refused(answer, 401, 'HTTPException')
    started(await app.server.send({ recipient: newEmail() }))
  })
})

describe('5 Authentication: the dashboard', () => {
  const browser = useBrowser(needs('receiver', 'people').skip === false)

  test(
    '5.4 and 5.5 the endpoint and its signing secret are set on the API Keys screen, and sign what comes',
    needs('receiver', 'people'),
    async (t) => {
      const app = await createApp(instance())
      const receiver = await openReceiver()
      t.after(receiver.close)
      const page = await enterKeysScreen(instance(), app, await browser().newPage())
      const secret = await setEndpoint(page, receiver.url)

      const { otpId } = started(await app.server.send({ recipient: newEmail() }))
      const [request] = await eventually(
        'an event has come',
        () => receiver.received,
        ({ length }) => length > 0,
      )
      assert.ok(request)
      assert.equal(string(readEvent(request, secret).payload.otp_id), otpId)
    },
  )
})
