/** What the guard against pumping says, shows, lists and keeps. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { openDatabase } from '../src/platform/database.ts'
import { deleteExpired } from '../src/platform/kept.ts'
import { createTenant, freshPhone, send, started, untilInForce, verify } from './harness/fixtures.ts'
import {
  attack,
  blockNumbers,
  createGrownTenant,
  enforce,
  pumpingRule,
  spentByBlock,
  withLink,
} from './harness/pumping.ts'
import { dumpRows } from './harness/records.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService()
after(close)

describe('the guard against pumping', () => {
  it('says in a refusal what it is and where it is changed, and shows a device no evidence', async () => {
    const { serverKey, publishableKey } = await createGrownTenant(node, database, enforce)
    await attack(node, serverKey, blockNumbers('+99450389', 20))
    const { status, body } = await send(node, publishableKey, { recipient: '+994503899999' })
    assert.equal(status, 429)
    const { message, details } = body.error
    assert.deepEqual(Object.keys(details).sort(), ['retry_after', 'scope'])
    for (const word of [
      'scope pumping',
      'routing/preview',
      'server key',
      'monitor',
      'off',
      'declared_countries',
    ])
      assert.ok(message.includes(word), word)
    assert.match(message, /safe_prefixes/)
    assert.doesNotMatch(JSON.stringify(body), /99450389|block of|of 6|approved/)
  })

  it('does not act in monitor mode, and says what it would have done', async () => {
    const { serverKey, appId } = await createGrownTenant(node, database, { pumping: { mode: 'monitor' } })
    const { passed, stopped } = await attack(node, serverKey, blockNumbers('+99450316', 24))
    assert.equal(stopped.length, 0)
    const rule = await pumpingRule(node, serverKey, passed.at(-1)?.body.otp_id)
    assert.equal(rule.outcome, 'pass')
    assert.match(
      rule.why,
      /^Monitored only; otherwise it would be refused\. Pumping: .* 0 of \d+ new numbers/,
    )
    const { body } = await node.manage('GET', `/apps/${appId}/blocks`)
    assert.ok(body.blocks.length > 0)
  })

  it('holds a number that asks again and again to itself, and says so', async () => {
    const wide = [{ max: 1_000, window_s: 1 }]
    const { serverKey } = await createGrownTenant(node, database, { ...enforce, limits: { recipient: wide } })
    const recipient = '+447400661122'
    const { passed, stopped } = await attack(
      node,
      serverKey,
      Array.from({ length: 8 }, () => recipient),
    )
    assert.equal(passed.length, 5)
    assert.equal(stopped[0]?.body.error.details.scope, 'pumping')
    const look = await node.call('POST', '/api/v1/routing/preview', { key: serverKey, body: { recipient } })
    const { why, facts } = look.body.decision.at(-1)
    assert.equal(facts.because, 'repeated')
    assert.deepEqual([facts.sends, facts.max], [5, 5])
    assert.match(why, /has had 5 codes and typed none, where it may have 5 without typing one/)
    assert.equal((await send(node, serverKey, { recipient: '+447400661123' })).status, 200)
  })

  it('lists each block with its country, or the digits of its range, so that nobody takes its name apart', async () => {
    const { serverKey, appId } = await createTenant(node, { pumping: { mode: 'auto' } })
    await attack(node, serverKey, blockNumbers('+99440126', 70))
    const { blocks } = (await node.manage('GET', `/apps/${appId}/blocks`)).body
    type Shown = Readonly<Record<'level' | 'country' | 'prefix', string | null>>
    const shown = blocks.map(({ level, country, prefix }: Shown) => `${level} ${country} ${prefix}`)
    assert.deepEqual(shown.toSorted(), ['carrier AZ null', 'country AZ null', 'r10k null +99440126'])
  })

  it('lists its blocks with their evidence, and lifts one', async () => {
    const { serverKey, appId } = await createGrownTenant(node, database, enforce)
    const stranger = await createGrownTenant(node, database, enforce)
    await attack(node, serverKey, blockNumbers('+99450320', 20))
    const { body } = await node.manage('GET', `/apps/${appId}/blocks`)
    const [block] = body.blocks
    assert.equal(block.level, 'r10k')
    assert.equal(block.kind, 'hold')
    assert.equal(block.place, '+99450320xxxx')
    assert.deepEqual([block.country, block.prefix], [null, '+99450320'])
    assert.equal(block.numbers, spentByBlock)
    assert.equal(block.approved, 0)
    const foreign = await node.manage('DELETE', `/apps/${stranger.appId}/blocks/${block.block_id}`)
    assert.equal(foreign.status, 404)
    assert.equal((await send(node, serverKey, { recipient: '+994503209999' })).status, 429)
    for (const { block_id } of body.blocks) {
      assert.equal((await node.manage('DELETE', `/apps/${appId}/blocks/${block_id}`)).status, 200)
    }
    assert.equal((await node.manage('GET', `/apps/${appId}/blocks`)).body.blocks.length, 0)
    assert.equal((await send(node, serverKey, { recipient: '+994503209998' })).status, 200)
    assert.equal((await node.manage('DELETE', `/apps/${appId}/blocks/${block.block_id}`)).status, 404)
  })

  it('closes a place again whose block was lifted by mistake, with what it owed and what it was sent since', async () => {
    const { serverKey, appId } = await createGrownTenant(node, database, enforce)
    const stranger = await createGrownTenant(node, database, enforce)
    await attack(node, serverKey, blockNumbers('+99450324', 20))
    const blocksNow = async () => (await node.manage('GET', `/apps/${appId}/blocks`)).body.blocks
    const [block] = await blocksNow()
    const path = `/apps/${appId}/blocks/${block.block_id}`
    assert.equal((await node.manage('POST', `${path}/restore`)).status, 404, 'it was not lifted')
    assert.equal((await node.manage('DELETE', path)).status, 200)
    assert.equal((await send(node, serverKey, { recipient: '+994503249999' })).status, 200)
    const foreign = await node.manage('POST', `/apps/${stranger.appId}/blocks/${block.block_id}/restore`)
    assert.equal(foreign.status, 404)
    const restored = await node.manage('POST', `${path}/restore`)
    assert.deepEqual([restored.status, restored.body.until], [200, block.until])
    assert.deepEqual(await blocksNow(), [{ ...block, numbers: block.numbers + 1 }])
    const held = await send(node, serverKey, { recipient: '+994503249998' })
    assert.deepEqual([held.status, held.body.error?.details.scope], [429, 'pumping'])
    assert.equal((await node.manage('POST', `${path}/restore`)).status, 404, 'it is not lifted any more')
    assert.equal((await node.manage('DELETE', path)).status, 200, 'it can be lifted again')
    await ageHolds(appId)
    assert.equal((await node.manage('POST', `${path}/restore`)).status, 404, 'it would be over by now')
  })

  it('previews what a send would do, and changes nothing by it', async () => {
    const { serverKey } = await createGrownTenant(node, database, enforce)
    const look = (recipient: string) =>
      node.call('POST', '/api/v1/routing/preview', { key: serverKey, body: { recipient } })
    for (let count = 0; count < 30; count++) await look('+994503219999')
    const { passed } = await attack(node, serverKey, blockNumbers('+99450321', 20))
    assert.equal(passed.length, spentByBlock)
    const { body } = await look('+994503219999')
    assert.equal(body.error.details.scope, 'pumping')
    assert.ok(body.decision.at(-1).why.includes(`0 of ${spentByBlock} new numbers`))
  })

  it('previews with approvals that nothing was sent since, and leaves them for the next send', async () => {
    const { serverKey, appId } = await createGrownTenant(node, database, enforce)
    const { otpId, code } = await started(node, serverKey)
    assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
    const notes = () => database.query('select otp_id from pumping_approvals where app_id = $1', [appId])
    const body = { recipient: freshPhone() }
    assert.equal((await node.call('POST', '/api/v1/routing/preview', { key: serverKey, body })).status, 200)
    assert.equal((await notes()).length, 1)
    assert.equal((await send(node, serverKey, body)).status, 200)
    assert.equal((await notes()).length, 0)
  })

  it('knows a recipient whom the app verified on a channel that it does not watch, unless it was off', async () => {
    for (const [mode, prefix, status] of [
      ['enforce', '+99450325', 200],
      ['off', '+99450326', 429],
    ] as const) {
      const settings = { pumping: { mode }, routing: { default: ['telegram', 'sms'] } }
      const { serverKey, appId } = await createGrownTenant(node, database, settings)
      const { recipient, otpId, code } = await started(node, serverKey, `${prefix}1234`)
      assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
      await node.manage('PATCH', `/apps/${appId}`, { ...enforce, routing: { default: ['sms'] } })
      await untilInForce('the order', async () => {
        const { body } = await send(node, serverKey, { recipient: freshPhone() })
        return body.channel === 'sms'
      })
      await attack(node, serverKey, blockNumbers(prefix, 14))
      assert.equal((await send(node, serverKey, { recipient: `${prefix}9999` })).status, 429)
      assert.equal((await send(node, serverKey, { recipient })).status, status, mode)
    }
  })

  it('knows whom the app verified last, also after half a year in which it sent nothing', async () => {
    const { serverKey, appId } = await createGrownTenant(node, database, enforce)
    const { recipient, otpId, code } = await started(node, serverKey, '+994503271234')
    assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
    await database.query(
      `update pumping_approvals
          set approved_at = approved_at - interval '179 days', expires_at = expires_at - interval '179 days'
        where app_id = $1`,
      [appId],
    )
    await database.query('delete from pumping_acquaintances where app_id = $1', [appId])
    const pool = openDatabase(database.url, 1, () => {})
    await deleteExpired(pool, 'pumping_approvals').finally(() => pool.close())
    await attack(node, serverKey, blockNumbers('+99450327', 14))
    assert.equal((await send(node, serverKey, { recipient: '+994503279999' })).status, 429)
    assert.equal((await send(node, serverKey, { recipient })).status, 200)
  })

  it('keeps no approvals for half a year while it is off, when no send takes them', async () => {
    const { serverKey, appId } = await createGrownTenant(node, database, enforce)
    const { otpId, code } = await started(node, serverKey)
    await node.manage('PATCH', `/apps/${appId}`, { pumping: { mode: 'off' } })
    assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
    const notes = await database.query<{ days: number }>(
      `select extract(day from expires_at - approved_at)::integer as days from pumping_approvals where app_id = $1`,
      [appId],
    )
    assert.deepEqual(notes, [{ days: 7 }])
  })

  it('keeps no number: not in its tables, not in its evidence, not in what it lists', async () => {
    const { serverKey, appId } = await createGrownTenant(node, database, withLink)
    const numbers = blockNumbers('+99450777', 24)
    const { passed } = await attack(node, serverKey, numbers)
    const listed = JSON.stringify((await node.manage('GET', `/apps/${appId}/blocks`)).body)
    const rules = await Promise.all(passed.map(({ body }) => pumpingRule(node, serverKey, body.otp_id)))
    for (const text of [listed, JSON.stringify(rules)]) {
      assert.ok(text.includes('+99450777xxxx'))
      for (const number of numbers) assert.ok(!text.includes(number.slice(0, -3)))
    }
    const rows = await dumpRows(database)
    const guardRows = rows.filter(({ table }) => table.startsWith('pumping'))
    assert.ok(guardRows.length > 0)
    const canaries = ['99450777', ...numbers.map((number) => number.slice('+994'.length))]
    for (const { row } of guardRows) for (const canary of canaries) assert.ok(!row.includes(canary), row)
  })

  it('forgets an erased recipient', async () => {
    const { serverKey, companyId, appId } = await createGrownTenant(node, database, enforce)
    const { recipient, otpId, code } = await started(node, serverKey, '+994503221234')
    await verify(node, serverKey, otpId, code)
    const people = () => database.query('select 1 from pumping_acquaintances where app_id = $1', [appId])
    assert.equal((await people()).length, 1)
    await node.manage('POST', `/companies/${companyId}/erasures`, { recipient })
    assert.equal((await people()).length, 0)
    assert.deepEqual(await approvedPeople(appId), [])
  })

  it('takes an erased recipient out of an approval that others share', async () => {
    const { serverKey, companyId, appId } = await createGrownTenant(node, database, enforce)
    // Both are sent before either is approved, because a send consumes recorded approvals.
    const both = [
      await started(node, serverKey, '+994503231234'),
      await started(node, serverKey, '+994503235678'),
    ]
    for (const { otpId, code } of both) await verify(node, serverKey, otpId, code)
    await database.query(
      `with gone as (delete from pumping_approvals where app_id = $1 returning *)
       insert into pumping_approvals
       select company_id, app_id, min(otp_id), array_agg(hash), min(approved_at), min(expires_at)
         from gone cross join unnest(recipient_hashes) hash group by company_id, app_id`,
      [appId],
    )
    const before = await approvedPeople(appId)
    assert.equal(before.length, both.length)
    await node.manage('POST', `/companies/${companyId}/erasures`, { recipient: both[0]?.recipient })
    const after = await approvedPeople(appId)
    assert.equal(after.length, 1)
    assert.ok(before.includes(String(after[0])))
  })
})

/** Recipients whose approvals no batch has read yet. */
async function approvedPeople(appId: string): Promise<string[]> {
  const rows = await database.query<{ hash: string }>(
    `select encode(unnest(recipient_hashes), 'hex') as hash from pumping_approvals where app_id = $1`,
    [appId],
  )
  return rows.map(({ hash }) => hash)
}

/** Makes every block end. Rows are found by the time until which they are blocked. */
const ageHolds = (appId: string) =>
  database.query(
    `update pumping_states set blocked_until = now() - interval '1 second'
      where company_id = (select company_id from apps where app_id = $1)`,
    [appId],
  )
