import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { channels } from '../harness/simulator.ts'
import { eventually } from '../harness/wait.ts'
import {
  type App,
  codeOf,
  createApp,
  inOrder,
  resend,
  started,
  statusOf,
  unhurried,
  wrongCode,
} from './app.ts'
import { accepted, call, refused } from './calls.ts'
import { needs, useInstance } from './instance.ts'
import { newAddress, newEmail, newPhone, newRecipient } from './people.ts'

const instance = useInstance()

async function assertOnlyNewestIsGood({ server }: App, otpId: string, old: string, newest: string) {
  assert.notEqual(newest, old)
  assert.equal(accepted(await server.verify(otpId, old)).matched, false)
  assert.equal(accepted(await server.verify(otpId, newest)).matched, true)
}

describe('4.2 POST /otp/resend: the body', { concurrency: 4 }, () => {
  test(
    '4.2 the same verification goes on, and the response has the shape of send with the new channel',
    needs('settings'),
    async () => {
      const app = await createApp(instance(), { ...inOrder('sms', 'telegram'), ...unhurried })
      const sent = accepted(await app.server.send({ recipient: newPhone() }))
      const again = accepted(await app.server.resend({ otp_id: sent.otp_id }))
      assert.deepEqual(again, { ...sent, channel: 'telegram' })
    },
  )

  test('4.2 otp_id is required, and a string', needs('settings'), async () => {
    const { server } = await createApp(instance())
    for (const body of [{}, { otp_id: null }, { otp_id: 7 }, { channel: 'sms' }]) {
      assert.equal((await server.resend(body)).status, 422, JSON.stringify(body))
    }
  })

  test('4.2 channel is one of the four', needs('settings'), async () => {
    const app = await createApp(instance(), unhurried)
    const { otpId } = started(await app.server.send({ recipient: newPhone() }))
    for (const channel of ['pigeon', '', 'SMS', 5]) {
      assert.equal((await app.server.resend({ otp_id: otpId, channel })).status, 422, String(channel))
    }
  })

  test('4.2 channel null is a plain resend', needs('settings'), async () => {
    const app = await createApp(instance(), { ...inOrder('sms', 'telegram'), ...unhurried })
    const { otpId } = started(await app.server.send({ recipient: newPhone() }))
    const answer = await app.server.resend({ otp_id: otpId, channel: null })
    assert.equal(started(answer).channel, 'telegram')
  })

  test('4.2 a body without a Content-Type is read as JSON', needs('settings'), async () => {
    const { server } = await createApp(instance(), unhurried)
    const { otpId } = started(await server.send({ recipient: newPhone() }))
    const rawBody = JSON.stringify({ otp_id: otpId })
    started(await call(`${instance().url}/api/v1/otp/resend`, { key: server.key, rawBody }))
  })

  test('4.2 channel moves it onto exactly that channel, forward and back', needs('settings'), async () => {
    const app = await createApp(instance(), { ...inOrder('sms', 'whatsapp', 'telegram'), ...unhurried })
    const { otpId } = started(await app.server.send({ recipient: newPhone() }))
    for (const channel of ['telegram', 'sms', 'whatsapp', 'whatsapp'] as const) {
      assert.equal((await resend(app, otpId, channel)).channel, channel)
    }
  })

  test(
    '4.2 an enabled channel can be named also where the order leaves it out',
    needs('settings'),
    async () => {
      const app = await createApp(instance(), { ...inOrder('sms'), ...unhurried })
      const { otpId } = started(await app.server.send({ recipient: newPhone() }))
      assert.equal((await resend(app, otpId, 'telegram')).channel, 'telegram')
    },
  )

  test('4.2 a channel that is not enabled for the app is refused', needs('settings'), async () => {
    const settings = { ...unhurried, channels: { telegram: { enabled: false } } }
    const { server } = await createApp(instance(), settings)
    const { otpId } = started(await server.send({ recipient: newPhone() }))
    refused(await server.resend({ otp_id: otpId, channel: 'telegram' }), 409, 'ResendNotAllowedError')
  })

  test('4.2 a channel that cannot reach the recipient is refused', needs('settings'), async () => {
    const { server } = await createApp(instance(), unhurried)
    const phone = started(await server.send({ recipient: newPhone() }))
    const mailbox = started(await server.send({ recipient: newEmail() }))
    refused(await server.resend({ otp_id: phone.otpId, channel: 'email' }), 409, 'ResendNotAllowedError')
    refused(await server.resend({ otp_id: mailbox.otpId, channel: 'sms' }), 409, 'ResendNotAllowedError')
  })
})

describe('4.2 POST /otp/resend: rules 1 to 4', { concurrency: 4 }, () => {
  test(
    '4.2.1 a resend is judged with the address of its send: it counts there, not as one without',
    needs('settings'),
    async () => {
      const { server } = await createApp(instance(), {
        ...unhurried,
        limits: {
          ...unhurried.limits,
          ip: [{ max: 3, window_s: 600 }],
          flagged_ip: [{ max: 1, window_s: 600 }],
          app_without_ip: [{ max: 1, window_s: 600 }],
        },
      })
      const clientIp = newAddress()
      const { otpId } = started(await server.send({ recipient: newPhone(), client_ip: clientIp }))
      for (let count = 0; count < 2; count++) started(await server.resend({ otp_id: otpId }))
      const { message } = refused(await server.resend({ otp_id: otpId }), 429, 'RateLimitExceededError')
      assert.match(message, /ip/i)
      started(await server.send({ recipient: newPhone() }))
    },
  )

  test(
    '4.2.1 a resend is refused when the address of its send has become known as abusive',
    needs('settings', 'lists'),
    async () => {
      const { server } = await createApp(instance(), unhurried)
      const clientIp = newAddress()
      const listed = started(await server.send({ recipient: newPhone(), client_ip: clientIp }))
      const other = started(await server.send({ recipient: newPhone(), client_ip: newAddress() }))
      await instance().listAsAbusive(clientIp)
      await eventually(
        'the list has been read again',
        () => server.send({ recipient: newPhone(), client_ip: clientIp }),
        ({ status }) => status === 403,
      )
      refused(await server.resend({ otp_id: listed.otpId }), 403, 'IpReputationBlockedError')
      started(await server.resend({ otp_id: other.otpId }))
    },
  )

  test(
    '4.2.2 once the order is exhausted a plain resend repeats the last usable channel',
    needs('settings', 'people'),
    async () => {
      const app = await createApp(instance(), { ...inOrder('telegram', 'sms'), ...unhurried })
      const recipient = newPhone()
      const { otpId } = started(await app.server.send({ recipient }))
      const visited: unknown[] = []
      for (let count = 0; count < 4; count++) visited.push((await resend(app, otpId)).channel)
      assert.deepEqual(visited, ['sms', 'sms', 'sms', 'sms'])
      await instance().simulator.arrived(recipient, 'sms', 4)
    },
  )

  test(
    '4.2.2 the last usable channel: what cannot reach the recipient is no part of the order',
    needs('settings'),
    async () => {
      const app = await createApp(instance(), { ...inOrder('sms', 'telegram', 'email'), ...unhurried })
      const { otpId } = started(await app.server.send({ recipient: newPhone() }))
      assert.equal((await resend(app, otpId)).channel, 'telegram')
      assert.equal((await resend(app, otpId)).channel, 'telegram')
    },
  )

  for (const channel of channels) {
    test(
      `4.2.3 a plain resend on ${channel} brings the same code again`,
      needs('settings', 'people'),
      async () => {
        const app = await createApp(instance(), { ...inOrder(channel), ...unhurried })
        const recipient = newRecipient(channel)
        const { otpId } = started(await app.server.send({ recipient }))
        const first = await codeOf(instance(), recipient, channel)
        assert.equal((await resend(app, otpId)).channel, channel)
        assert.equal(await codeOf(instance(), recipient, channel, 2), first)
        assert.equal(accepted(await app.server.verify(otpId, first)).matched, true)
      },
    )
  }

  test(
    '4.2.3 a plain resend that moves to another channel brings the same code there',
    needs('settings', 'people'),
    async () => {
      const app = await createApp(instance(), { ...inOrder('sms', 'whatsapp', 'telegram'), ...unhurried })
      const recipient = newPhone()
      const { otpId } = started(await app.server.send({ recipient }))
      const first = await codeOf(instance(), recipient, 'sms')
      for (const channel of ['whatsapp', 'telegram'] as const) {
        assert.equal((await resend(app, otpId)).channel, channel)
        assert.equal(await codeOf(instance(), recipient, channel), first)
      }
    },
  )

  for (const channel of ['whatsapp', 'telegram'] as const) {
    test(
      `4.2.4 naming ${channel} delivers a fresh code there, and the old one is no longer good`,
      needs('settings', 'people'),
      async () => {
        const app = await createApp(instance(), { ...inOrder('sms', 'whatsapp', 'telegram'), ...unhurried })
        const recipient = newPhone()
        const { otpId } = started(await app.server.send({ recipient }))
        const first = await codeOf(instance(), recipient, 'sms')
        await resend(app, otpId, channel)
        await assertOnlyNewestIsGood(app, otpId, first, await codeOf(instance(), recipient, channel))
      },
    )
  }

  for (const channel of channels) {
    test(
      `4.2.4 naming ${channel} while on it delivers a fresh code`,
      needs('settings', 'people'),
      async () => {
        const app = await createApp(instance(), { ...inOrder(channel), ...unhurried })
        const recipient = newRecipient(channel)
        const { otpId } = started(await app.server.send({ recipient }))
        const first = await codeOf(instance(), recipient, channel)
        await resend(app, otpId, channel)
        await assertOnlyNewestIsGood(app, otpId, first, await codeOf(instance(), recipient, channel, 2))
      },
    )
  }

  test(
    '4.2 verify attempts belong to the verification: no resend brings new ones',
    needs('settings', 'people'),
    async () => {
      const app = await createApp(instance(), {
        ...inOrder('sms', 'telegram'),
        ...unhurried,
        max_verify_attempts: 2,
      })
      const recipient = newPhone()
      const { otpId } = started(await app.server.send({ recipient }))
      const code = await codeOf(instance(), recipient, 'sms')
      await app.server.verify(otpId, wrongCode(code))
      await resend(app, otpId)
      await app.server.verify(otpId, wrongCode(code))
      await app.server.verify(otpId, code)
      assert.notEqual(await statusOf(app, otpId), 'approved')
    },
  )
})
