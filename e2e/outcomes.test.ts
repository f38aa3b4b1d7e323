import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openingBalance, prices } from './harness/app.ts'
import { newPhone, newRecipient } from './harness/people.ts'
import { useService } from './harness/service.ts'
import { type Channel, channels, codeIn, phoneChannels } from './harness/simulator.ts'
import { eventually, patiently, throughout } from './harness/wait.ts'

const service = useService()

const only = (channel: Channel) => ({ routing: { default: [channel] } })

/** Waits for the receipt of a later message on the same channel: the earlier one's would have arrived by then. */
async function receiptsHavePassed(channel: Channel): Promise<void> {
  const app = await service().createApp(only(channel))
  const { otp_id: otpId } = await app.send({ recipient: newRecipient(channel) })
  await app.delivery(otpId, 'delivered')
}

describe('what a carrier does to a message', { concurrency: 12 }, () => {
  test('carriers that take too long hold nobody up, are not asked twice, and are believed when they answer', async () => {
    const { createApp, simulator } = service()
    // `delayMs` is longer than the service waits for any carrier.
    const [patienceMs, delayMs] = [15_000, 17_000]
    const slow = await Promise.all(
      channels.map(async (channel) => {
        const app = await createApp(only(channel))
        const recipient = newRecipient(channel)
        await simulator.behave(recipient, channel, 'deliver', delayMs)
        const startedAt = performance.now()
        const { otp_id: otpId } = await app.send({ recipient })
        assert.ok(performance.now() - startedAt < delayMs / 2, 'the send answers at once')
        return { app, otpId, recipient, channel, startedAt }
      }),
    )
    await Promise.all(channels.map((channel) => receiptsHavePassed(channel)))
    for (const { app, otpId, startedAt } of slow) {
      const { deliveries } = await app.status(otpId)
      // On a machine too busy to look in time, only the checks below are made.
      if (performance.now() - startedAt < patienceMs) assert.equal(deliveries[0]?.status, 'queued')
    }
    for (const { app, otpId, recipient, channel } of slow) {
      await app.delivery(otpId, 'delivered')
      assert.equal((await simulator.messages(recipient)).length, 1)
      assert.deepEqual((await app.ledgerKinds(otpId)).sort(), ['capture', 'reserve'])
      assert.equal(await app.balance(), openingBalance - prices[channel])
    }
  })

  for (const channel of channels) {
    test(`${channel}: a message that fails later fails the delivery, returns the money and may be sent again`, async () => {
      const { createApp, simulator } = service()
      const app = await createApp(only(channel))
      const recipient = newRecipient(channel)
      await simulator.behave(recipient, channel, 'fail')
      const { otp_id: otpId } = await app.send({ recipient })
      const { error } = await app.delivery(otpId, 'failed')
      assert.ok(error?.code)
      assert.ok(!JSON.stringify(error).includes(recipient.replace(/^\+/, '')))
      assert.deepEqual(await simulator.messages(recipient), [])
      assert.equal(await app.balance(), openingBalance)
      assert.equal((await app.ledgerKinds(otpId)).filter((kind) => kind === 'return').length, 1)
      assert.equal((await app.status(otpId)).status, 'pending')

      await simulator.behave(recipient, channel, 'deliver')
      assert.equal((await app.resend(otpId)).channel, channel)
      const { text } = await simulator.arrived(recipient, channel)
      await app.delivery(otpId, 'delivered', 1)
      assert.equal((await app.status(otpId)).deliveries[0]?.status, 'failed')
      assert.equal((await app.verify(otpId, codeIn(text))).matched, true)
      assert.equal(await app.balance(), openingBalance - prices[channel])
    })

    test(`${channel}: a message that is refused at once is not tried again, and its money returns`, async () => {
      const { createApp, simulator } = service()
      const app = await createApp(only(channel))
      const recipient = newRecipient(channel)
      await simulator.behave(recipient, channel, 'reject')
      const { otp_id: otpId } = await app.send({ recipient })
      const failed = await app.delivery(otpId, 'failed')
      assert.ok(failed.error?.code)
      assert.equal(await app.balance(), openingBalance)
      assert.deepEqual((await app.ledgerKinds(otpId)).sort(), ['reserve', 'return'])

      await simulator.behave(recipient, channel, 'deliver')
      await receiptsHavePassed(channel)
      assert.deepEqual(await simulator.messages(recipient), [])
      assert.equal((await app.send({ recipient })).channel, channel, 'a refusal is not remembered')
    })

    test(`${channel}: a person who is not there is remembered, and money returns`, async () => {
      const { createApp, simulator } = service()
      const app = await createApp(only(channel))
      const recipient = newRecipient(channel)
      await simulator.behave(recipient, channel, 'unreachable')
      const { otp_id: otpId } = await app.send({ recipient })
      await app.delivery(otpId, 'failed')
      assert.equal(await app.balance(), openingBalance)
      for (const named of [undefined, channel]) {
        const resend = await app.refusedResend(otpId, named)
        assert.deepEqual([resend.status, resend.body.error.type], [409, 'ResendNotAllowedError'])
      }
      await simulator.behave(recipient, channel, 'deliver')
      const send = await app.refusedSend({ recipient })
      assert.deepEqual([send.status, send.body.error.type], [409, 'NoEnabledChannelError'])
      assert.equal(await app.balance(), openingBalance)

      const stranger = await createApp(only(channel))
      assert.equal((await stranger.send({ recipient })).channel, channel, 'another app knows nothing of it')
    })

    test(`${channel}: a message without a receipt stays sent, is paid for, and its code is good`, async () => {
      const { createApp, simulator } = service()
      const app = await createApp(only(channel))
      const recipient = newRecipient(channel)
      await simulator.behave(recipient, channel, 'silent')
      const { otp_id: otpId } = await app.send({ recipient })
      const { text } = await simulator.arrived(recipient, channel)
      await app.delivery(otpId, 'sent')
      await receiptsHavePassed(channel)
      assert.deepEqual(
        (await app.status(otpId)).deliveries.map(({ status }) => status),
        ['sent'],
      )
      assert.equal(await app.balance(), openingBalance - prices[channel])
      assert.deepEqual((await app.ledgerKinds(otpId)).sort(), ['capture', 'reserve'])
      assert.equal((await app.verify(otpId, codeIn(text))).matched, true)
    })

    test(`${channel}: a carrier that errs keeps the message queued, and gets it once when it is back`, async () => {
      const { createApp, simulator } = service()
      const app = await createApp(only(channel))
      const recipient = newRecipient(channel)
      await simulator.behave(recipient, channel, 'error')
      const { otp_id: otpId } = await app.send({ recipient })
      const firstTry = await eventually(
        'the first attempt',
        () => app.status(otpId),
        ({ deliveries }) => deliveries[0]?.error !== null,
      )
      await eventually(
        'the second attempt',
        () => app.status(otpId),
        ({ deliveries }) => deliveries[0]?.updated_at !== firstTry.deliveries[0]?.updated_at,
      )
      assert.equal((await app.status(otpId)).deliveries[0]?.status, 'queued')
      assert.equal(await app.balance(), openingBalance - prices[channel], 'the price is reserved')
      assert.deepEqual(await app.ledgerKinds(otpId), ['reserve'])

      await simulator.behave(recipient, channel, 'deliver')
      const { text } = await simulator.arrived(recipient, channel)
      const { error } = await app.delivery(otpId, 'delivered')
      assert.equal(error, null)
      assert.equal((await simulator.messages(recipient)).length, 1)
      assert.deepEqual((await app.ledgerKinds(otpId)).sort(), ['capture', 'reserve'])
      assert.equal((await app.verify(otpId, codeIn(text))).matched, true)
    })

    test(`${channel}: receipts that come twice and out of order are one delivery, paid for once`, async () => {
      const { createApp, simulator } = service()
      const app = await createApp(only(channel))
      const recipient = newRecipient(channel)
      await simulator.behave(recipient, channel, 'duplicate')
      const { otp_id: otpId } = await app.send({ recipient })
      const first = await app.delivery(otpId, 'delivered')
      // After this time the simulator has sent all of its receipts.
      await throughout(1_200, async () => {
        assert.deepEqual((await app.status(otpId)).deliveries, [first])
      })
      assert.equal((await simulator.messages(recipient)).length, 1)
      assert.deepEqual((await app.ledgerKinds(otpId)).sort(), ['capture', 'reserve'])
      assert.equal(await app.balance(), openingBalance - prices[channel])
    })
  }

  for (const channel of phoneChannels) {
    test(`${channel}: once a person is known not to be there, sends and resends pass it by`, async () => {
      const { createApp, simulator } = service()
      const others = phoneChannels.filter((other) => other !== channel)
      const [before, after] = others
      assert.ok(before && after)
      const app = await createApp({ routing: { default: [channel, before, after] } })
      const recipient = newPhone()
      await simulator.behave(recipient, channel, 'unreachable')
      const first = await app.send({ recipient })
      assert.equal(first.channel, channel)
      await app.delivery(first.otp_id, 'failed')
      assert.equal((await app.resend(first.otp_id)).channel, before)

      const second = await app.send({ recipient })
      assert.equal(second.channel, before, 'the next send begins with the next channel')
      await app.change({ routing: { default: [before, channel, after] } })
      const third = await eventually(
        'the new order is in force',
        async () => {
          const sent = await app.send({ recipient })
          return { ...sent, next: (await app.resend(sent.otp_id)).channel }
        },
        ({ channel: chosen, next }) => chosen === before && next === after,
      )
      assert.equal(third.next, after, 'a plain resend jumps over it')
      const named = await app.refusedResend(third.otp_id, channel)
      assert.deepEqual([named.status, named.body.error.type], [409, 'ResendNotAllowedError'])
      assert.deepEqual(await simulator.messages(recipient, channel), [])
    })
  }

  test('a failure of an old message leaves the newer one and its code alone', async () => {
    const { createApp, simulator } = service()
    const app = await createApp({ routing: { default: ['whatsapp', 'sms'] } })
    const recipient = newPhone()
    await simulator.behave(recipient, 'whatsapp', 'fail')
    const { otp_id: otpId } = await app.send({ recipient })
    assert.equal((await app.resend(otpId)).channel, 'sms')
    const { text } = await simulator.arrived(recipient, 'sms')
    await app.delivery(otpId, 'failed', 0)
    const { channel } = await app.delivery(otpId, 'delivered', 1)
    assert.equal(channel, 'sms')
    assert.equal(await app.balance(), openingBalance - prices.sms)
    assert.equal((await app.verify(otpId, codeIn(text))).matched, true)
  })
})

test('with an empty purse nothing is sent, and the ledger still adds up', async () => {
  const { createApp, simulator } = service()
  const app = await createApp({ ...only('sms'), limits: { recipient: [{ max: 1_000, window_s: 600 }] } })
  const affordable = openingBalance / prices.sms
  const recipients = Array.from({ length: affordable + 5 }, () => newPhone())
  const clientIp = (index: number) => `81.2.${Math.floor(index / 250)}.${(index % 250) + 1}`
  const attempt = (recipient: string, index: number) =>
    patiently(() => app.attemptSend({ recipient, client_ip: clientIp(index) }))
  const answers = await Promise.all(recipients.map(attempt))
  assert.equal(answers.filter(({ status }) => status === 200).length, affordable)
  const refused = answers.filter(({ status }) => status !== 200)
  assert.ok(refused.every(({ body }) => body.error?.type === 'InsufficientFundsError'))
  assert.equal(await app.balance(), 0)
  const codes = await Promise.all(
    answers.map(async ({ status }, index) =>
      status === 200 ? codeIn((await simulator.arrived(recipients[index] ?? '', 'sms')).text) : null,
    ),
  )
  assert.equal(codes.filter((code) => code !== null).length, affordable)
})
