/** Generated from the table of rules: each rule that can refuse × send and resend leaves one row with its facts. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { operations } from '@countersign/contract'
import { createTenant, freshPhone, resend, send, until } from './harness/fixtures.ts'
import { close, database, node, scenarios } from './refusal-scenarios.ts'

after(close)

const listOf = async (appId: string) => {
  const { body } = await node.manage('GET', `/apps/${appId}/refusals`)
  return operations.listRefusals.answer.parse(body).refusals
}
/** Waits for the first row, because a list does not wait long for pending writes. */
const writtenOf = (appId: string) =>
  until('its row', async () => {
    const listed = await listOf(appId)
    return listed.length > 0 && listed
  })

describe('a refusal', () => {
  for (const [rule, kinds] of Object.entries(scenarios)) {
    for (const [kind, scenario] of Object.entries(kinds)) {
      if (!scenario) continue
      it(`of a ${kind} by the rule ${rule} leaves one row with its facts`, async () => {
        const { tenant, answer, otpId = null, masked, ...expected } = await scenario()
        assert.ok(answer.status >= 400 && answer.status < 500, JSON.stringify(answer.body))
        const refusals = await writtenOf(tenant.appId)
        assert.equal(refusals.length, 1)
        const [refusal] = refusals
        assert.ok(refusal)
        const { facts, why, client_ip, created_at, key_id, refusal_id, ...rest } = refusal
        const isUnknown = 'channel' in expected
        assert.deepEqual(rest, {
          kind,
          otp_id: otpId,
          error_type: answer.body.error.type,
          rule,
          masked_recipient: masked ?? rest.masked_recipient,
          country: rule === 'recipient' ? null : rule === 'pumping' ? 'AZ' : 'GB',
          channel: isUnknown ? null : 'sms',
          price: isUnknown ? null : '0.050000',
          count: 1,
        })
        assert.match(rest.masked_recipient, masked === undefined ? /^\+44\*{4}\d\d$/ : /\*{4}/)
        if (expected.client_ip !== 'any') assert.equal(client_ip, expected.client_ip ?? null)
        const at = created_at
        // The reference defines the facts of each rule: others would not parse.
        operations.decision.answer.parse({
          decisions: [{ kind, at, rules: [{ rule, outcome: 'refuse', why, facts }] }],
        })
        assert.match(why, /^\S.*\.$/)
        assert.match(refusal_id, /^ref_/)
        const keys = (await node.manage('GET', `/apps/${tenant.appId}/keys`)).body.keys
        assert.ok(keys.some((key: { key_id: string; kind: string }) => key.key_id === key_id))
        const [row] = await database.query<{ has_hash: boolean }>(
          'select recipient_hash is not null as has_hash from refusals where refusal_id = $1',
          [refusal_id],
        )
        assert.equal(row?.has_hash, rule !== 'recipient')
      })
    }
  }

  it('of a resend says what the sentence of its error says', async () => {
    const cooling = await scenarios.cooldown.resend?.()
    assert.ok(cooling)
    const [refusal] = await writtenOf(cooling.tenant.appId)
    assert.equal(refusal?.why, cooling.answer.body.error.message)
    assert.deepEqual(refusal?.facts, { retry_after: cooling.answer.body.error.details.retry_after })
  })

  it('of a resend is in the timeline of its verification', async () => {
    const cooling = await scenarios.cooldown.resend?.()
    assert.ok(cooling)
    await writtenOf(cooling.tenant.appId)
    const { body } = await node.manage('GET', `/verifications/${cooling.otpId}`)
    const told = operations.getVerification.answer.parse(body).timeline.find(({ kind }) => kind === 'refused')
    assert.equal(told?.text, `A resend was refused. ${cooling.answer.body.error.message}`)
  })

  it('is not made by a preview, a malformed call or a verification that nobody knows', async () => {
    const tenant = await createTenant(node, { geo: { mode: 'block', countries: ['GB'] } })
    const { serverKey: key, appId } = tenant
    const recipient = freshPhone()
    await node.call('POST', '/api/v1/routing/preview', { key, body: { recipient } })
    assert.equal((await send(node, key, { recipient, channel: 'sms' })).status, 422)
    assert.equal((await send(node, key, { recipient, client_ip: 'x' })).status, 422)
    assert.equal((await resend(node, key, 'otp_01kxxxxxxx0000000000000000')).status, 404)
    assert.deepEqual(await listOf(appId), [])
  })

  it('is counted in the metrics, by rule', async () => {
    const tenant = await createTenant(node, { geo: { mode: 'block', countries: ['FR'] } })
    const count = async () =>
      Number(
        /^countersign_refusals_total\{kind="send",rule="geo"\} (\d+)$/m.exec(
          (await node.call('GET', '/metrics')).body,
        )?.[1] ?? 0,
      )
    const before = await count()
    for (const _ of [1, 2]) await send(node, tenant.serverKey, { recipient: '+33612345678' })
    assert.equal(await count(), before + 2)
  })
})
