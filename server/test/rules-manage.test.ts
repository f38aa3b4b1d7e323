/** How an app's own rules are stored: revisions, who made them, and that only one of two parallel changes wins. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createApp, createTenant, freshPhone, send, untilInForce } from './harness/fixtures.ts'
import { joinCompany } from './harness/people.ts'
import { assertRefused } from './harness/refusals.ts'
import { startTwoNodeService } from './harness/service.ts'
import { putRules, ruleOf } from './rules-support.ts'

const { nodes, database, close } = await startTwoNodeService()
const [node, other] = nodes
after(close)

const pathOf = (appId: string) => `/apps/${appId}/rules`

describe('the rules of an app', () => {
  it('are none at first, and are answered as they were put, each with an id', async () => {
    const { appId } = await createTenant(node)
    assert.deepEqual((await node.manage('GET', pathOf(appId))).body, { revision: 0, rules: [] })
    const rule = ruleOf({ when: { country: ['GB'], hour: { gte: 22, lte: 5 } }, mode: 'shadow' })
    const put = await node.manage('PUT', pathOf(appId), { revision: 0, rules: [rule] })
    assert.equal(put.status, 200, JSON.stringify(put.body))
    const { rule_id, ...stored } = put.body.rules[0]
    assert.match(rule_id, /^rul_/)
    assert.deepEqual([put.body.revision, stored], [1, rule])
    assert.deepEqual((await node.manage('GET', pathOf(appId))).body, put.body)
    const renamed = { ...put.body.rules[0], name: 'Renamed' }
    const again = await node.manage('PUT', pathOf(appId), { revision: 1, rules: [renamed] })
    assert.equal(again.body.rules[0].rule_id, rule_id)
  })

  it('are not put over what somebody else has changed: of two at one revision one wins', async () => {
    const { appId } = await createTenant(node)
    const bodies = [ruleOf({ name: 'A' }), ruleOf({ name: 'B' })].map((rule) => ({
      revision: 0,
      rules: [rule],
    }))
    const answers = await Promise.all(
      bodies.map((body, index) => (nodes[index] ?? node).manage('PUT', pathOf(appId), body)),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    const lost = answers.find(({ status }) => status === 409)
    assert.equal(lost?.body.error.type, 'ConflictError')
    assert.equal(lost?.body.error.details.revision, 1)
    const won = answers.find(({ status }) => status === 200)
    assert.deepEqual((await node.manage('GET', pathOf(appId))).body, won?.body)
  })

  it('are in force on every node within a second', async () => {
    const { appId, serverKey } = await createTenant(node)
    assert.equal((await send(other, serverKey, { recipient: freshPhone() })).status, 200)
    await putRules(node, appId, [{}])
    await untilInForce('the rule on the other node', async () => {
      const { status } = await send(other, serverKey, { recipient: freshPhone() })
      return status === 403
    })
  })

  it('are kept with who changed them, newest first, and come back as a new revision', async () => {
    const { appId, companyId, serverKey } = await createTenant(node)
    const person = await joinCompany(node, companyId, 'developer')
    await putRules(node, appId, [{ name: 'By token' }])
    const put = await person.call('PUT', pathOf(appId), { revision: 1, rules: [] })
    assert.equal(put.status, 200, JSON.stringify(put.body))
    const { body } = await person.call('GET', `${pathOf(appId)}/revisions?limit=1`)
    assert.deepEqual(
      body.revisions.map((each: { revision: number; by: object }) => [each.revision, each.by]),
      [[2, { actor: 'person', person_id: body.revisions[0].by.person_id, email: person.email }]],
    )
    const second = await person.call('GET', `${pathOf(appId)}/revisions?limit=1&cursor=${body.next_cursor}`)
    assert.equal(second.body.revisions[0].by.actor, 'token')
    assert.equal(second.body.next_cursor, null)
    const restored = await person.call('POST', `${pathOf(appId)}/revisions/1/restore`)
    assert.equal(restored.body.revision, 3)
    assert.equal(restored.body.rules[0].name, 'By token')
    assertRefused(await send(node, serverKey, { recipient: freshPhone() }), 403, 'RuleBlockedError')
    const listed = await node.manage('GET', `${pathOf(appId)}/revisions`)
    assert.equal(listed.body.revisions[0].restored_from, 1)
    const neighbour = await createApp(node, companyId)
    const theirs = await node.manage('POST', `${pathOf(neighbour.appId)}/revisions/1/restore`)
    assertRefused(theirs, 404, 'NotFoundError')
    for (const missing of ['0', '9', 'x', '99999999999'])
      assertRefused(
        await node.manage('POST', `${pathOf(appId)}/revisions/${missing}/restore`),
        404,
        'NotFoundError',
      )
  })

  it('stand in the audit trail, with the change', async () => {
    const { appId, companyId } = await createTenant(node)
    await putRules(node, appId, [{ name: 'Seen' }])
    const { body } = await node.manage('GET', `/companies/${companyId}/audit`)
    const entry = body.entries.find(({ action }: { action: string }) => action === 'putRules')
    assert.equal(entry.outcome, 'done')
    assert.equal(entry.changes.rules[0].name, 'Seen')
  })

  it('are kept for a hundred revisions', async () => {
    const { appId } = await createTenant(node)
    for (const before of [0, 50, 51, 150]) {
      await database.query('update apps set rules_revision = $2 where app_id = $1', [appId, before])
      await putRules(node, appId, [])
    }
    const rows = await database.query<{ revision: number }>(
      'select revision from rule_revisions where app_id = $1 order by revision',
      [appId],
    )
    assert.deepEqual(rows, [{ revision: 52 }, { revision: 151 }])
  })

  const tooMany = Array.from({ length: 21 }, () => ruleOf({}))
  for (const [title, rules, path] of [
    ['more than twenty', tooMany, 'rules'],
    ['two of one name', [ruleOf({ name: 'A' }), ruleOf({ name: 'A' })], 'rules'],
    ['a name that is empty', [ruleOf({ name: ' ' })], 'rules.0.name'],
    ['an unknown condition', [ruleOf({ when: { colour: ['blue'] } as object })], 'rules.0.when.colour'],
    ['a country that is none', [ruleOf({ when: { country: ['XX'] } })], 'rules.0.when.country.0'],
    ['an empty list', [ruleOf({ when: { country: [] } })], 'rules.0.when.country'],
    [
      'a count without a bound',
      [ruleOf({ when: { sends_of_app: { window_s: 60 } } })],
      'rules.0.when.sends_of_app',
    ],
    [
      'a count over more than a day',
      [ruleOf({ when: { sends_of_app: { gte: 1, window_s: 86_401 } } })],
      'rules.0.when.sends_of_app.window_s',
    ],
    [
      'bounds that no count can be between',
      [ruleOf({ when: { sends_of_app: { gte: 2, lte: 1, window_s: 60 } } })],
      'rules.0.when.sends_of_app',
    ],
    ['a price that is no amount', [ruleOf({ when: { price: { gte: 'much' } } })], 'rules.0.when.price.gte'],
    ['an hour that is none', [ruleOf({ when: { hour: { gte: 24 } } })], 'rules.0.when.hour.gte'],
    ['a hold of no time', [ruleOf({ then: { action: 'hold', minutes: 0 } })], 'rules.0.then.minutes'],
    ['no channel at all', [ruleOf({ then: { action: 'channels', channels: [] } })], 'rules.0.then.channels'],
    ['an action that is none', [ruleOf({ then: { action: 'explode' } as never })], 'rules.0.then.action'],
  ] as const) {
    it(`are not taken with ${title}, and the field is named`, async () => {
      const { appId } = await createTenant(node)
      const answer = await node.manage('PUT', pathOf(appId), { revision: 0, rules })
      assertRefused(answer, 422, 'ValidationError')
      assert.equal(answer.body.error.details.fields[0].path, path)
    })
  }
})
