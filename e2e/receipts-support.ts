/** Sends messages through accounts at the test's own carriers, which record what they accepted. */
import assert from 'node:assert/strict'
import { type CarrierAccount, type CarrierChannel, openAccount, type Taken } from './harness/carrier.ts'
import { newPhone } from './harness/people.ts'
import type { ServiceUnderTest } from './harness/service.ts'

export const carrierChannels = ['whatsapp', 'telegram'] as const

export const only = (channel: CarrierChannel) => ({ routing: { default: [channel] } })

export async function sendThrough(service: ServiceUnderTest, channel: CarrierChannel) {
  const app = await service.createApp(only(channel))
  const account = await openAccount(service, app, channel)
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
