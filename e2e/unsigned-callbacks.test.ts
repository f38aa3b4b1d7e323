import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openAccount } from './harness/carrier.ts'
import { newPhone } from './harness/people.ts'
import { useService } from './harness/service.ts'
import { carrierChannels, only, sendThrough } from './receipts-support.ts'

const service = useService()

describe('callbacks that nobody signed', { concurrency: 6 }, () => {
  for (const channel of carrierChannels) {
    test(`${channel}: a wrong, missing or borrowed signature is 401, and nothing changes`, async () => {
      const { app, account, otpId, delivery, taken } = await sendThrough(service(), channel)
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
    const { app, account, otpId, delivery, taken } = await sendThrough(service(), 'telegram')
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
    const { account, taken } = await sendThrough(service(), 'whatsapp')
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
      assert.equal(response.status, 403)
      assert.ok(!(await response.text()).includes('echo-me'))
    }
    assert.equal((await fetch(`${running.url}/hooks/simulator-telegram`)).status, 401)
  })

  test('a callback larger than any carrier sends is refused', async () => {
    const { account } = await sendThrough(service(), 'telegram')
    const status = await account.callBack(account.signTelegram({ payload: 'x'.repeat(1_100_000) }))
    assert.equal(status, 413)
  })
})
