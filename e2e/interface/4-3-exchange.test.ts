import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { eventually } from '../harness/wait.ts'
import { type App, clientOf, createApp, createKey, openApp, verifyOnDevice } from './app.ts'
import { type Answer, accepted, call, fields, refused } from './calls.ts'
import { needs, useInstance } from './instance.ts'
import { newEmail } from './people.ts'

const instance = useInstance()

const shortestLifeS = 60
const patienceMs = 120_000
const unknownToken = () => `otp_vt_${randomBytes(24).toString('hex')}`
const tokenOf = async (app: App) => (await verifyOnDevice(instance(), app, newEmail(), 'email')).token

/** What a prober could see: status and error, without the request id. */
const seen = ({ status, body }: Answer) => ({ status, error: fields(body.error) })

describe('4.3 POST /verifications/exchange', { concurrency: 4 }, () => {
  test(
    '4.3.1 a server key is answered, a publishable key is refused',
    needs('device', 'people'),
    async () => {
      const app = await openApp(instance())
      const token = await tokenOf(app)
      refused(await app.device.exchange(token), 401, 'HTTPException')
      accepted(await app.server.exchange(token))
    },
  )

  test('4.3.2 the same key gets the same result again', needs('device', 'people'), async () => {
    const app = await openApp(instance())
    const token = await tokenOf(app)
    const first = accepted(await app.server.exchange(token))
    for (let count = 0; count < 3; count++)
      assert.deepEqual(accepted(await app.server.exchange(token)), first)
  })

  test(
    '4.3.2 calls of one key at the same moment all get the same result',
    needs('device', 'people'),
    async () => {
      const app = await openApp(instance())
      const token = await tokenOf(app)
      const answers = await Promise.all(Array.from({ length: 8 }, () => app.server.exchange(token)))
      const [first] = answers.map(accepted)
      for (const answer of answers) assert.deepEqual(answer.body, first)
    },
  )

  test('4.3.2 of two keys at the same moment one gets it', needs('settings', 'people'), async () => {
    const app = await createApp(instance())
    const other = clientOf(instance().url, (await createKey(app, 'server')).key)
    const token = await tokenOf(app)
    const answers = await Promise.all([app.server.exchange(token), other.exchange(token)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404])
  })

  test('4.3.3 an idempotency-key means nothing here', needs('device', 'people'), async () => {
    const app = await openApp(instance())
    const [one, other] = [await tokenOf(app), await tokenOf(app)]
    const headers = { 'idempotency-key': randomBytes(8).toString('hex') }
    const first = accepted(await app.server.exchange(one, headers))
    const second = accepted(await app.server.exchange(other, headers))
    assert.notEqual(first.otp_id, second.otp_id)
    accepted(await app.server.exchange(one, { 'idempotency-key': 'k'.repeat(129) }))
  })

  test(
    '4.3.4 unknown, expired, already exchanged and not owned are one and the same 404',
    needs('settings', 'people'),
    async () => {
      const app = await createApp(instance(), { token_ttl_s: shortestLifeS })
      const sibling = await createApp(instance(), {}, { companyId: app.companyId })
      const stranger = await createApp(instance())
      const secondKey = clientOf(instance().url, (await createKey(app, 'server')).key)
      const [untouched, taken] = [await tokenOf(app), await tokenOf(app)]
      accepted(await app.server.exchange(taken))

      const unknown = await app.server.exchange(unknownToken())
      refused(unknown, 404, 'HTTPException')
      const exchanged = await secondKey.exchange(taken)
      const ofOtherCompany = await stranger.server.exchange(untouched)
      const ofOtherApp = await sibling.server.exchange(untouched)
      // The key that exchanged the token may repeat the call, so it shows when both tokens have expired.
      const over = await eventually(
        'the token has expired',
        () => app.server.exchange(taken),
        ({ status }) => status !== 200,
        patienceMs,
      )
      const neverTaken = await app.server.exchange(untouched)
      for (const answer of [exchanged, ofOtherCompany, ofOtherApp, over, neverTaken]) {
        assert.deepEqual(seen(answer), seen(unknown))
      }
    },
  )

  test('4.3.4 whoever does not own a token does not use it up', needs('settings', 'people'), async () => {
    const [app, stranger] = [await createApp(instance()), await createApp(instance())]
    const token = await tokenOf(app)
    refused(await stranger.server.exchange(token), 404, 'HTTPException')
    refused(await app.device.exchange(token), 401, 'HTTPException')
    accepted(await app.server.exchange(token))
  })

  test('4.3 verification_token: 128 characters are looked up, 129 are malformed', needs('app'), async () => {
    const { server } = await openApp(instance())
    const longest = `otp_vt_${'a'.repeat(121)}`
    assert.equal(longest.length, 128)
    refused(await server.exchange(longest), 404, 'HTTPException')
    refused(await server.exchange(`${longest}a`), 422, 'ValidationError')
  })

  test('4.3 verification_token must start with otp_vt_', needs('app'), async () => {
    const { server } = await openApp(instance())
    for (const token of [
      '',
      'nonsense',
      'otp_sk_abc',
      unknownToken().slice(1),
      unknownToken().toUpperCase(),
    ]) {
      refused(await server.exchange(token), 422, 'ValidationError')
    }
  })

  test('4.3 a body without a Content-Type is read as JSON', needs('device', 'people'), async () => {
    const app = await openApp(instance())
    const rawBody = JSON.stringify({ verification_token: await tokenOf(app) })
    const url = `${instance().url}/api/v1/verifications/exchange`
    accepted(await call(url, { key: app.server.key, rawBody }))
  })
})
