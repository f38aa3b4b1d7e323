/**
 * Every GET of the management API answers in the shape that it promises, whatever there is to read. Generated from the
 * table of operations, so that new ones are included automatically.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Operation, operations } from '@countersign/contract'
import { z } from 'zod'
import {
  createTenant,
  freshEmail,
  freshPhone,
  send,
  started,
  until,
  verify,
  wrongCode,
} from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'
import { type Signed, signInAsOperator } from './harness/people.ts'
import { type Service, startService } from './harness/service.ts'

type Ids = Readonly<Record<string, string>>
const learned = { day_by_country: { default: 'learned' }, hour_unverified: 'learned' }
const book = (price: string) => ({
  currency: 'EUR',
  default: { sms: price, whatsapp: price, telegram: price, email: price, whatsapp_reply: price },
  countries: { GB: { sms: price } },
})

const reads = Object.entries<Operation>(operations)
  .filter(
    ([, { method, path, access }]) =>
      method === 'GET' && path.startsWith('/manage/v1') && access !== 'public',
  )
  .map(([name, operation]) => ({ name, operation, queries: queriesOf(operation) }))

/** Each value of each choice in a query, and the smallest page. */
function queriesOf({ query }: Operation): string[] {
  if (!query) return ['']
  const { properties = {} } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  const choices = Object.entries(properties).flatMap(([name, schema]) =>
    typeof schema === 'object' ? (schema.enum ?? []).map((value) => `?${name}=${String(value)}`) : [],
  )
  return ['', ...choices, ...('limit' in properties ? ['?limit=1'] : [])]
}

const pathOf = (path: string, ids: Ids) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')
const isKnown = ({ path }: Operation, ids: Ids) =>
  [...path.matchAll(/\{(\w+)\}/g)].every(([, name]) => name !== undefined && name in ids)

describe('every read of the management API answers', () => {
  let service: Service
  let node: Node
  let operator: Signed

  before(async () => {
    service = await startService()
    node = service.node
    operator = await signInAsOperator(node)
  })
  after(() => service.close())

  async function readAll(ids: Ids): Promise<number> {
    let calls = 0
    for (const { name, operation, queries } of reads) {
      if (!isKnown(operation, ids)) continue
      for (const query of queries) {
        const path = pathOf(operation.path, ids).replace('/manage/v1', '')
        const answer = await operator.call('GET', `${path}${query}`)
        assert.equal(answer.status, 200, `${name}${query}: ${JSON.stringify(answer.body)}`)
        const parsed = operation.answer.safeParse(answer.body)
        assert.ok(parsed.success, `${name}${query}: ${parsed.error?.message}`)
        calls++
      }
    }
    return calls
  }

  const setPrices = async (price: string) =>
    assert.equal((await node.manage('PUT', '/prices', book(price))).status, 200)

  async function company(settings: object = {}, extra: Record<string, unknown> = {}) {
    const tenant = await createTenant(node, { spend_caps: learned, ...settings }, extra)
    const url = `${node.baseUrl}/nowhere`
    assert.equal((await node.manage('PUT', `/apps/${tenant.appId}/webhook`, { url })).status, 200)
    const { webhooks } = (await node.manage('GET', `/apps/${tenant.appId}/webhooks`)).body
    const ids = {
      company_id: tenant.companyId,
      app_id: tenant.appId,
      endpoint_id: webhooks[0].endpoint_id,
    }
    return { ...tenant, ids }
  }

  /** To new recipients: a send that is approved, one with wrong codes, and one that is left pending. */
  async function traffic(serverKey: string, fresh: () => string): Promise<Ids> {
    await send(node, serverKey, { recipient: fresh(), client_ip: '81.2.69.142' })
    const failed = await started(node, serverKey, fresh())
    for (let guess = 0; guess < 5; guess++)
      await verify(node, serverKey, failed.otpId, wrongCode(failed.code))
    const approved = await started(node, serverKey, fresh())
    assert.equal((await verify(node, serverKey, approved.otpId, approved.code)).status, 200)
    const event = await until('its event', async () => {
      const [row] = await service.database.query<{ event_id: string }>(
        `select event_id from events where otp_id = '${approved.otpId}' limit 1`,
      )
      return row?.event_id
    })
    return { otp_id: approved.otpId, event_id: event }
  }

  it('and all of them are called here', async () => {
    const { ids, serverKey } = await company()
    const whole = { ...ids, ...(await traffic(serverKey, freshPhone)) }
    for (const { name, operation } of reads)
      assert.ok(isKnown(operation, whole), `${name}: ${operation.path}`)
    assert.ok((await readAll(whole)) > reads.length)
  })

  it('of a company that is a minute old, without an app or with one that nobody has used', async () => {
    const made = await node.manage('POST', '/companies', { name: 'New' })
    await readAll({ company_id: made.body.company_id })
    await readAll((await company({}, { balance: '0' })).ids)
    await readAll((await company({}, { metered: false })).ids)
  })

  for (const [prices, price] of [
    ['with prices of zero', '0'],
    ['with the smallest price', '0.000001'],
    ['with the largest price', '1000000'],
  ] as const) {
    it(`${prices}, without traffic, with phones, and with addresses that have no country`, async () => {
      await setPrices(price)
      const extra = price === '0' ? {} : { metered: false }
      await readAll((await company({}, extra)).ids)
      const phones = await company({}, extra)
      await readAll({ ...phones.ids, ...(await traffic(phones.serverKey, freshPhone)) })
      const mails = await company({}, extra)
      await readAll({ ...mails.ids, ...(await traffic(mails.serverKey, freshEmail)) })
    })
  }

  it('after prices went to zero over what was spent before, and back', async () => {
    await setPrices('0.05')
    const { ids, serverKey } = await company({
      spend_caps: { day_by_country: { countries: { GB: '0.16' } } },
    })
    const whole = { ...ids, ...(await traffic(serverKey, freshPhone)) }
    await setPrices('0')
    await readAll(whole)
    await traffic(serverKey, freshPhone)
    await readAll(whole)
    await setPrices('0.05')
    await readAll(whole)
  })

  it('of a company whose balance is used up', async () => {
    await setPrices('0.05')
    const { ids, serverKey } = await company({}, { balance: '0.15' })
    const whole = { ...ids, ...(await traffic(serverKey, freshPhone)) }
    assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 402)
    await readAll(whole)
  })
})
