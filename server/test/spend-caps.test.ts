import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { createReceiptBook, recordReceipt } from '../src/domain/delivery/index.ts'
import {
  createApp,
  createTenant,
  freshEmail,
  freshPhone,
  message,
  resend,
  send,
  sendPatiently,
  started,
  until,
  untilInForce,
  verify,
} from './harness/fixtures.ts'
import { countedOf } from './limits-support.ts'
import { assertCapped, spendOf, spendRule, startSpendService } from './spend-support.ts'

const service = await startSpendService()
const { database, capture, clock, nodes } = service
const [node] = nodes
after(service.close)
beforeEach(service.settleClock)

const off = { day_by_country: { default: 'off' }, hour_unverified: 'off' }
const perDay = (cap: string, countries = {}) => ({
  spend_caps: { ...off, day_by_country: { default: cap, countries } },
})
const perHour = (cap: string) => ({ spend_caps: { ...off, hour_unverified: cap } })
const failing = { code: 'refused', message: 'No.' }

/** A text message costs 0.05. */
describe('a cap on what an app spends', () => {
  for (const metered of [true, false]) {
    for (const [cap, settings] of [
      ['day_by_country', perDay('0.50')],
      ['hour_unverified', perHour('0.50')],
    ] as const) {
      it(`is where 100 parallel sends over two nodes end (${cap}, ${metered ? 'metered' : 'unmetered'})`, async () => {
        const { serverKey, appId, companyId } = await createTenant(node, settings, { metered })
        const answers = await Promise.all(
          Array.from({ length: 100 }, (_, index) =>
            sendPatiently(nodes[index % 2 ? 1 : 0], serverKey, { recipient: freshPhone() }),
          ),
        )
        assert.equal(answers.filter((answer) => answer.status === 200).length, 10)
        for (const answer of answers) if (answer.status !== 200) assertCapped(answer, cap)
        const { day, hour } = await spendOf(node, appId)
        assert.equal(day.countries[0].spent, '0.500000')
        assert.equal(hour.unverified, '0.500000')
        const { body } = await node.manage('GET', `/companies/${companyId}`)
        assert.equal(body.balance, metered ? '999.500000' : '1000.000000')
      })
    }
  }

  it('is of one app and one country, and email addresses share one of their own', async () => {
    const { serverKey, companyId, appId } = await createTenant(node, perDay('0.05', { GB: '0.10', FR: '9' }))
    const sibling = await createApp(node, companyId, perDay('0.05'))
    const to = (recipient: string, key = serverKey) => send(node, key, { recipient })
    for (const _ of [1, 2]) assert.equal((await to(freshPhone())).status, 200)
    assertCapped(await to(freshPhone()), 'day_by_country')
    assert.equal((await to('+4915123456789')).status, 200)
    assertCapped(await to('+4915123456780'), 'day_by_country')
    // Fifty emails at 0.001.
    for (let count = 0; count < 50; count++) assert.equal((await to(freshEmail())).status, 200)
    assertCapped(await to(freshEmail()), 'day_by_country')
    assert.equal((await to(freshPhone(), sibling.serverKey)).status, 200)
    const { day } = await spendOf(node, appId)
    assert.deepEqual(
      day.countries.map(({ country, spent, cap }: Record<string, unknown>) => `${country} ${spent} ${cap}`),
      ['null 0.050000 0.050000', 'DE 0.050000 0.050000', 'GB 0.100000 0.100000', 'FR 0.000000 9.000000'],
      'also the country that has a cap and nothing sent to it yet',
    )
  })

  it('holds resends as it holds sends', async () => {
    const { serverKey } = await createTenant(node, perDay('0.06'))
    const { body } = await send(node, serverKey, { recipient: freshPhone() })
    assertCapped(await resend(node, serverKey, body.otp_id, 'whatsapp'), 'day_by_country')
    assert.equal((await resend(node, serverKey, body.otp_id, 'telegram')).status, 200)
    assert.match((await spendRule(node, serverKey, body.otp_id)).why, /^0\.060000 of 0\.060000 for GB today/)
  })

  it('leaves alone what costs nothing: links, and messages without a price', async () => {
    const { body: book } = await node.manage('GET', '/prices')
    await node.manage('PUT', '/prices', { ...book, countries: { ...book.countries, DE: { sms: '0' } } })
    const { serverKey, appId } = await createTenant(node, {
      ...perDay('0.05'),
      channels: { whatsapp: { mode: 'link_code' } },
      routing: { countries: { FR: ['whatsapp'] } },
    })
    const free = ['+33612345678', '+33612345679', '+33612345680', '+4915123456781', '+4915123456782']
    for (const recipient of free) {
      const { status, body } = await send(node, serverKey, { recipient })
      assert.equal(status, 200)
      assert.equal((await spendRule(node, serverKey, body.otp_id)).outcome, 'skip')
    }
    assert.deepEqual((await spendOf(node, appId)).day.countries, [])
    await node.manage('PUT', '/prices', book)
  })

  it('lets the first message through whatever it costs, so that waiting helps; and each Retry-After holds', async () => {
    for (const settings of [perHour('0.01'), perDay('0.01')]) {
      const { serverKey } = await createTenant(node, settings)
      const call = () => send(node, serverKey, { recipient: freshPhone() })
      assert.equal((await call()).status, 200)
      const refused = await call()
      assert.equal(refused.status, 429)
      await clock.advance(Number(refused.headers.get('retry-after')))
      assert.equal((await call()).status, 200)
      assert.equal((await call()).status, 429)
    }
  })

  it('that is one of two in the way names the wait after which neither is', async () => {
    const { serverKey } = await createTenant(node, {
      spend_caps: { day_by_country: { default: '0.05' }, hour_unverified: '0.05' },
    })
    assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
    const refused = await send(node, serverKey, { recipient: freshPhone() })
    assert.equal(refused.body.error.details.cap, 'day_by_country')
    await clock.advance(Number(refused.headers.get('retry-after')))
    assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
  })

  it('is freed by money that a failed delivery returns', async () => {
    const { serverKey, appId } = await createTenant(node, perDay('0.05'))
    capture.answerWith(() => ({ kind: 'refused', error: failing }))
    try {
      assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
      await until('the money to be back', async () => (await spendOf(node, appId)).hour.spent === '0.000000')
    } finally {
      capture.answerWith(null)
    }
    assert.equal((await send(nodes[1], serverKey, { recipient: freshPhone() })).status, 200)
    assertCapped(await send(node, serverKey, { recipient: freshPhone() }), 'day_by_country')
    assert.equal((await spendOf(node, appId)).day.countries[0].spent, '0.050000')
  })

  it('of an hour counts what is not approved: an approval gives back all that its verification cost', async () => {
    const { serverKey, appId } = await createTenant(node, perHour('0.10'))
    const { otpId, recipient } = await started(node, serverKey)
    assert.equal((await resend(node, serverKey, otpId, 'whatsapp')).status, 200)
    assertCapped(await send(node, serverKey, { recipient: freshPhone() }), 'hour_unverified')
    const { code } = await message(node, recipient, 1)
    assert.equal((await verify(nodes[1], serverKey, otpId, code)).body.matched, true)
    const { hour, day } = await spendOf(node, appId)
    assert.deepEqual([hour.spent, hour.approved, hour.unverified], ['0.070000', '0.070000', '0.000000'])
    assert.equal(day.countries[0].approved, '0.070000')
    for (const _ of [1, 2])
      assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
    assertCapped(await send(node, serverKey, { recipient: freshPhone() }), 'hour_unverified')
    assert.equal((await spendOf(node, appId)).hour.unverified, '0.100000')
  })

  it('of an hour is not given back twice, whether the failure of a message comes before the approval or after', async () => {
    const { serverKey, appId } = await createTenant(node, perHour('9'))
    capture.answerWith((_, channel) =>
      channel === 'sms' ? { kind: 'refused', error: failing } : { kind: 'accepted', messageId: 'taken' },
    )
    try {
      const recipient = freshPhone()
      const { body } = await send(node, serverKey, { recipient })
      await until('the failure', async () => (await spendOf(node, appId)).hour.spent === '0.000000')
      assert.equal((await resend(node, serverKey, body.otp_id)).body.channel, 'whatsapp')
      const { code } = await message(node, recipient)
      assert.equal((await verify(node, serverKey, body.otp_id, code)).body.matched, true)
      const { spent, approved, unverified } = (await spendOf(node, appId)).hour
      assert.deepEqual([spent, approved, unverified], ['0.020000', '0.020000', '0.000000'])
      const [delivery] = await database.query<{ delivery_id: string }>(
        `select delivery_id from deliveries where otp_id = $1 and channel = 'whatsapp'`,
        [body.otp_id],
      )
      const late = { deliveryId: delivery?.delivery_id ?? '', messageId: null, status: 'failed' } as const
      const receiptBook = createReceiptBook(node.app)
      const receipt = { ...late, unreachable: false, error: null }
      await recordReceipt({ ...node.app, receiptBook, onApplied: () => {} }, 'capture-whatsapp', receipt)
      const { hour } = await spendOf(node, appId)
      assert.deepEqual([hour.spent, hour.approved], ['0.000000', '0.000000'])
    } finally {
      capture.answerWith(null)
    }
  })

  it('of a day is not freed by approvals', async () => {
    const { serverKey } = await createTenant(node, perDay('0.05'))
    const { otpId, code } = await started(node, serverKey)
    assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
    assertCapped(await send(node, serverKey, { recipient: freshPhone() }), 'day_by_country')
  })

  it('refuses without counting, charging or limiting anything, and a send refused for another reason spends nothing', async () => {
    const { serverKey, appId, companyId } = await createTenant(
      node,
      { ...perDay('0.05'), limits: { recipient: [{ max: 1, window_s: 600 }] } },
      { balance: '0.07' },
    )
    const recipient = freshPhone()
    assert.equal((await send(node, serverKey, { recipient })).status, 200)
    const counted = await countedOf(database, companyId)
    assertCapped(await send(node, serverKey, { recipient: freshPhone() }), 'day_by_country')
    assert.deepEqual(await countedOf(database, companyId), counted)
    assert.equal((await node.manage('PATCH', `/apps/${appId}`, perDay('9'))).status, 200)
    assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 402)
    assert.equal((await send(node, serverKey, { recipient })).body.error.details.scope, 'recipient')
    assert.equal((await spendOf(node, appId)).day.countries[0].spent, '0.050000')
  })

  it('is in force on both nodes within a second of being changed', async () => {
    const { serverKey, appId } = await createTenant(node, perDay('0.05'))
    const call = () => send(nodes[1], serverKey, { recipient: freshPhone() })
    assert.equal((await call()).status, 200)
    assertCapped(await call(), 'day_by_country')
    await node.manage('PATCH', `/apps/${appId}`, {
      spend_caps: { day_by_country: { countries: { GB: '0.15' } } },
    })
    await untilInForce('the higher cap', async () => (await call()).status === 200)
    await node.manage('PATCH', `/apps/${appId}`, {
      spend_caps: { day_by_country: { countries: { GB: 'off' } } },
    })
    await untilInForce('no cap', async () => (await spendOf(node, appId)).day.countries[0].source === 'off')
    await until(
      'no cap on the other node',
      async () => (await call()).status === 200 && (await call()).status === 200,
    )
  })

  it('stands in decisions and previews with its evidence, which a refused caller does not get', async () => {
    const { serverKey } = await createTenant(node, {
      spend_caps: { day_by_country: { default: '0.10' }, hour_unverified: '0.12' },
    })
    const look = () =>
      node.call('POST', '/api/v1/routing/preview', { key: serverKey, body: { recipient: freshPhone() } })
    const evidence = 'of 0.100000 for GB today, 0.050000 of 0.120000 unverified in this hour.'
    for (const _ of [1, 2, 3]) {
      const { body } = await look()
      const rule = body.decision.find((each: { rule: string }) => each.rule === 'spend')
      const set = { spent: '0.050000', source: 'set', is_over: false }
      assert.deepEqual(rule, {
        rule: 'spend',
        outcome: 'pass',
        why: `0.050000 ${evidence}`,
        facts: {
          because: 'counted',
          country: 'GB',
          caps: [
            { ...set, cap_name: 'day_by_country', cap: '0.100000' },
            { ...set, cap_name: 'hour_unverified', cap: '0.120000' },
          ],
          excuse: null,
        },
      })
    }
    for (const _ of [1, 2])
      assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
    const { body } = await look()
    assert.equal(body.error.details.scope, 'spend')
    assert.equal(body.decision.at(-1).outcome, 'refuse')
    assert.equal(
      body.decision.at(-1).why,
      'A spend cap is reached: with this message 0.150000 of 0.100000 for GB today, 0.150000 of 0.120000 unverified in this hour.',
    )
    const refused = await send(node, serverKey, { recipient: freshPhone() })
    assert.doesNotMatch(refused.body.error.message, /0\.1/)
  })
})
