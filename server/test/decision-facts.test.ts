import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { operations } from '@countersign/contract'
import { createTenant, freshPhone, resend, send, started } from './harness/fixtures.ts'
import { startService } from './harness/service.ts'

const service = await startService()
const { database, node } = service
after(() => service.close())

const decisionsOf = async (key: string, otpId: string) => {
  const { body } = await node.call('GET', `/api/v1/otp/${otpId}/decision`, { key })
  return operations.decision.answer.parse(body).decisions
}
const previewOf = async (key: string, recipient: string) => {
  const { body } = await node.call('POST', '/api/v1/routing/preview', { key, body: { recipient } })
  return operations.preview.answer.parse(body)
}

describe('the facts of a decision', () => {
  it('are stored without a sentence, and answered with one, as the reference says', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId } = await started(node, serverKey)
    await resend(node, serverKey, otpId)
    const rows = await database.query<{ rules: Record<string, unknown>[] }>(
      'select rules from decisions where otp_id = $1',
      [otpId],
    )
    for (const rule of rows.flatMap(({ rules }) => rules))
      assert.deepEqual(Object.keys(rule), ['rule', 'outcome', 'facts'])
    const [sent, resent] = await decisionsOf(serverKey, otpId)
    const factsIn = (decision: typeof sent, name: string) =>
      decision?.rules.find(({ rule }) => rule === name)?.facts
    assert.deepEqual(factsIn(sent, 'recipient'), { because: 'phone', country: 'GB' })
    assert.deepEqual(factsIn(sent, 'limits'), { scopes: ['recipient', 'app_without_ip', 'app'] })
    assert.deepEqual(factsIn(resent, 'send_attempts'), { because: 'counted', used: 1, max: 5 })
    for (const { why, facts } of [...(sent?.rules ?? []), ...(resent?.rules ?? [])])
      assert.ok(facts && /^[A-Z0-9].*\.$/.test(why), why)
  })

  it('of a preview are those of the send that follows, rule by rule', async () => {
    const { serverKey } = await createTenant(node)
    const recipient = freshPhone()
    const { decision } = await previewOf(serverKey, recipient)
    const { otpId } = await started(node, serverKey, recipient)
    const [sent] = await decisionsOf(serverKey, otpId)
    assert.deepEqual(decision, sent?.rules)
    const names = ['recipient', 'geo', 'ip_reputation', 'routing', 'pumping', 'limits', 'spend', 'balance']
    assert.deepEqual(
      decision.map(({ rule }) => rule),
      names,
    )
  })

  it('of management are those of the API', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId } = await started(node, serverKey)
    const { body } = await node.manage('GET', `/verifications/${otpId}`)
    assert.deepEqual(body.decisions, await decisionsOf(serverKey, otpId))
  })

  it('are not there in a row that was written as a sentence, which is read as it was said', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId } = await started(node, serverKey)
    const said = { rule: 'geo', outcome: 'pass', why: 'GB was not blocked.' } as const
    await database.query('update decisions set rules = $2 where otp_id = $1', [otpId, JSON.stringify([said])])
    const [decision] = await decisionsOf(serverKey, otpId)
    assert.deepEqual(decision?.rules, [{ ...said, facts: null }])
  })

  it('of a limit say how much of what was used in which time', async () => {
    const { serverKey } = await createTenant(node, {
      limits: { recipient: [{ max: 2, window_s: 600 }], app_without_ip: [{ max: 3, window_s: 3600 }] },
    })
    const recipient = freshPhone()
    for (const _ of [1, 2]) assert.equal((await send(node, serverKey, { recipient })).status, 200)
    const counted = (await previewOf(serverKey, recipient)).decision.at(-1)
    assert.equal(counted?.rule, 'limit.recipient')
    const wait = { counted: 'requests', retry_after: 0 }
    const expected = { ...wait, scope: 'recipient', used: 2, max: 2, window_s: 600 }
    assert.deepEqual({ ...counted?.facts, retry_after: 0 }, expected)
    assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
    const rate = (await previewOf(serverKey, freshPhone())).decision.at(-1)
    const scope = 'app_without_ip'
    assert.equal(rate?.rule, `limit.${scope}`)
    assert.deepEqual({ ...rate?.facts, retry_after: 0 }, { ...wait, scope, used: 3, max: 3, window_s: 3600 })
  })

  it('of a balance that is not enough are the price and what is there', async () => {
    const { serverKey } = await createTenant(node, {}, { metered: true, balance: '0' })
    const last = (await previewOf(serverKey, freshPhone())).decision.at(-1)
    assert.deepEqual(last, {
      rule: 'balance',
      outcome: 'refuse',
      why: 'The balance is not enough: this message costs 0.050000.',
      facts: { because: 'price', price: '0.050000', balance: '0.000000' },
    })
  })
})
