/** What is approved or returned later belongs to the hour, the day and the country of its send. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { createReceiptBook, recordReceipt } from '../src/domain/delivery/index.ts'
import type { Principal } from '../src/domain/tenancy/index.ts'
import { approve } from '../src/domain/verification/index.ts'
import type { OtpId } from '../src/platform/ids.ts'
import { deleteExpired } from '../src/platform/kept.ts'
import { createTenant, freshPhone, message, resend, send, started, verify } from './harness/fixtures.ts'
import { whileHeld } from './harness/held-table.ts'
import { linkText, write } from './harness/whatsapp.ts'
import { putCounter, spendOf, startSpendService } from './spend-support.ts'

const service = await startSpendService()
const { database, clock, nodes } = service
const [node] = nodes
after(service.close)
beforeEach(service.settleClock)

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const off = { spend_caps: { day_by_country: { default: 'off' }, hour_unverified: 'off' } }

/** The provider says that the message of this channel has failed after all. */
async function failLater(otpId: string, channel: 'sms' | 'whatsapp'): Promise<void> {
  const [delivery] = await database.query<{ delivery_id: string }>(
    'select delivery_id from deliveries where otp_id = $1 and channel = $2',
    [otpId, channel],
  )
  const late = { deliveryId: delivery?.delivery_id ?? '', messageId: null, status: 'failed' } as const
  const dependencies = { ...node.app, receiptBook: createReceiptBook(node.app), onApplied: () => {} }
  await recordReceipt(dependencies, `capture-${channel}`, { ...late, unreachable: false, error: null })
}

/** Sent at two minutes to eleven, and again over WhatsApp, for 0.02, at two past. */
async function startedTwice(serverKey: string) {
  await clock.advance(48 * minute)
  const { otpId, recipient } = await started(node, serverKey)
  await clock.advance(4 * minute)
  assert.equal((await resend(node, serverKey, otpId)).body.channel, 'whatsapp')
  const { code } = await message(node, recipient, 1)
  return { otpId, code }
}

const figures = async (appId: string) => {
  const { day, hour } = await spendOf(node, appId)
  const ofDay = day.countries.map(
    ({ country, spent, approved }: { country: string; spent: string; approved: string }) =>
      `${country} ${spent} ${approved}`,
  )
  return { day: ofDay, hour: `${hour.spent} ${hour.approved}` }
}

describe('what is noted of a send', () => {
  it('is its own, though many codes of several hours and countries are approved in one statement', async () => {
    const { serverKey, appId } = await createTenant(node, off)
    await clock.advance(48 * minute)
    const begun = [await started(node, serverKey)]
    await clock.advance(4 * minute)
    for (const recipient of [freshPhone(), freshPhone(), '+4915123456701', '+4915123456702'])
      begun.push(await started(node, serverKey, recipient))
    const answers = await whileHeld('verifications', { database, node, keys: [serverKey] }, () =>
      begun.map(({ otpId, code }) => verify(node, serverKey, otpId, code)),
    )
    assert.ok(answers.every(({ body }) => body.matched))
    assert.deepEqual(await figures(appId), {
      day: ['DE 0.100000 0.100000', 'GB 0.150000 0.150000'],
      hour: '0.200000 0.200000',
    })
  })

  it('is the approval of the day on which it was sent, also after midnight', async () => {
    const learned = { spend_caps: { day_by_country: { default: 'learned' } } }
    const { serverKey, appId } = await createTenant(node, learned)
    await putCounter(service, { app_id: appId, name: 'day:GB', spent: '10', approved: '1.00' })
    await clock.advance(13 * hour + 48 * minute)
    const { otpId, code } = await started(node, serverKey)
    await clock.advance(4 * minute)
    assert.deepEqual((await figures(appId)).day, [], 'yesterday is not shown as today')
    assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
    assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
    assert.deepEqual((await figures(appId)).day, ['GB 0.050000 0.000000'])
    await clock.advance(day)
    assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
    // A hundred times the 1.05 that were approved on the first day.
    assert.equal((await spendOf(node, appId)).day.countries[0].cap, '105.000000')
  })

  for (const order of ['before', 'after'] as const) {
    it(`and of a resend an hour later stays apart, if the first message fails ${order} the approval`, async () => {
      const { serverKey, appId } = await createTenant(node, off)
      const { otpId, code } = await startedTwice(serverKey)
      assert.deepEqual(await figures(appId), { day: ['GB 0.070000 0.000000'], hour: '0.020000 0.000000' })
      if (order === 'before') await failLater(otpId, 'sms')
      assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
      if (order === 'after') await failLater(otpId, 'sms')
      assert.deepEqual(await figures(appId), { day: ['GB 0.020000 0.020000'], hour: '0.020000 0.020000' })
    })
  }

  it('is its approval by a code, the backend’s word or a message of the person, and no preview takes it', async () => {
    const settings = {
      ...off,
      channels: { whatsapp: { mode: 'link_inbound' } },
      routing: { default: ['sms', 'whatsapp'] },
    }
    const { serverKey, appId, companyId } = await createTenant(node, settings)
    const [typed, told, written] = [
      await started(node, serverKey),
      await started(node, serverKey),
      await started(node, serverKey),
    ]
    const approved = async () => {
      const { day, hour } = await figures(appId)
      return [...day, hour]
    }
    assert.equal((await verify(node, serverKey, typed.otpId, typed.code)).body.matched, true)
    const look = { key: serverKey, body: { recipient: freshPhone() } }
    assert.equal((await node.call('POST', '/api/v1/routing/preview', look)).status, 200)
    assert.deepEqual(await approved(), ['GB 0.150000 0.050000', '0.150000 0.050000'])
    const app = { companyId, appId } as Principal['app']
    const backend = { app, keyId: 'key_1' } as Principal
    await approve({ ...node.app, onApproved: () => {} }, backend, told.otpId as OtpId)
    assert.deepEqual(await approved(), ['GB 0.150000 0.100000', '0.150000 0.100000'])
    const { body } = await resend(node, serverKey, written.otpId, 'whatsapp')
    await write(node, { from: written.recipient, text: linkText(body.action_url) })
    assert.deepEqual(await approved(), ['GB 0.150000 0.150000', '0.150000 0.150000'])
  })

  it('that failed takes nothing from what others have approved', async () => {
    const { serverKey, appId } = await createTenant(node, off)
    const { otpId, code } = await started(node, serverKey)
    assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
    const failed = await started(node, serverKey)
    await failLater(failed.otpId, 'sms')
    assert.deepEqual(await figures(appId), { day: ['GB 0.050000 0.050000'], hour: '0.050000 0.050000' })
  })

  it('outlives upkeep for the fourteen days in which a cap learns from it, and no longer', async () => {
    const { serverKey, appId } = await createTenant(node, off)
    const { otpId, code } = await started(node, serverKey)
    assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
    const rows = async () => {
      for (const table of ['spend_counters', 'spend_notes']) await deleteExpired(node.app.database, table)
      const [found] = await database.query<{ counters: number; notes: number }>(
        `select (select count(*)::integer from spend_counters where app_id = $1) as counters,
                (select count(*)::integer from spend_notes where app_id = $1) as notes`,
        [appId],
      )
      return found
    }
    await clock.advance(14 * day)
    assert.deepEqual(await rows(), { counters: 2, notes: 1 })
    await clock.advance(3 * day)
    assert.deepEqual(await rows(), { counters: 0, notes: 0 })
  })
})
