import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Delivery, openingBalance, prices } from './harness/app.ts'
import { type CarrierAccount, openAccount } from './harness/carrier.ts'
import { newPhone } from './harness/people.ts'
import { useService } from './harness/service.ts'
import { codeIn } from './harness/simulator.ts'
import { carrierChannels, only, sendThrough } from './receipts-support.ts'

const service = useService()

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
        const { app, account, otpId, taken } = await sendThrough(service(), channel)
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
      const { app, account, otpId, taken } = await sendThrough(service(), channel)
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
        // After another message through the same account, the answer to the first has been written.
        account.carrier.onSend = async () => null
        await app.delivery((await app.send({ recipient: newPhone() })).otp_id, 'sent')
        assert.deepEqual((await app.status(otpId)).deliveries, [early])
        const spent = prices[channel] * (word === 'delivered' ? 2 : 1)
        assert.equal(await app.balance(), openingBalance - spent)
      })
    }

    test(`${channel}: a receipt that names the message as the carrier does is believed`, async () => {
      const { app, account, otpId, taken } = await sendThrough(service(), channel)
      const { messageId } = taken
      assert.equal(await account.callBack(account.receipt('delivered', { messageId })), 200)
      await app.delivery(otpId, 'delivered')
    })

    test(`${channel}: a receipt for a message that nobody knows is taken and changes nothing`, async () => {
      const { app, account, otpId, delivery } = await sendThrough(service(), channel)
      const unknown = { messageId: 'wamid.unknown', deliveryId: delivery.delivery_id.replace(/.$/, '!') }
      assert.equal(await account.callBack(account.receipt('failed', unknown)), 200)
      assert.deepEqual((await app.status(otpId)).deliveries, [delivery])
    })

    test(`${channel}: another account, even with a good signature, has no say`, async () => {
      const { app, otpId, delivery, taken } = await sendThrough(service(), channel)
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

      /** Sends a message, and says which of the two accounts the service chose. */
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
