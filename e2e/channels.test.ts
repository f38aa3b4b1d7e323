import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openingBalance, prices } from './harness/app.ts'
import { newEmail, newPhone, newRecipient } from './harness/people.ts'
import { useService } from './harness/service.ts'
import { channels, codeIn, phoneChannels } from './harness/simulator.ts'

const service = useService()

describe('a channel, from end to end', { concurrency: true }, () => {
  for (const channel of channels) {
    test(`${channel}: the code arrives, the receipt is believed, and the code approves`, async () => {
      const { createApp, simulator } = service()
      const app = await createApp({ routing: { default: [channel] } })
      const recipient = newRecipient(channel)
      const sent = await app.send({ recipient })
      assert.equal(sent.status, 'pending')
      assert.equal(sent.channel, channel)
      assert.equal(sent.action_url, null)
      assert.equal(sent.completion, 'code')

      const message = await simulator.arrived(recipient, channel)
      assert.equal(message.to, recipient)
      const delivery = await app.delivery(sent.otp_id, 'delivered')
      assert.equal(delivery.channel, channel)
      assert.equal(delivery.error, null)

      const verdict = await app.verify(sent.otp_id, codeIn(message.text))
      assert.deepEqual([verdict.matched, verdict.status, verdict.channel], [true, 'approved', channel])
      const status = await app.status(sent.otp_id)
      assert.equal(status.status, 'approved')
      assert.ok(status.verified_at)
      assert.equal((await simulator.messages(recipient)).length, 1)
      assert.equal(await app.balance(), openingBalance - prices[channel])
      assert.deepEqual(await app.ledgerKinds(sent.otp_id), ['reserve', 'capture'])
    })
  }

  test('a mail has the code in both of its parts and not in its subject', async () => {
    const { createApp, simulator } = service()
    const app = await createApp({ routing: { default: ['email'] } })
    const recipient = newEmail()
    await app.send({ recipient, locale: 'de' })
    const { text, subject = '', html = '' } = await simulator.arrived(recipient, 'email')
    const code = codeIn(text)
    assert.ok(html.includes(code))
    assert.match(html, /<html[^>]*lang="de"/)
    assert.equal(subject, 'Ihr Bestätigungscode für Acme Shop')
    assert.doesNotMatch(subject, /\d/)
    assert.match(text, /Gültig für 10 Minuten\./)
  })

  const texts = {
    en: '{code} is your Acme Shop code. Do not share it with anyone.',
    de: '{code} ist Ihr Code für Acme Shop. Geben Sie ihn nicht weiter.',
    'pt-BR': '{code} é seu código para Acme Shop.',
    ar: null,
    'es-MX': '{code} es tu clave de un solo uso para Acme Shop. No la compartas.',
    'xx-YY': '{code} is your Acme Shop code. Do not share it with anyone.',
  } as const
  for (const [locale, expected] of Object.entries(texts)) {
    test(`an SMS for ${locale} is written in the nearest language, in one piece`, async () => {
      const { createApp, simulator } = service()
      const app = await createApp({ routing: { default: ['sms'] } })
      const recipient = newPhone()
      const { otp_id: otpId } = await app.send({ recipient, locale })
      const { text } = await simulator.arrived(recipient, 'sms')
      const code = codeIn(text)
      if (expected !== null)
        assert.ok(text.startsWith(expected.replace('{code}', code)), text.replace(code, '…'))
      else assert.match(text, /\p{Script=Arabic}/u)
      assert.equal((await app.verify(otpId, code)).matched, true)
    })
  }

  test('the default language is that of the app', async () => {
    const { createApp, simulator } = service()
    const app = await createApp({ routing: { default: ['sms'] }, default_locale: 'fr' })
    const recipient = newPhone()
    await app.send({ recipient })
    const { text } = await simulator.arrived(recipient, 'sms')
    assert.match(text, /Acme Shop/)
    assert.doesNotMatch(text, / is your /)
  })

  test('codes of four and of eight digits arrive whole on every channel', async () => {
    const { createApp, simulator } = service()
    for (const length of [4, 8]) {
      await Promise.all(
        channels.map(async (channel) => {
          const app = await createApp({ routing: { default: [channel] }, code_length: length })
          const recipient = newRecipient(channel)
          const { otp_id: otpId } = await app.send({ recipient })
          const { text } = await simulator.arrived(recipient, channel)
          // The text also has the lifetime in minutes, which is shorter than any code.
          assert.equal((await app.verify(otpId, codeIn(text, length))).matched, true, channel)
        }),
      )
    }
  })

  test('a country has its own order, and a number goes by its own country', async () => {
    const { createApp, simulator } = service()
    const routing = { default: ['sms'], countries: { GB: ['telegram'], US: ['whatsapp'] } }
    const app = await createApp({ routing })
    const british = newPhone()
    assert.equal((await app.send({ recipient: british })).channel, 'telegram')
    await simulator.arrived(british, 'telegram')
    // +1 242 is the Bahamas, not the United States.
    assert.equal((await app.send({ recipient: '+12423591234' })).channel, 'sms')
  })

  test('what reaches phones does not reach mailboxes, nor the other way round', async () => {
    const { createApp } = service()
    const mailOnly = await createApp({ routing: { default: ['email'] } })
    const phonesOnly = await createApp({ routing: { default: [...phoneChannels] } })
    for (const refused of [
      await mailOnly.refusedSend({ recipient: newPhone() }),
      await phonesOnly.refusedSend({ recipient: newEmail() }),
    ]) {
      assert.equal(refused.status, 409)
      assert.equal(refused.body.error.type, 'NoEnabledChannelError')
    }
    assert.equal(await mailOnly.balance(), openingBalance)
  })
})
