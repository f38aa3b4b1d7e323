import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newEmail } from './harness/people.ts'
import { findPorts } from './harness/process.ts'
import { useService } from './harness/service.ts'
import { converse } from './harness/smtp.ts'

let bouncePort = 0
const service = useService(async () => {
  bouncePort = (await findPorts()).http
  return { BOUNCE_PORT: String(bouncePort) }
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
