/** Problems with messages, as a filter of lists and of the search for a person. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Capture } from './harness/capture.ts'
import { createApp, createTenant, freshPhone, send, type Tenant, until } from './harness/fixtures.ts'
import { startService } from './harness/service.ts'

const capture = new Capture()
const { node, close } = await startService({
  capture,
})
after(close)

const person = freshPhone()

describe('lists by what went wrong', () => {
  let tenant: Tenant
  let other: Tenant
  const ids: Record<string, string> = {}

  const message = async (otpId: string) =>
    (await node.manage('GET', `/verifications/${otpId}`)).body.deliveries[0]
  const sent = async ({ serverKey }: Tenant, recipient: string, ending: string) => {
    const { body } = await send(node, serverKey, { recipient })
    const delivery = await until(`a message that is ${ending}`, async () => {
      const seen = await message(body.otp_id)
      return seen?.status === ending && seen
    })
    return { otpId: body.otp_id as string, deliveryId: delivery.delivery_id as string }
  }
  const listed = async (query: string): Promise<string[]> =>
    (await node.manage('GET', `/apps/${tenant.appId}/verifications?${query}`)).body.verifications.map(
      ({ otp_id }: { otp_id: string }) => otp_id,
    )
  const search = async (problem: string | null) => {
    const { body } = await node.manage('POST', `/companies/${tenant.companyId}/search`, {
      recipient: person,
      problem,
    })
    return {
      verifications: body.verifications.map(({ otp_id }: { otp_id: string }) => otp_id),
      refusals: body.refusals.length,
    }
  }

  before(async () => {
    tenant = await createTenant(node)
    other = await createApp(node, tenant.companyId)
    ids.well = (await sent(tenant, person, 'sent')).otpId
    const failing = await sent(tenant, person, 'sent')
    capture.receipt('capture-sms', {
      deliveryId: failing.deliveryId,
      messageId: null,
      status: 'failed',
      unreachable: false,
      error: { code: 'absent', message: 'Absent.' },
    })
    await until('the receipt', async () => (await message(failing.otpId)).status === 'failed')
    ids.failed = failing.otpId
    capture.answerWith(() => ({ kind: 'uncertain', error: { code: 'timeout', message: 'No answer.' } }))
    ids.uncertain = (await sent(other, person, 'sent')).otpId
    ids.doubtful = (await sent(tenant, freshPhone(), 'sent')).otpId
    capture.answerWith(null)
    await node.manage('PATCH', `/apps/${tenant.appId}`, { geo: { countries: ['GB'] } })
    await send(node, tenant.serverKey, { recipient: person })
  })

  it('find verifications of which a message failed, or had an error at all', async () => {
    assert.deepEqual(await listed('problem=failed_delivery'), [ids.failed])
    assert.deepEqual(await listed('problem=error'), [ids.doubtful, ids.failed])
    assert.equal((await listed('')).length, 3)
  })

  it('find a code of a provider’s, together with other filters', async () => {
    assert.deepEqual(await listed('error_code=absent'), [ids.failed])
    assert.deepEqual(await listed('error_code=timeout'), [ids.doubtful])
    assert.deepEqual(await listed('error_code=timeout&problem=failed_delivery'), [])
    assert.deepEqual(await listed('error_code=absent&status=approved'), [])
    assert.deepEqual(await listed('problem=error&limit=1'), [ids.doubtful])
    const { body } = await node.manage('POST', `/apps/${tenant.appId}/verifications/search`, {
      recipient: person,
      error_code: 'absent',
    })
    assert.deepEqual(
      body.verifications.map(({ otp_id }: { otp_id: string }) => otp_id),
      [ids.failed],
    )
  })

  it('go on page by page', async () => {
    const path = `/apps/${tenant.appId}/verifications?problem=error&limit=1`
    const first = (await node.manage('GET', path)).body
    const second = (await node.manage('GET', `${path}&cursor=${first.next_cursor}`)).body
    assert.deepEqual(
      [...first.verifications, ...second.verifications].map(({ otp_id }: { otp_id: string }) => otp_id),
      [ids.doubtful, ids.failed],
    )
    assert.equal(second.next_cursor, null)
  })

  it('narrow the search for a person, over all apps', async () => {
    assert.deepEqual(await search(null), {
      verifications: [ids.uncertain, ids.failed, ids.well],
      refusals: 1,
    })
    assert.deepEqual(await search('failed_delivery'), { verifications: [ids.failed], refusals: 0 })
    assert.deepEqual(await search('error'), { verifications: [ids.uncertain, ids.failed], refusals: 0 })
    assert.deepEqual(await search('refusal'), { verifications: [], refusals: 1 })
  })
})
