/** A verification that waits for a WhatsApp message: its state, and that nothing else happened. */
import assert from 'node:assert/strict'
import type { Tenant } from './harness/fixtures.ts'
import { freshPhone, send, status } from './harness/fixtures.ts'
import { eventTypes } from './harness/records.ts'
import type { TwoNodeService } from './harness/service.ts'
import { linkText } from './harness/whatsapp.ts'

export const linkSettings = (mode: 'link_code' | 'link_inbound') => ({
  routing: { default: ['whatsapp', 'sms'] },
  channels: { whatsapp: { mode } },
})

/** Helpers for a tenant's links, with names that read well in a test. */
export function linksOf({ database, nodes: [node] }: TwoNodeService, { serverKey }: Tenant) {
  const stateOf = async (otpId: string) => (await status(node, serverKey, otpId)).body.status as string
  return {
    stateOf,
    linked: async (recipient = freshPhone(), extra: object = {}) => {
      const { status: code, body } = await send(node, serverKey, { recipient, ...extra })
      assert.equal(code, 200, JSON.stringify(body))
      return { otpId: body.otp_id as string, recipient, text: linkText(body.action_url), answer: body }
    },
    assertNothingHappened: async (otpId: string) => {
      assert.equal(await stateOf(otpId), 'pending')
      assert.deepEqual(await eventTypes(database, otpId), [])
    },
    assertApprovedOnce: async (otpId: string) => {
      assert.equal(await stateOf(otpId), 'approved')
      assert.deepEqual(await eventTypes(database, otpId), ['otp.approved'])
    },
  }
}
