import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { arrivalMs, throughout } from '../harness/wait.ts'
import { codeOf, createApp, openApp, started } from './app.ts'
import { accepted, refused } from './calls.ts'
import { needs, useInstance } from './instance.ts'
import { newEmail } from './people.ts'

const instance = useInstance()

const newKey = (length = 32) => randomBytes(length).toString('hex').slice(0, length)
const withKey = (key: string) => ({ 'idempotency-key': key })

describe('4.1 POST /otp/send: idempotency-key', { concurrency: 4 }, () => {
  test('4.1 idempotency 1: 128 characters are taken', needs('app'), async () => {
    const { server } = await openApp(instance())
    const key = newKey(128)
    const [first, second] = [
      await server.send({ recipient: newEmail() }, withKey(key)),
      await server.send({ recipient: newEmail() }, withKey(key)),
    ]
    assert.deepEqual(accepted(second), accepted(first))
  })

  for (const length of [129, 500]) {
    test(
      `4.1 idempotency 1: ${length} characters are 422 InvalidIdempotencyKeyError`,
      needs('app'),
      async () => {
        const { server } = await openApp(instance())
        const answer = await server.send({ recipient: newEmail() }, withKey(newKey(length)))
        refused(answer, 422, 'InvalidIdempotencyKeyError')
      },
    )
  }

  test(
    '4.1 idempotency 2: a repeat replays the first response and sends no second code',
    needs('app', 'people'),
    async () => {
      const { server } = await openApp(instance())
      const [recipient, key] = [newEmail(), newKey()]
      const first = accepted(await server.send({ recipient }, withKey(key)))
      await codeOf(instance(), recipient, 'email')
      const second = accepted(await server.send({ recipient }, withKey(key)))
      assert.deepEqual(second, first)
      await throughout(arrivalMs, async () =>
        assert.equal((await instance().simulator.messages(recipient)).length, 1),
      )
    },
  )

  test(
    '4.1 idempotency 2: a repeat replays the first response also after the verification is approved',
    needs('app', 'people'),
    async () => {
      const { server } = await openApp(instance())
      const [recipient, key] = [newEmail(), newKey()]
      const first = accepted(await server.send({ recipient }, withKey(key)))
      const code = await codeOf(instance(), recipient, 'email')
      accepted(await server.verify(String(first.otp_id), code))
      assert.deepEqual(accepted(await server.send({ recipient }, withKey(key))), first)
    },
  )

  test(
    '4.1 idempotency 2: repeats at the same moment are one verification and one code',
    needs('app', 'people'),
    async () => {
      const { server } = await openApp(instance())
      const [recipient, key] = [newEmail(), newKey()]
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => server.send({ recipient }, withKey(key))),
      )
      const [first] = answers.map(accepted)
      for (const answer of answers) assert.deepEqual(accepted(answer), first)
      await codeOf(instance(), recipient, 'email')
      await throughout(arrivalMs, async () =>
        assert.equal((await instance().simulator.messages(recipient)).length, 1),
      )
    },
  )

  test('4.1 idempotency 2: repeats are not counted as requests for the recipient', needs('app'), async () => {
    const { server } = await openApp(instance())
    const [recipient, key] = [newEmail(), newKey()]
    for (let count = 0; count < 30; count++) accepted(await server.send({ recipient }, withKey(key)))
  })

  test(
    '4.1 idempotency 3: the same key with another recipient returns the OTP of the first',
    needs('app', 'people'),
    async () => {
      const { server } = await openApp(instance())
      const [first, second, key] = [newEmail(), newEmail(), newKey()]
      const original = accepted(await server.send({ recipient: first }, withKey(key)))
      assert.deepEqual(accepted(await server.send({ recipient: second }, withKey(key))), original)
      await throughout(arrivalMs, async () =>
        assert.deepEqual(await instance().simulator.messages(second), []),
      )
    },
  )

  test('4.1 idempotency 3: so it is with a publishable key', needs('device'), async () => {
    const { device } = await openApp(instance())
    const key = newKey()
    const original = accepted(await device.send({ recipient: newEmail() }, withKey(key)))
    assert.deepEqual(accepted(await device.send({ recipient: newEmail() }, withKey(key))), original)
  })

  test('4.1 idempotency 3: the key alone is compared, not locale or client_ip', needs('app'), async () => {
    const { server } = await openApp(instance())
    const [recipient, key] = [newEmail(), newKey()]
    const original = accepted(await server.send({ recipient }, withKey(key)))
    const other = { recipient, locale: 'de', client_ip: '86.1.2.3' }
    assert.deepEqual(accepted(await server.send(other, withKey(key))), original)
  })

  test('4.1 idempotency 3: the key is scoped to the company, over its apps', needs('settings'), async () => {
    const one = await createApp(instance())
    const sibling = await createApp(instance(), {}, { companyId: one.companyId })
    const key = newKey()
    const original = accepted(await one.server.send({ recipient: newEmail() }, withKey(key)))
    assert.deepEqual(accepted(await sibling.server.send({ recipient: newEmail() }, withKey(key))), original)
  })

  test('4.1 idempotency 3: the key of one company means nothing in another', needs('settings'), async () => {
    const [one, other] = [await createApp(instance()), await createApp(instance())]
    const [recipient, key] = [newEmail(), newKey()]
    const mine = started(await one.server.send({ recipient }, withKey(key)))
    const theirs = started(await other.server.send({ recipient }, withKey(key)))
    assert.notEqual(theirs.otpId, mine.otpId)
  })

  test('4.1 without a key every send is a verification of its own', needs('app'), async () => {
    const { server } = await openApp(instance())
    const recipient = newEmail()
    const [one, other] = [
      started(await server.send({ recipient })),
      started(await server.send({ recipient })),
    ]
    assert.notEqual(one.otpId, other.otpId)
  })

  test('4.1 different keys are different verifications', needs('app'), async () => {
    const { server } = await openApp(instance())
    const recipient = newEmail()
    const one = started(await server.send({ recipient }, withKey(newKey())))
    const other = started(await server.send({ recipient }, withKey(newKey())))
    assert.notEqual(one.otpId, other.otpId)
  })
})
