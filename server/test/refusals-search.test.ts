/** The search over a company's apps: what a person was sent and refused, however their number is written. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { operations } from '@countersign/contract'
import { lowestId, newId } from '../src/platform/ids.ts'
import {
  createApp,
  createTenant,
  freshPhone,
  resend,
  send,
  started,
  type Tenant,
  until,
} from './harness/fixtures.ts'
import { startService } from './harness/service.ts'

const service = await startService()
const { database, node } = service
after(service.close)

describe('the search over a company', () => {
  let tenant: Tenant
  let sister: Tenant
  let blocked: Tenant
  /** A number of Guernsey, which is dialled like British ones. */
  const recipient = '+447911123456'

  before(async () => {
    tenant = await createTenant(node)
    sister = await createApp(node, tenant.companyId)
    blocked = await createApp(node, tenant.companyId, { geo: { mode: 'block', countries: ['GG'] } })
    const { otpId } = await started(node, tenant.serverKey, recipient)
    await started(node, sister.serverKey, recipient)
    await send(node, blocked.serverKey, { recipient })
    assert.equal((await resend(node, tenant.serverKey, otpId, 'email')).status, 409)
    await until('both refusals to be written', async () => {
      const { body } = await node.manage('POST', `/companies/${tenant.companyId}/search`, { recipient })
      return body.refusals.length === 2
    })
    await started(node, tenant.serverKey, freshPhone())
    await started(node, (await createTenant(node)).serverKey, recipient)
  })

  const search = async (body: object, companyId = tenant.companyId) => {
    const answer = await node.manage('POST', `/companies/${companyId}/search`, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return operations.searchCompany.answer.parse(answer.body)
  }

  for (const [text, country] of [
    ['+44 7911 123456', undefined],
    ['07911 123456', 'GB'],
    ['00447911123456', undefined],
    ['447911-123-456', undefined],
    ['\u200e(0)7911\u00a0123456', 'GB'],
  ] as const) {
    it(`finds what a person was sent and refused in all its apps, and nobody else’s: ${JSON.stringify(text)}`, async () => {
      const found = await search({ recipient: text, ...(country ? { country } : {}) })
      assert.deepEqual(
        found.verifications.map(({ app_id }) => app_id),
        [sister.appId, tenant.appId],
      )
      assert.deepEqual(
        found.refusals.map(({ app_id, rule, kind }) => [app_id, rule, kind]),
        [
          [tenant.appId, 'routing', 'resend'],
          [blocked.appId, 'geo', 'send'],
        ],
      )
      assert.equal(found.next_cursor, null)
      const own = await node.manage('POST', `/apps/${tenant.appId}/verifications/search`, {
        recipient: text,
        ...(country ? { country } : {}),
      })
      assert.equal(own.body.verifications.length, 1, JSON.stringify(own.body))
    })
  }

  it('says that a national number needs its country', async () => {
    const { status, body } = await node.manage('POST', `/companies/${tenant.companyId}/search`, {
      recipient: '07911 123456',
    })
    assert.equal(status, 422)
    assert.equal(body.error.type, 'InvalidRecipientError')
    assert.match(body.error.message, /needs country/)
  })

  it('gives each once over its pages, of which verifications and refusals may have different numbers', async () => {
    const own = await createTenant(node)
    const person = freshPhone()
    const { otpId } = await started(node, own.serverKey, person)
    await send(node, own.serverKey, { recipient: person })
    const copies = 120
    await database.query(
      `insert into refusals (company_id, app_id, refusal_id, kind, error_type, rule, facts, masked_recipient, recipient_hash,
              count, created_at)
       select v.company_id, v.app_id, left($2, 14) || lpad(n::text, 16, '0'), 'send', 'GeoBlockedError', 'geo', '{"because":"blocked","country":"GB"}', '****',
              v.recipient_hash, 1, now()
         from verifications v, generate_series(1, ${copies}) n where v.otp_id = $1`,
      [otpId, lowestId('refusal', Date.now())],
    )
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof search>> = await search(
        { recipient: person, cursor },
        own.companyId,
      )
      seen.push(
        ...page.verifications.map(({ otp_id }) => otp_id),
        ...page.refusals.map(({ refusal_id }) => refusal_id),
      )
      cursor = page.next_cursor
    } while (cursor !== null)
    assert.equal(seen.length, copies + 2)
    assert.equal(new Set(seen).size, copies + 2)
  })

  it('refuses a cursor that no page has answered', async () => {
    for (const cursor of ['', '.', 'x', `${newId('refusal', 0)}.`, `${newId('verification', 0)}.x`, 'a.b.c'])
      assert.equal(
        (await node.manage('POST', `/companies/${tenant.companyId}/search`, { recipient, cursor })).status,
        422,
        cursor,
      )
  })

  it('erases whom it finds, as people write them', async () => {
    const own = await createTenant(node)
    await started(node, own.serverKey, '+447911654321')
    const erased = await node.manage('POST', `/companies/${own.companyId}/erasures`, {
      recipient: '07911 654321',
      country: 'GB',
    })
    assert.deepEqual(erased.body, { verifications: 1 })
    const found = await search({ recipient: '+447911654321' }, own.companyId)
    assert.deepEqual(found, { verifications: [], refusals: [], exception: null, next_cursor: null })
  })
})
