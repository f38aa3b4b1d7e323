import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { channels } from '../harness/simulator.ts'
import {
  codeOf,
  createApp,
  inOrder,
  linked,
  openApp,
  sendTextOf,
  started,
  statusOf,
  unhurried,
  verifyOnDevice,
} from './app.ts'
import { accepted, call, string } from './calls.ts'
import { needs, useInstance } from './instance.ts'
import { newEmail, newPhone, newRecipient } from './people.ts'

const instance = useInstance()

describe('1 What the service does', { concurrency: 4 }, () => {
  for (const [what, newOne] of Object.entries({ 'a phone number': newPhone, 'an email address': newEmail })) {
    test(`1 it verifies that somebody controls ${what}`, needs('app', 'people'), async () => {
      const app = await openApp(instance())
      const recipient = newOne()
      const { otpId } = started(await app.server.send({ recipient }))
      const { text } = await instance().simulator.arrived(
        recipient,
        what === 'a phone number' ? 'sms' : 'email',
      )
      const code = string(/\d{4,8}/.exec(text)?.[0])
      accepted(await app.server.verify(otpId, code))
      assert.equal(await statusOf(app, otpId), 'approved')
    })
  }

  for (const channel of channels) {
    test(`1 a code is delivered by ${channel}`, needs('settings', 'people'), async () => {
      const app = await createApp(instance(), inOrder(channel))
      const recipient = newRecipient(channel)
      const sent = started(await app.server.send({ recipient }))
      assert.equal(sent.channel, channel)
      const code = await codeOf(instance(), recipient, channel)
      accepted(await app.server.verify(sent.otpId, code))
      assert.equal(await statusOf(app, sent.otpId), 'approved')
    })
  }

  test(
    '1 a default order chooses the channel, unless the country has one of its own',
    needs('settings'),
    async () => {
      const routing = { default: ['telegram', 'sms'], countries: { GB: ['whatsapp', 'sms'] } }
      const { server } = await createApp(instance(), { routing })
      const german = started(await server.send({ recipient: newPhone() }))
      const british = started(await server.send({ recipient: '+447400123456' }))
      assert.deepEqual([german.channel, british.channel], ['telegram', 'whatsapp'])
    },
  )

  test(
    '1 the recipient chooses too: the same order reaches a mailbox by email',
    needs('settings'),
    async () => {
      const { server } = await createApp(instance(), inOrder('whatsapp', 'sms', 'telegram', 'email'))
      assert.equal(started(await server.send({ recipient: newEmail() })).channel, 'email')
      assert.equal(started(await server.send({ recipient: newPhone() })).channel, 'whatsapp')
    },
  )

  test('1 a resend moves to the next enabled channel, or to a named one', needs('settings'), async () => {
    const { server } = await createApp(instance(), {
      ...inOrder('sms', 'whatsapp', 'telegram'),
      ...unhurried,
    })
    const { otpId } = started(await server.send({ recipient: newPhone() }))
    assert.equal(started(await server.resend({ otp_id: otpId })).channel, 'whatsapp')
    assert.equal(started(await server.resend({ otp_id: otpId, channel: 'sms' })).channel, 'sms')
  })

  test(
    '1 completion inbound: the message of the person approves, without a code and a verify call',
    needs('settings', 'people'),
    async () => {
      const app = await createApp(instance(), linked('link_inbound', 'whatsapp', 'sms'))
      const recipient = newPhone()
      const { otpId, completion, actionUrl } = started(await app.server.send({ recipient }))
      assert.equal(completion, 'inbound')
      await sendTextOf(instance(), recipient, actionUrl)
      assert.equal(await statusOf(app, otpId), 'approved')
      assert.deepEqual(await instance().simulator.messages(recipient), [])
    },
  )

  test(
    '1 a device gets a token when it verifies, which the backend exchanges for the recipient',
    needs('device', 'people'),
    async () => {
      const app = await openApp(instance())
      const recipient = newEmail()
      const { token, otpId } = await verifyOnDevice(instance(), app, recipient, 'email')
      const proof = accepted(await app.server.exchange(token))
      assert.deepEqual([proof.recipient, proof.otp_id], [recipient, otpId])
    },
  )

  test('1 a device sees whether the code matched', needs('device', 'people'), async () => {
    const { device } = await openApp(instance())
    const recipient = newEmail()
    const { otpId } = started(await device.send({ recipient }))
    const code = await codeOf(instance(), recipient, 'email')
    assert.equal(accepted(await device.verify(otpId, code)).matched, true)
  })

  test('1 no endpoint returns the code', needs('settings', 'people'), async () => {
    const app = await createApp(instance(), { ...inOrder('sms', 'telegram'), ...unhurried })
    const recipient = newPhone()
    const sent = await app.device.send({ recipient })
    const { otpId } = started(sent)
    const code = await codeOf(instance(), recipient, 'sms')
    const verified = await app.device.verify(otpId, code)
    const other = await app.server.send({ recipient })
    const answers = [
      sent,
      verified,
      other,
      await app.server.resend({ otp_id: started(other).otpId }),
      await app.server.lookUp(otpId),
      await app.device.lookUp(otpId),
      await app.server.exchange(verified.body.verification_token),
    ]
    const codes = [code, await codeOf(instance(), recipient, 'sms', 2)]
    for (const answer of answers) {
      accepted(answer)
      const numbers: readonly string[] = answer.text.match(/(?<![0-9a-z])\d+(?![0-9a-z])/gi) ?? []
      assert.ok(!codes.some((secret) => numbers.includes(secret)), 'an answer holds the code')
    }
  })

  test('1 bodies are JSON, of answers and of refusals', needs('app'), async () => {
    const { server } = await openApp(instance())
    const good = await server.send({ recipient: newEmail() })
    const refusal = await server.send({ recipient: 'nobody' })
    const stranger = await call(`${instance().url}/api/v1/otp/send`, { body: { recipient: newEmail() } })
    assert.deepEqual([good.status, refusal.status, stranger.status], [200, 422, 401])
    for (const { headers } of [good, refusal, stranger]) {
      assert.match(headers.get('content-type') ?? '', /^application\/json\b/)
    }
  })
})
