import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { arrivalMs, throughout } from '../harness/wait.ts'
import { codeOf, createApp, linked, linkModes, openApp, sendTextOf, started, statusOf } from './app.ts'
import { accepted, call, refused } from './calls.ts'
import { needs, useInstance } from './instance.ts'
import { newAddress, newEmail, newPhone } from './people.ts'

const instance = useInstance()

/** Recipients that people try first, before they have read anything. */
const customaryRecipients = [
  ...['+15551234567', '+15550001111', '+15005550006', '+447700900123', '+1234567890'],
  ...['user@example.test', 'user@foo.example', 'üser@example.com'],
]

const invalidRecipients = [
  ...['', ' ', 'nobody', '12345', '4915112345678', '+', '+-', '+abc', '+49 151 12345678', '+49(151)12345678'],
  ...['+4915112345678 ', '++4915112345678', '+0123456789', '+1234567890123456', '+4915112345678x'],
  ...[
    'user@',
    '@example.com',
    'user@@example.com',
    'a@b@example.com',
    'us er@example.com',
    'user@exa mple.com',
  ],
]

describe('4.1 POST /otp/send: the body', { concurrency: 4 }, () => {
  for (const recipient of customaryRecipients) {
    test(`4.1 ${recipient} is a recipient, and its code arrives`, needs('settings', 'people'), async () => {
      const { server } = await createApp(instance())
      const { simulator } = instance()
      const channel = recipient.startsWith('+') ? 'sms' : 'email'
      const earlier = (await simulator.messages(recipient, channel)).length
      const { otpId } = started(await server.send({ recipient }))
      const code = await codeOf(instance(), recipient, channel, earlier + 1)
      assert.equal(accepted(await server.verify(otpId, code)).matched, true)
    })
  }

  for (const recipient of invalidRecipients) {
    test(
      `4.1 ${JSON.stringify(recipient)} as a recipient is 422 InvalidRecipientError`,
      needs('app'),
      async () => {
        const { server } = await openApp(instance())
        refused(await server.send({ recipient }), 422, 'InvalidRecipientError')
      },
    )
  }

  test('4.1 recipient is required, and a string', needs('app'), async () => {
    const { server } = await openApp(instance())
    for (const body of [
      {},
      { recipient: null },
      { recipient: 4_915_112_345_678 },
      { recipient: [newPhone()] },
    ]) {
      assert.equal((await server.send(body)).status, 422, JSON.stringify(body))
    }
  })

  test('4.1 locale chooses the language of the message', needs('app', 'people'), async () => {
    const { server } = await openApp(instance())
    const [english, german] = [newEmail(), newEmail()]
    started(await server.send({ recipient: english, locale: 'en' }))
    started(await server.send({ recipient: german, locale: 'de' }))
    const [one, other] = [
      await instance().simulator.arrived(english, 'email'),
      await instance().simulator.arrived(german, 'email'),
    ]
    const words = (text: string) => text.replace(/\d+/g, '').replaceAll(/\S+@\S+/g, '')
    assert.notEqual(words(one.text), words(other.text))
  })

  test('4.1 without a locale the setting of the app counts', needs('settings', 'people'), async () => {
    const { server } = await createApp(instance(), { default_locale: 'de' })
    const [plain, named] = [newEmail(), newEmail()]
    started(await server.send({ recipient: plain }))
    started(await server.send({ recipient: named, locale: 'de' }))
    const words = async (recipient: string) =>
      (await instance().simulator.arrived(recipient, 'email')).text.replace(/\d+/g, '')
    assert.equal(await words(plain), await words(named))
  })

  test('4.1 optional fields may be null', needs('app'), async () => {
    const { server } = await openApp(instance())
    started(await server.send({ recipient: newEmail(), locale: null, client_ip: null }))
  })

  test('4.1 a body without a Content-Type is read as JSON', needs('app'), async () => {
    const { server } = await openApp(instance())
    const rawBody = JSON.stringify({ recipient: newEmail(), client_ip: newAddress() })
    const answer = await call(`${instance().url}/api/v1/otp/send`, { key: server.key, rawBody })
    started(answer)
  })

  test('4.1 there is no channel field: the caller does not choose', needs('settings'), async () => {
    const { server } = await createApp(instance(), { routing: { default: ['sms', 'telegram'] } })
    const answer = await server.send({ recipient: newPhone(), channel: 'telegram' })
    assert.ok(answer.status === 422 || started(answer).channel === 'sms', answer.text)
  })

  test('4.1 the response is a pending verification', needs('app'), async () => {
    const { server } = await openApp(instance())
    const body = accepted(await server.send({ recipient: newEmail() }))
    assert.deepEqual(Object.keys(body).sort(), [
      'action_url',
      'channel',
      'completion',
      'masked_recipient',
      'otp_id',
      'status',
    ])
    assert.equal(body.status, 'pending')
  })
})

describe('4.1 POST /otp/send: WhatsApp link modes', { concurrency: 4 }, () => {
  for (const mode of linkModes) {
    test(
      `4.1 link modes 1 and 2: in ${mode} nothing is sent until the link of action_url is used`,
      needs('settings', 'people'),
      async () => {
        const app = await createApp(instance(), linked(mode, 'whatsapp', 'sms'))
        const recipient = newPhone()
        const { otpId, actionUrl, channel } = started(await app.server.send({ recipient }))
        assert.equal(channel, 'whatsapp')
        assert.match(String(actionUrl), /^https:\/\/wa\.me\/\d+\?text=./)
        await throughout(arrivalMs, async () =>
          assert.deepEqual(await instance().simulator.messages(recipient), []),
        )
        assert.equal(await statusOf(app, otpId), 'pending')
      },
    )
  }

  test(
    '4.1 link modes 3: completion code says that a code comes back to the user',
    needs('settings', 'people'),
    async () => {
      const app = await createApp(instance(), linked('link_code', 'whatsapp', 'sms'))
      const recipient = newPhone()
      const { otpId, actionUrl, completion } = started(await app.server.send({ recipient }))
      assert.equal(completion, 'code')
      await sendTextOf(instance(), recipient, actionUrl)
      const code = await codeOf(instance(), recipient, 'whatsapp')
      assert.equal(accepted(await app.server.verify(otpId, code)).matched, true)
    },
  )

  test(
    '4.1 link modes 3: completion inbound says that the message approves, and only that of the recipient',
    needs('settings', 'people'),
    async () => {
      const app = await createApp(instance(), linked('link_inbound', 'whatsapp', 'sms'))
      const recipient = newPhone()
      const { otpId, actionUrl, completion } = started(await app.server.send({ recipient }))
      assert.equal(completion, 'inbound')
      await sendTextOf(instance(), newPhone(), actionUrl)
      assert.equal(await statusOf(app, otpId), 'pending')
      await sendTextOf(instance(), recipient, actionUrl)
      assert.equal(await statusOf(app, otpId), 'approved')
    },
  )
})
