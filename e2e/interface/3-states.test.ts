import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { arrivalMs, throughout } from '../harness/wait.ts'
import {
  codeOf,
  createApp,
  inOrder,
  linked,
  linkModes,
  openApp,
  sendTextOf,
  started,
  statusOf,
  unhurried,
  wrongCode,
} from './app.ts'
import { accepted, refused } from './calls.ts'
import { openEndpoint } from './endpoint.ts'
import { needs, useInstance } from './instance.ts'
import { newEmail, newPhone } from './people.ts'

const instance = useInstance()
const mostAttempts = 20

describe('3 States and transitions', { concurrency: 4 }, () => {
  test('3 an accepted send is pending, and its code is delivered', needs('app', 'people'), async () => {
    const app = await openApp(instance())
    const recipient = newEmail()
    const { otpId } = started(await app.server.send({ recipient }))
    assert.equal(await statusOf(app, otpId), 'pending')
    assert.ok(await codeOf(instance(), recipient, 'email'))
  })

  for (const mode of linkModes) {
    test(
      `3 an accepted send in ${mode} is pending with an action_url and nothing sent`,
      needs('settings', 'people'),
      async () => {
        const app = await createApp(instance(), linked(mode, 'whatsapp', 'sms'))
        const recipient = newPhone()
        const { otpId, actionUrl } = started(await app.server.send({ recipient }))
        assert.equal(typeof actionUrl, 'string')
        assert.equal(await statusOf(app, otpId), 'pending')
        await throughout(arrivalMs, async () =>
          assert.deepEqual(await instance().simulator.messages(recipient), []),
        )
      },
    )
  }

  test(
    '3 pending, plain resend: the next enabled channel in the order, then the last usable one again',
    needs('settings'),
    async () => {
      const app = await createApp(instance(), {
        ...inOrder('sms', 'whatsapp', 'telegram'),
        ...unhurried,
        channels: { whatsapp: { enabled: false } },
      })
      const { otpId } = started(await app.server.send({ recipient: newPhone() }))
      const visited: unknown[] = []
      for (let count = 0; count < 3; count++) {
        visited.push(started(await app.server.resend({ otp_id: otpId })).channel)
      }
      assert.deepEqual(visited, ['telegram', 'telegram', 'telegram'])
      assert.equal(await statusOf(app, otpId), 'pending')
    },
  )

  test(
    '3 pending, resend with a channel: it moves there and a fresh code is delivered there',
    needs('settings', 'people'),
    async () => {
      const app = await createApp(instance(), { ...inOrder('sms', 'whatsapp', 'telegram'), ...unhurried })
      const recipient = newPhone()
      const { otpId } = started(await app.server.send({ recipient }))
      const first = await codeOf(instance(), recipient, 'sms')
      assert.equal(
        started(await app.server.resend({ otp_id: otpId, channel: 'telegram' })).channel,
        'telegram',
      )
      const second = await codeOf(instance(), recipient, 'telegram')
      assert.notEqual(second, first)
      accepted(await app.server.verify(otpId, second))
      assert.equal(await statusOf(app, otpId), 'approved')
    },
  )

  test('3 pending, resend with a channel: held to the cooldown as well', needs('settings'), async () => {
    const { server } = await createApp(instance(), { ...inOrder('sms', 'telegram'), resend_cooldown_s: 600 })
    const { otpId } = started(await server.send({ recipient: newPhone() }))
    refused(await server.resend({ otp_id: otpId, channel: 'telegram' }), 429, 'ResendCooldownError')
  })

  test(
    '3 pending, resend with a channel that is not enabled for the app or the recipient: it stays where it is',
    needs('settings', 'people'),
    async () => {
      const app = await createApp(instance(), {
        ...inOrder('sms', 'whatsapp', 'telegram', 'email'),
        ...unhurried,
        channels: { telegram: { enabled: false } },
      })
      const recipient = newPhone()
      const { otpId } = started(await app.server.send({ recipient }))
      for (const channel of ['telegram', 'email']) {
        const { status } = await app.server.resend({ otp_id: otpId, channel })
        assert.ok(status >= 400 && status < 500, `${channel}: ${status}`)
      }
      assert.equal(accepted(await app.server.lookUp(otpId)).channel, 'sms')
      const code = await codeOf(instance(), recipient, 'sms')
      assert.equal(accepted(await app.server.verify(otpId, code)).matched, true)
    },
  )

  test('3 pending, right code: approved, with otp.approved', needs('receiver', 'people'), async (t) => {
    const app = await createApp(instance())
    const endpoint = await openEndpoint(t, app)
    const recipient = newEmail()
    const { otpId } = started(await app.server.send({ recipient }))
    accepted(await app.server.verify(otpId, await codeOf(instance(), recipient, 'email')))
    assert.equal(await statusOf(app, otpId), 'approved')
    await endpoint.event('otp.approved', otpId)
  })

  test('3 pending, wrong code: it stays pending', needs('app', 'people'), async () => {
    const app = await openApp(instance())
    const recipient = newEmail()
    const { otpId } = started(await app.server.send({ recipient }))
    await app.server.verify(otpId, wrongCode(await codeOf(instance(), recipient, 'email')))
    assert.equal(await statusOf(app, otpId), 'pending')
  })

  test('3 pending, inbound message: approved, with otp.approved', needs('receiver', 'people'), async (t) => {
    const app = await createApp(instance(), linked('link_inbound', 'whatsapp'))
    const endpoint = await openEndpoint(t, app)
    const recipient = newPhone()
    const { otpId, actionUrl } = started(await app.server.send({ recipient }))
    await sendTextOf(instance(), recipient, actionUrl)
    assert.equal(await statusOf(app, otpId), 'approved')
    await endpoint.event('otp.approved', otpId)
  })

  test(
    '3 pending, message in link_code: only the code that comes back approves',
    needs('settings', 'people'),
    async () => {
      const app = await createApp(instance(), linked('link_code', 'whatsapp'))
      const recipient = newPhone()
      const { otpId, actionUrl } = started(await app.server.send({ recipient }))
      await sendTextOf(instance(), recipient, actionUrl)
      const code = await codeOf(instance(), recipient, 'whatsapp')
      assert.equal(await statusOf(app, otpId), 'pending')
      accepted(await app.server.verify(otpId, code))
      assert.equal(await statusOf(app, otpId), 'approved')
    },
  )

  test(
    '3 pending, attempts exhausted: it has failed for good, with otp.failed',
    needs('receiver', 'people'),
    async (t) => {
      const app = await createApp(instance())
      const endpoint = await openEndpoint(t, app)
      const recipient = newEmail()
      const { otpId } = started(await app.server.send({ recipient }))
      const code = await codeOf(instance(), recipient, 'email')
      for (let guess = 0; guess < mostAttempts && (await statusOf(app, otpId)) === 'pending'; guess++) {
        await app.server.verify(otpId, wrongCode(code))
      }
      await app.server.verify(otpId, code)
      const status = await statusOf(app, otpId)
      assert.ok(status !== 'pending' && status !== 'approved', `is ${status}`)
      await endpoint.event('otp.failed', otpId)
    },
  )

  test(
    '3 delivery, a receipt confirms arrival: delivered, with delivery.delivered',
    needs('receiver', 'people'),
    async (t) => {
      const app = await createApp(instance())
      const endpoint = await openEndpoint(t, app)
      const { otpId } = started(await app.server.send({ recipient: newPhone() }))
      assert.equal((await endpoint.event('delivery.delivered', otpId)).payload.status, 'delivered')
    },
  )

  test(
    '3 delivery, the message fails: failed, with delivery.failed, and the verification goes on',
    needs('receiver', 'people'),
    async (t) => {
      const app = await createApp(instance(), { ...inOrder('sms', 'telegram'), ...unhurried })
      const endpoint = await openEndpoint(t, app)
      const recipient = newPhone()
      await instance().simulator.behave(recipient, 'sms', 'fail')
      const { otpId } = started(await app.server.send({ recipient }))
      assert.equal((await endpoint.event('delivery.failed', otpId)).payload.status, 'failed')
      assert.equal(await statusOf(app, otpId), 'pending')
      started(await app.server.resend({ otp_id: otpId, channel: 'telegram' }))
      const code = await codeOf(instance(), recipient, 'telegram')
      assert.equal(accepted(await app.server.verify(otpId, code)).matched, true)
    },
  )
})
