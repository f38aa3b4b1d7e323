import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { channels } from '../harness/simulator.ts'
import {
  clientOf,
  codeOf,
  createApp,
  inOrder,
  linked,
  linkModes,
  openApp,
  sendTextOf,
  started,
  unhurried,
  verifyOnDevice,
  wrongCode,
} from './app.ts'
import { accepted, type Fields, refused, string } from './calls.ts'
import { openEndpoint } from './endpoint.ts'
import { needs, useInstance } from './instance.ts'
import { newEmail, newPhone, newRecipient } from './people.ts'

const instance = useInstance()

const verificationFields = ['action_url', 'channel', 'completion', 'masked_recipient', 'otp_id', 'status']

function assertVerification(body: Fields): void {
  assert.deepEqual(Object.keys(body).sort(), verificationFields)
  for (const name of ['otp_id', 'status', 'channel', 'masked_recipient', 'completion']) {
    assert.equal(typeof body[name], 'string', name)
  }
  assert.ok(body.action_url === null || typeof body.action_url === 'string')
  assert.ok(['sms', 'whatsapp', 'telegram', 'email'].includes(string(body.channel)))
  assert.ok(['code', 'inbound'].includes(string(body.completion)))
  assert.equal(body.status, 'pending')
}

function assertMasked(masked: unknown, recipient: string): void {
  const [, prefix = '', suffix] = /^([^*]*)\*{4}([^*]+)$/.exec(string(masked)) ?? []
  // If the part before the at sign is a single character, none of it may be shown.
  const mayBeEmpty = recipient.indexOf('@') === 1
  assert.ok((prefix || mayBeEmpty) && suffix, `${masked} is not <prefix>****<suffix>`)
  assert.ok(recipient.startsWith(prefix) && recipient.endsWith(suffix), `${masked} is not of its recipient`)
}

describe('2.1 Verification', { concurrency: 4 }, () => {
  for (const channel of channels) {
    test(`2.1 the fields of send and resend on ${channel}`, needs('settings'), async () => {
      const { server } = await createApp(instance(), { ...inOrder(channel), ...unhurried })
      const recipient = newRecipient(channel)
      const sent = accepted(await server.send({ recipient }))
      const again = accepted(await server.resend({ otp_id: sent.otp_id }))
      for (const body of [sent, again]) {
        assertVerification(body)
        assertMasked(body.masked_recipient, recipient)
        assert.deepEqual([body.channel, body.action_url, body.completion], [channel, null, 'code'])
      }
      assert.equal(again.otp_id, sent.otp_id)
    })
  }

  for (const mode of linkModes) {
    test(
      `2.1 the fields on WhatsApp in ${mode}, where action_url is a wa.me link with text in it`,
      needs('settings'),
      async () => {
        const { server } = await createApp(instance(), linked(mode, 'whatsapp'))
        const body = accepted(await server.send({ recipient: newPhone() }))
        assertVerification(body)
        assert.equal(body.channel, 'whatsapp')
        assert.equal(body.completion, mode === 'link_code' ? 'code' : 'inbound')
        const { origin, pathname, searchParams } = new URL(string(body.action_url))
        assert.equal(origin, 'https://wa.me')
        assert.match(pathname, /^\/\d+$/)
        assert.ok(searchParams.get('text'))
      },
    )

    test(`2.1 action_url is null on other channels also in ${mode}`, needs('settings'), async () => {
      const { server } = await createApp(instance(), linked(mode, 'sms', 'whatsapp', 'email'))
      for (const recipient of [newPhone(), newEmail()]) {
        const { actionUrl, completion } = started(await server.send({ recipient }))
        assert.deepEqual([actionUrl, completion], [null, 'code'])
      }
    })
  }

  test('2.1 every verification has an otp_id of its own', needs('app'), async () => {
    const { server } = await openApp(instance())
    const ids = new Set<string>()
    for (let count = 0; count < 3; count++)
      ids.add(started(await server.send({ recipient: newEmail() })).otpId)
    assert.equal(ids.size, 3)
  })

  for (const recipient of [newPhone(), newEmail(), '+1234567890', 'jo@example.com', 'a@example.co']) {
    test(`2.1 most characters of ${recipient} are masked`, needs('settings'), async () => {
      const { server } = await createApp(instance())
      const { masked_recipient: masked } = accepted(await server.send({ recipient }))
      assertMasked(masked, recipient)
      // In an email address only the local part is masked; the domain only says where the mail goes.
      const own = recipient.split('@')[0] ?? ''
      const shown = string(masked).split('@')[0]?.replace('****', '').length ?? 0
      assert.ok(shown <= Math.max(1, own.length / 2), `${masked} shows ${shown} of ${own.length} characters`)
    })
  }

  test(
    '2.1 the otp_id is what verify, resend and the look-up take',
    needs('settings', 'people'),
    async () => {
      const { server } = await createApp(instance(), unhurried)
      const recipient = newEmail()
      const { otpId } = started(await server.send({ recipient }))
      assert.equal(accepted(await server.lookUp(otpId)).otp_id, otpId)
      assert.equal(started(await server.resend({ otp_id: otpId })).otpId, otpId)
      const code = await codeOf(instance(), recipient, 'email', 2)
      assert.equal(accepted(await server.verify(otpId, code)).otp_id, otpId)
    },
  )
})

describe('2.2 Verification token exchange result', { concurrency: 4 }, () => {
  for (const channel of channels) {
    test(`2.2 the fields after a code by ${channel}`, needs('settings', 'people'), async () => {
      const app = await createApp(instance(), inOrder(channel))
      const recipient = newRecipient(channel)
      const { otpId, token } = await verifyOnDevice(instance(), app, recipient, channel)
      const { verified_at: verifiedAt, ...others } = accepted(await app.server.exchange(token))
      assert.deepEqual(others, {
        otp_id: otpId,
        recipient,
        recipient_type: channel === 'email' ? 'email' : 'phone',
        channel,
      })
      assert.match(string(verifiedAt), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
    })
  }

  test(
    '2.2 channel is the one that the verified code was delivered on',
    needs('settings', 'people'),
    async () => {
      const { server, device } = await createApp(instance(), { ...inOrder('sms', 'telegram'), ...unhurried })
      const recipient = newPhone()
      const { otpId } = started(await device.send({ recipient }))
      started(await device.resend({ otp_id: otpId, channel: 'telegram' }))
      const code = await codeOf(instance(), recipient, 'telegram')
      const { verification_token: token } = accepted(await device.verify(otpId, code))
      assert.equal(accepted(await server.exchange(token)).channel, 'telegram')
    },
  )

  test(
    '2.2 channel is whatsapp when the code came as a reply to the link',
    needs('settings', 'people'),
    async () => {
      const { server, device } = await createApp(instance(), linked('link_code', 'whatsapp', 'sms'))
      const recipient = newPhone()
      const { otpId, actionUrl } = started(await device.send({ recipient }))
      await sendTextOf(instance(), recipient, actionUrl)
      const code = await codeOf(instance(), recipient, 'whatsapp')
      const { verification_token: token } = accepted(await device.verify(otpId, code))
      assert.equal(accepted(await server.exchange(token)).channel, 'whatsapp')
    },
  )

  test(
    '2.2 verified_at is when the right code was entered, not when the token is exchanged',
    needs('device', 'people'),
    async () => {
      const { server, device } = await openApp(instance())
      const recipient = newEmail()
      const { otpId } = started(await device.send({ recipient }))
      const code = await codeOf(instance(), recipient, 'email')
      const verified = accepted(await device.verify(otpId, code))
      const { verified_at: verifiedAt } = accepted(await server.exchange(verified.verification_token))
      assert.equal(verifiedAt, verified.verified_at)
      const clocksMayDifferMs = 120_000
      assert.ok(Math.abs(Date.parse(string(verifiedAt)) - Date.now()) < clocksMayDifferMs)
    },
  )
})

describe('2.3 and 2.4 Verification token, delivery', { concurrency: 4 }, () => {
  test(
    '2.3 a token starts with otp_vt_ and has at most 128 characters',
    needs('device', 'people'),
    async () => {
      const app = await openApp(instance())
      const { token } = await verifyOnDevice(instance(), app, newEmail(), 'email')
      assert.ok(token.startsWith('otp_vt_') && token.length <= 128, `${token.length} characters`)
    },
  )

  test('2.3 a wrong code brings no token', needs('device', 'people'), async () => {
    const { device } = await openApp(instance())
    const recipient = newEmail()
    const { otpId } = started(await device.send({ recipient }))
    const code = await codeOf(instance(), recipient, 'email')
    const { matched, verification_token: token } = await device.verify(otpId, wrongCode(code)).then(accepted)
    assert.deepEqual([matched, token ?? null], [false, null])
  })

  test('2.3 a token has one purpose: it is no key', needs('device', 'people'), async () => {
    const app = await openApp(instance())
    const { token } = await verifyOnDevice(instance(), app, newEmail(), 'email')
    refused(await clientOf(instance().url, token).exchange(token), 401, 'HTTPException')
  })

  for (const [outcome, status] of [
    ['deliver', 'delivered'],
    ['fail', 'failed'],
  ] as const) {
    test(
      `2.4 a delivery that is ${status} has a delivery_id and that status in its event`,
      needs('receiver', 'people'),
      async (t) => {
        const app = await createApp(instance(), inOrder('sms'))
        const endpoint = await openEndpoint(t, app)
        const recipient = newPhone()
        await instance().simulator.behave(recipient, 'sms', outcome)
        const { otpId } = started(await app.server.send({ recipient }))
        const { payload } = await endpoint.event(`delivery.${status}`, otpId)
        assert.equal(payload.status, status)
        assert.ok(string(payload.delivery_id).length > 0)
      },
    )
  }
})
