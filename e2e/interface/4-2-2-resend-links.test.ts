import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { arrivalMs, throughout } from '../harness/wait.ts'
import {
  codeOf,
  createApp,
  linked,
  linkModes,
  resend,
  sendTextOf,
  started,
  statusOf,
  unhurried,
} from './app.ts'
import { accepted } from './calls.ts'
import { needs, useInstance } from './instance.ts'
import { newPhone } from './people.ts'

const instance = useInstance()

for (const mode of linkModes) {
  const completion = mode === 'link_code' ? 'code' : 'inbound'
  describe(`4.2 POST /otp/resend: rules 5 to 8 in ${mode}`, { concurrency: 4 }, () => {
    test('4.2.5 a plain resend skips WhatsApp where it is not first', needs('settings'), async () => {
      const app = await createApp(instance(), {
        ...linked(mode, 'sms', 'whatsapp', 'telegram'),
        ...unhurried,
      })
      const { otpId } = started(await app.server.send({ recipient: newPhone() }))
      const moved = await resend(app, otpId)
      assert.deepEqual([moved.channel, moved.actionUrl], ['telegram', null])
    })

    test(
      '4.2.5 a plain resend skips WhatsApp where it is last, and repeats the last usable channel',
      needs('settings'),
      async () => {
        const app = await createApp(instance(), { ...linked(mode, 'sms', 'whatsapp'), ...unhurried })
        const { otpId } = started(await app.server.send({ recipient: newPhone() }))
        const moved = await resend(app, otpId)
        assert.deepEqual([moved.channel, moved.actionUrl], ['sms', null])
      },
    )

    test('4.2.5 a plain resend does not skip WhatsApp where it is first', needs('settings'), async () => {
      const app = await createApp(instance(), { ...linked(mode, 'whatsapp', 'sms'), ...unhurried })
      const sent = started(await app.server.send({ recipient: newPhone() }))
      const again = await resend(app, sent.otpId)
      assert.deepEqual([again.channel, again.actionUrl], ['whatsapp', sent.actionUrl])
    })

    test(
      '4.2.6 naming whatsapp moves it there anyway, with an action_url that finishes it',
      needs('settings', 'people'),
      async () => {
        const app = await createApp(instance(), {
          ...linked(mode, 'sms', 'whatsapp', 'telegram'),
          ...unhurried,
        })
        const recipient = newPhone()
        const { otpId } = started(await app.server.send({ recipient }))
        const moved = await resend(app, otpId, 'whatsapp')
        assert.deepEqual([moved.channel, moved.completion], ['whatsapp', completion])
        assert.match(String(moved.actionUrl), /^https:\/\/wa\.me\/\d+\?text=./)
        await throughout(arrivalMs, async () =>
          assert.deepEqual(await instance().simulator.messages(recipient, 'whatsapp'), []),
        )
        await sendTextOf(instance(), recipient, moved.actionUrl)
        if (mode === 'link_code') {
          accepted(await app.server.verify(otpId, await codeOf(instance(), recipient, 'whatsapp')))
        }
        assert.equal(await statusOf(app, otpId), 'approved')
      },
    )

    test(
      '4.2.7 a later plain resend returns the same link again, also to one that was moved there',
      needs('settings'),
      async () => {
        const app = await createApp(instance(), {
          ...linked(mode, 'sms', 'whatsapp', 'telegram'),
          ...unhurried,
        })
        const { otpId } = started(await app.server.send({ recipient: newPhone() }))
        const moved = await resend(app, otpId, 'whatsapp')
        for (let count = 0; count < 2; count++) assert.deepEqual(await resend(app, otpId), moved)
      },
    )

    test('4.2.7 the link that is returned again still finishes it', needs('settings', 'people'), async () => {
      const app = await createApp(instance(), { ...linked(mode, 'whatsapp', 'sms'), ...unhurried })
      const recipient = newPhone()
      const { otpId } = started(await app.server.send({ recipient }))
      await sendTextOf(instance(), recipient, (await resend(app, otpId)).actionUrl)
      if (mode === 'link_code') {
        accepted(await app.server.verify(otpId, await codeOf(instance(), recipient, 'whatsapp')))
      }
      assert.equal(await statusOf(app, otpId), 'approved')
    })

    test(
      '4.2.8 naming sms delivers a fresh code, with action_url null, and verify finishes it',
      needs('settings', 'people'),
      async () => {
        const app = await createApp(instance(), { ...linked(mode, 'whatsapp', 'sms'), ...unhurried })
        const recipient = newPhone()
        const { otpId } = started(await app.server.send({ recipient }))
        const moved = await resend(app, otpId, 'sms')
        assert.deepEqual([moved.channel, moved.actionUrl, moved.completion], ['sms', null, 'code'])
        const code = await codeOf(instance(), recipient, 'sms')
        assert.equal(accepted(await app.server.verify(otpId, code)).matched, true)
        assert.equal(await statusOf(app, otpId), 'approved')
      },
    )

    test('4.2.8 naming telegram moves it off WhatsApp as well', needs('settings', 'people'), async () => {
      const app = await createApp(instance(), {
        ...linked(mode, 'whatsapp', 'sms', 'telegram'),
        ...unhurried,
      })
      const recipient = newPhone()
      const { otpId } = started(await app.server.send({ recipient }))
      const moved = await resend(app, otpId, 'telegram')
      assert.deepEqual([moved.channel, moved.actionUrl, moved.completion], ['telegram', null, 'code'])
      const code = await codeOf(instance(), recipient, 'telegram')
      assert.equal(accepted(await app.server.verify(otpId, code)).matched, true)
    })

    test(
      '4.2.8 once it is off WhatsApp a plain resend does not take it back',
      needs('settings'),
      async () => {
        const app = await createApp(instance(), { ...linked(mode, 'whatsapp', 'sms'), ...unhurried })
        const { otpId } = started(await app.server.send({ recipient: newPhone() }))
        await resend(app, otpId, 'sms')
        const again = await resend(app, otpId)
        assert.deepEqual([again.channel, again.actionUrl, again.completion], ['sms', null, 'code'])
      },
    )
  })
}
