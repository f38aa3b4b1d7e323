import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Delivery, openingBalance, prices } from './harness/app.ts'
import { type CarrierAccount, type CarrierChannel, openAccount, type Taken } from './harness/carrier.ts'
import { newEmail, newPhone } from './harness/people.ts'
import { findPorts } from './harness/process.ts'
import { useService } from './harness/service.ts'
import { codeIn } from './harness/simulator.ts'
import { converse } from './harness/smtp.ts'

let bouncePort = 0
const service = useService(async () => {
  bouncePort = (await findPorts()).http
  return { BOUNCE_PORT: String(bouncePort) }
})
const carrierChannels = ['whatsapp', 'telegram'] as const

const only = (channel: CarrierChannel) => ({ routing: { default: [channel] } })

async function sendThrough(channel: CarrierChannel) {
  const app = await service().createApp(only(channel))
  const account = await openAccount(service(), app, channel)
  const { otp_id: otpId } = await app.send({ recipient: newPhone() })
  const delivery = await app.delivery(otpId, 'sent')
  const taken = takenBy(account, delivery.delivery_id)
  return { app, account, otpId, delivery, taken }
}

function takenBy({ carrier }: CarrierAccount, deliveryId: string): Taken {
  const taken = carrier.taken.find((message) => message.deliveryId === deliveryId)
  assert.ok(taken, 'the carrier must have been told the delivery')
  return taken
}

type Word = 'sent' | 'delivered' | 'read' | 'failed'
const sequences: readonly (readonly [readonly Word[], Delivery['status']])[] = [
  [['sent', 'sent'], 'sent'],
  [['delivered'], 'delivered'],
  [['read'], 'delivered'],
  [['read', 'delivered', 'sent'], 'delivered'],
  [['delivered', 'delivered', 'read', 'read'], 'delivered'],
  [['delivered', 'failed'], 'delivered'],
  [['sent', 'failed', 'sent'], 'failed'],
  [['failed', 'delivered'], 'failed'],
  [['failed', 'failed', 'failed'], 'failed'],
  [['failed', 'read', 'failed'], 'failed'],
]

describe('receipts', { concurrency: 6 }, () => {
  for (const channel of carrierChannels) {
    for (const [words, expected] of sequences) {
      test(`${channel}: ${words.join(', ')} leaves the delivery ${expected}, and the money right`, async () => {
        const { app, account, otpId, taken } = await sendThrough(channel)
        for (const word of words) assert.equal(await account.callBack(account.receipt(word, taken)), 200)
        const { deliveries, status } = await app.status(otpId)
        assert.deepEqual(
          deliveries.map((delivery) => delivery.status),
          [expected],
        )
        assert.equal(status, 'pending')
        const isPaid = expected !== 'failed'
        assert.equal(await app.balance(), openingBalance - (isPaid ? prices[channel] : 0))
        const kinds = isPaid ? ['capture', 'reserve'] : ['capture', 'reserve', 'return']
        assert.deepEqual((await app.ledgerKinds(otpId)).sort(), kinds)
      })
    }

    test(`${channel}: the same receipt many times at once is one`, async () => {
      const { app, account, otpId, taken } = await sendThrough(channel)
      const failed = account.receipt('failed', taken)
      const answers = await Promise.all(Array.from({ length: 20 }, () => account.callBack(failed)))
      assert.deepEqual([...new Set(answers)], [200])
      assert.equal((await app.status(otpId)).deliveries[0]?.status, 'failed')
      assert.equal(await app.balance(), openingBalance)
      assert.deepEqual((await app.ledgerKinds(otpId)).sort(), ['capture', 'reserve', 'return'])
    })

    for (const word of ['delivered', 'failed'] as const) {
      test(`${channel}: ${word}, before the carrier has answered the send, is believed and stays`, async () => {
        const app = await service().createApp(only(channel))
        const account = await openAccount(service(), app, channel)
        account.carrier.onSend = async (taken) => {
          assert.equal(await account.callBack(account.receipt(word, taken)), 200)
          return null
        }
        const { otp_id: otpId } = await app.send({ recipient: newPhone() })
        const early = await app.delivery(otpId, word)
        // Another message through the same account: by then the first one's answer has been written.
        account.carrier.onSend = async () => null
        await app.delivery((await app.send({ recipient: newPhone() })).otp_id, 'sent')
        assert.deepEqual((await app.status(otpId)).deliveries, [early])
        const spent = prices[channel] * (word === 'delivered' ? 2 : 1)
        assert.equal(await app.balance(), openingBalance - spent)
      })
    }

    test(`${channel}: a receipt that names the message as the carrier does is believed`, async () => {
      const { app, account, otpId, taken } = await sendThrough(channel)
      const { messageId } = taken
      assert.equal(await account.callBack(account.receipt('delivered', { messageId })), 200)
      await app.delivery(otpId, 'delivered')
    })

    test(`${channel}: a receipt for a message that nobody knows is taken and changes nothing`, async () => {
      const { app, account, otpId, delivery } = await sendThrough(channel)
      const unknown = { messageId: 'wamid.unknown', deliveryId: delivery.delivery_id.replace(/.$/, '!') }
      assert.equal(await account.callBack(account.receipt('failed', unknown)), 200)
      assert.deepEqual((await app.status(otpId)).deliveries, [delivery])
    })

    test(`${channel}: another account, even with a good signature, has no say`, async () => {
      const { app, otpId, delivery, taken } = await sendThrough(channel)
      const stranger = await openAccount(service(), await service().createApp(), channel)
      assert.equal(await stranger.callBack(stranger.receipt('failed', taken)), 200)
      const other = channel === 'whatsapp' ? 'telegram' : 'whatsapp'
      const colleague = await openAccount(service(), app, other)
      assert.equal(await colleague.callBack(colleague.receipt('failed', taken)), 200)
      assert.deepEqual((await app.status(otpId)).deliveries, [delivery])
    })

    test(`${channel}: when a second account steps in, its receipt counts, however early it comes`, async () => {
      const app = await service().createApp(only(channel))
      const broken = await openAccount(service(), app, channel, 10)
      const good = await openAccount(service(), app, channel, 1)
      const [first, second] = preferred(broken, good, await probe())
      first.carrier.onSend = async () => ({
        status: channel === 'telegram' ? 200 : 401,
        body:
          channel === 'telegram'
            ? { ok: false, error: 'ACCESS_TOKEN_INVALID' }
            : { error: { code: 190, message: 'Bad token' } },
      })
      second.carrier.onSend = async (taken) => {
        await second.callBack(second.receipt('delivered', taken))
        return null
      }
      for (let round = 0; round < 2; round++) {
        const { otp_id: otpId } = await app.send({ recipient: newPhone() })
        await app.delivery(otpId, 'delivered')
      }

      /** Which of the two the service prefers. */
      async function probe(): Promise<string> {
        const { otp_id: otpId } = await app.send({ recipient: newPhone() })
        const { delivery_id: deliveryId } = await app.delivery(otpId, 'sent')
        return broken.carrier.taken.some((taken) => taken.deliveryId === deliveryId)
          ? broken.providerId
          : good.providerId
      }
    })
  }

  test('an unreachable number comes as a receipt on WhatsApp, and is remembered', async () => {
    const app = await service().createApp({ routing: { default: ['whatsapp', 'sms'] } })
    const recipient = newPhone()
    await service().simulator.behave(recipient, 'whatsapp', 'unreachable')
    const { otp_id: otpId } = await app.send({ recipient })
    await app.delivery(otpId, 'failed')
    assert.equal((await app.send({ recipient })).channel, 'sms')
  })

  test('a webhook that WhatsApp repeats is one message: one answer with the code', async () => {
    const app = await service().createApp({
      ...only('whatsapp'),
      channels: { whatsapp: { mode: 'link_code' } },
    })
    const account = await openAccount(service(), app, 'whatsapp')
    const recipient = newPhone()
    const { otp_id: otpId, action_url: actionUrl } = await app.send({ recipient })
    const { pathname, searchParams } = new URL(actionUrl ?? '')
    assert.equal(`+${pathname.slice(1)}`, account.number)
    const message = account.inbound(recipient, searchParams.get('text') ?? '')
    for (let round = 0; round < 3; round++) assert.equal(await account.callBack(message), 200)
    await app.delivery(otpId, 'sent')
    assert.equal((await app.status(otpId)).deliveries.length, 1)
    assert.equal(account.carrier.taken.length, 1)
    assert.equal((await app.verify(otpId, codeIn(account.carrier.taken[0]?.code ?? ''))).matched, true)
  })

  test('a message to one business number does not approve a link of another', async () => {
    const settings = { ...only('whatsapp'), channels: { whatsapp: { mode: 'link_inbound' } } }
    const app = await service().createApp(settings)
    const account = await openAccount(service(), app, 'whatsapp')
    const stranger = await openAccount(service(), await service().createApp(settings), 'whatsapp')
    const recipient = newPhone()
    const { otp_id: otpId, action_url: actionUrl } = await app.send({ recipient })
    const text = new URL(actionUrl ?? '').searchParams.get('text') ?? ''
    assert.equal(await stranger.callBack(stranger.inbound(recipient, text)), 200)
    assert.equal((await app.status(otpId)).status, 'pending')
    assert.equal(await account.callBack(account.inbound(recipient, text)), 200)
    assert.equal((await app.status(otpId)).status, 'approved')
  })
})

function preferred(one: CarrierAccount, other: CarrierAccount, providerId: string) {
  return one.providerId === providerId ? ([one, other] as const) : ([other, one] as const)
}

describe('callbacks that nobody signed', { concurrency: 6 }, () => {
  for (const channel of carrierChannels) {
    test(`${channel}: a wrong, missing or borrowed signature is 401, and nothing changes`, async () => {
      const { app, account, otpId, delivery, taken } = await sendThrough(channel)
      const { body, headers } = account.receipt('failed', taken)
      const other = account.receipt('delivered', taken)
      const swapped = { ...headers, 'x-hub-signature-256': 'sha1=00', 'x-request-signature': 'x'.repeat(64) }
      const emptied = Object.fromEntries(Object.keys(headers).map((name) => [name, '']))
      const forgeries = [
        { body, headers: {} },
        { body, headers: emptied },
        { body, headers: swapped },
        { body, headers: other.headers },
        { body: `${body} `, headers },
        { body: '', headers },
        { body: 'not JSON', headers: {} },
      ]
      for (const forgery of forgeries) {
        assert.equal(await account.callBack(forgery), 401, JSON.stringify(forgery.headers))
      }
      assert.deepEqual((await app.status(otpId)).deliveries, [delivery])
      assert.equal(await account.callBack({ body, headers }), 200, 'the good one still counts')
      await app.delivery(otpId, 'failed')
    })
  }

  test('telegram: an old or future timestamp is 401 however well it is signed', async () => {
    const { app, account, otpId, delivery, taken } = await sendThrough('telegram')
    const report = {
      request_id: taken.messageId,
      payload: taken.deliveryId,
      delivery_status: { status: 'delivered' },
    }
    const now = Math.floor(Date.now() / 1_000)
    for (const atSeconds of [now - 400, now + 400, 0, Number.NaN]) {
      assert.equal(await account.callBack(account.signTelegram(report, atSeconds)), 401)
    }
    assert.deepEqual((await app.status(otpId)).deliveries, [delivery])
  })

  test('an account that does not exist, or takes no callbacks, is 401 and says no more', async () => {
    const { account, taken } = await sendThrough('whatsapp')
    const receipt = account.receipt('failed', taken)
    const bodies = new Set<string>()
    for (const name of ['simulator-sms', 'simulator-email', 'prv_unknown', '__proto__', 'x'.repeat(90)]) {
      const response = await fetch(`${service().running.url}/hooks/${name}`, { method: 'POST', ...receipt })
      assert.equal(response.status, 401, name)
      const { error } = (await response.json()) as { error: { type: string; message: string } }
      bodies.add(JSON.stringify(error))
    }
    assert.equal(bodies.size, 1)
  })

  for (const channel of carrierChannels) {
    test(`the simulator's ${channel} account believes its own simulator only`, async () => {
      const { running, simulator, createApp } = service()
      const app = await createApp(only(channel))
      const recipient = newPhone()
      await simulator.behave(recipient, channel, 'silent')
      const { otp_id: otpId } = await app.send({ recipient })
      const delivery = await app.delivery(otpId, 'sent')
      const account = await openAccount(service(), await createApp(), channel)
      const names = { deliveryId: delivery.delivery_id, messageId: 'wamid.x' }
      for (const word of ['delivered', 'failed'] as const) {
        const { body, headers } = account.receipt(word, names)
        assert.equal(await account.callBack({ body, headers }, `simulator-${channel}`), 401)
        assert.equal(await account.callBack({ body, headers: {} }, `simulator-${channel}`), 401)
      }
      assert.deepEqual((await app.status(otpId)).deliveries, [delivery])
      assert.ok(!running.output().includes(recipient))
    })
  }

  test('an unsigned message from the right person approves nothing', async () => {
    const { running, createApp } = service()
    const app = await createApp({ ...only('whatsapp'), channels: { whatsapp: { mode: 'link_inbound' } } })
    const recipient = newPhone()
    const { otp_id: otpId, action_url: actionUrl } = await app.send({ recipient })
    const text = new URL(actionUrl ?? '').searchParams.get('text') ?? ''
    const message = { from: recipient.slice(1), id: 'wamid.1', type: 'text', text: { body: text } }
    const metadata = { phone_number_id: '100000000000001' }
    const body = JSON.stringify({ entry: [{ changes: [{ value: { metadata, messages: [message] } }] }] })
    const response = await fetch(`${running.url}/hooks/simulator-whatsapp`, { method: 'POST', body })
    assert.equal(response.status, 401)
    assert.equal((await app.status(otpId)).status, 'pending')
  })

  test('the handshake of WhatsApp succeeds with its token, and gives nothing away without', async () => {
    const { running, simulator } = service()
    assert.equal(await simulator.runHandshake(), 200)
    for (const token of ['wrong', '']) {
      const query = new URLSearchParams({
        'hub.mode': 'subscribe',
        'hub.verify_token': token,
        'hub.challenge': 'echo-me',
      })
      const response = await fetch(`${running.url}/hooks/simulator-whatsapp?${query}`)
      assert.ok([401, 403].includes(response.status))
      assert.ok(!(await response.text()).includes('echo-me'))
    }
    assert.equal((await fetch(`${running.url}/hooks/simulator-telegram`)).status, 401)
  })

  test('a callback larger than any carrier sends is refused', async () => {
    const { account } = await sendThrough('telegram')
    const status = await account.callBack(account.signTelegram({ payload: 'x'.repeat(1_100_000) }))
    assert.equal(status, 413)
  })
})

describe('delivery reports in the post', { concurrency: true }, () => {
  const madeUp = (deliveryId: string) => [
    `bounce+${deliveryId}=${'0'.repeat(20)}@countersign.example`,
    `bounce+${deliveryId}@countersign.example`,
    `${deliveryId}@countersign.example`,
    'codes@countersign.example',
    'somebody@example.com',
  ]

  test('one that nobody was asked for is refused before it is read, and changes nothing', async () => {
    const { createApp, simulator } = service()
    const app = await createApp({ routing: { default: ['email'] } })
    const recipient = newEmail()
    await simulator.behave(recipient, 'email', 'silent')
    const { otp_id: otpId } = await app.send({ recipient })
    const delivery = await app.delivery(otpId, 'sent')
    for (const address of madeUp(delivery.delivery_id)) {
      const replies = await converse(bouncePort, [
        'EHLO mx.example.com',
        'MAIL FROM:<>',
        `RCPT TO:<${address}>`,
        'QUIT',
      ])
      assert.deepEqual(replies, [220, 250, 250, 550, 221], address)
    }
    assert.deepEqual((await app.status(otpId)).deliveries, [delivery])
  })

  test('noise on that port troubles nobody', async () => {
    const { createApp, simulator } = service()
    await converse(bouncePort, ['\u0000\u0001 noise', 'DATA', 'QUIT'])
    const app = await createApp({ routing: { default: ['email'] } })
    const recipient = newEmail()
    const { otp_id: otpId } = await app.send({ recipient })
    await simulator.arrived(recipient, 'email')
    await app.delivery(otpId, 'delivered')
  })
})
