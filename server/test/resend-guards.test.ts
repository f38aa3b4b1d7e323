import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Capture } from './harness/capture.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, resend, send, started } from './harness/fixtures.ts'
import { type Answer, type Node, startNode } from './harness/node.ts'

const abusiveIp = '45.155.205.1'

describe('what a resend is held to', { timeout: 120_000 }, () => {
  const capture = new Capture()
  let database: TestDatabase
  let folder = ''
  let node: Node
  /** The same database, another node, and it knows which addresses are abusive. */
  let wary: Node

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-resend-'))
    await writeFile(join(folder, 'abusive.txt'), `${abusiveIp}\n`)
    const sources = [{ path: join(folder, 'abusive.txt'), class: 'abusive' }]
    await writeFile(join(folder, 'sources.json'), JSON.stringify(sources))
    database = await createTestDatabase()
    node = await startNode(database.url, { capture })
    wary = await startNode(database.url, { capture, ipSourcesFile: join(folder, 'sources.json') })
  })
  after(async () => {
    await node?.close()
    await wary?.close()
    await database?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const row = async (otpId: string) => {
    const [found] = await database.query<{
      sends: number
      code_version: number
      expires_at: Date
      resend_at: Date
      channel: string
    }>('select sends, code_version, expires_at, resend_at, channel from verifications where otp_id = $1', [
      otpId,
    ])
    assert.ok(found)
    return found
  }
  /** As if the verification had been started that much earlier. */
  const age = (otpId: string, seconds: number) =>
    database.query(
      `update verifications set created_at = created_at - $2 * interval '1 second',
              expires_at = expires_at - $2 * interval '1 second', resend_at = resend_at - $2 * interval '1 second'
        where otp_id = $1`,
      [otpId, seconds],
    )
  const refused = (answer: Answer, statusCode: number, type: string) => {
    assert.equal(answer.status, statusCode, JSON.stringify(answer.body))
    assert.equal(answer.body.error.type, type)
  }
  /** A refused resend leaves the verification, its deliveries and its decisions as they were. */
  async function changesNothing(otpId: string, act: () => Promise<void>): Promise<void> {
    const look = async () => ({
      verification: await row(otpId),
      rows: await database.query(
        `select (select count(*) from deliveries where otp_id = $1) as deliveries,
                (select count(*) from decisions where otp_id = $1) as decisions,
                (select count(*) from links where otp_id = $1) as links,
                (select sum(cardinality(state)) from limits) as counted,
                (select sum(balance_micros) from companies) as money`,
        [otpId],
      ),
    })
    const earlier = await look()
    await act()
    assert.deepEqual(await look(), earlier)
  }

  it('a country that was blocked in between is blocked for a resend', async () => {
    const { serverKey, appId } = await createTenant(node)
    const { otpId } = await started(node, serverKey)
    await node.manage('PATCH', `/apps/${appId}`, { geo: { mode: 'block', countries: ['GB'] } })
    await changesNothing(otpId, async () =>
      refused(await resend(node, serverKey, otpId), 403, 'GeoBlockedError'),
    )
  })

  it('the address declared on the send is judged again on a resend', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId } = await started(node, serverKey, freshPhone(), { client_ip: abusiveIp })
    await changesNothing(otpId, async () =>
      refused(await resend(wary, serverKey, otpId), 403, 'IpReputationBlockedError'),
    )
  })

  it('a resend counts against the limits of the recipient and of the address, and is held to them', async () => {
    const { serverKey } = await createTenant(node, { limits: { recipient: [{ max: 2, window_s: 600 }] } })
    const { otpId } = await started(node, serverKey)
    assert.equal((await resend(node, serverKey, otpId)).status, 200)
    await changesNothing(otpId, async () => {
      const third = await resend(node, serverKey, otpId)
      refused(third, 429, 'RateLimitExceededError')
      assert.equal(third.body.error.details.scope, 'recipient')
    })
    const byAddress = await createTenant(node, {
      limits: { ip: [{ max: 2, window_s: 600 }], flagged_ip: [{ max: 1, window_s: 600 }] },
    })
    const one = await started(node, byAddress.serverKey, freshPhone(), { client_ip: '8.8.8.8' })
    assert.equal((await resend(node, byAddress.serverKey, one.otpId)).status, 200)
    const third = await resend(node, byAddress.serverKey, one.otpId)
    refused(third, 429, 'RateLimitExceededError')
    assert.equal(third.body.error.details.scope, 'ip')
  })

  it('a resend is paid for, and refused without the money', async () => {
    const { serverKey, companyId } = await createTenant(node, {}, { balance: '0.07' })
    const { otpId } = await started(node, serverKey)
    const moved = await resend(node, serverKey, otpId)
    assert.equal(moved.body.channel, 'whatsapp')
    assert.equal((await node.manage('GET', `/companies/${companyId}`)).body.balance, '0.000000')
    await changesNothing(otpId, async () =>
      refused(await resend(node, serverKey, otpId), 402, 'InsufficientFundsError'),
    )
  })

  it('a link that is answered again spends no send attempt and no limit, but starts the cooldown', async () => {
    const { serverKey } = await createTenant(node, {
      routing: { default: ['whatsapp', 'sms'] },
      channels: { whatsapp: { mode: 'link_code' } },
      resend_cooldown_s: 30,
      limits: { recipient: [{ max: 1, window_s: 600 }] },
    })
    const sent = await send(node, serverKey, { recipient: freshPhone() })
    const otpId: string = sent.body.otp_id
    await age(otpId, 30)
    const again = await resend(node, serverKey, otpId)
    assert.equal(again.status, 200, JSON.stringify(again.body))
    assert.equal(again.body.action_url, sent.body.action_url)
    assert.equal((await row(otpId)).sends, 1)
    const early = await resend(node, serverKey, otpId)
    refused(early, 429, 'ResendCooldownError')
    assert.equal(early.headers.get('retry-after'), '30')
  })

  it('on a resend the cooldown is asked before the send attempts, those before the channel, that before the guard', async () => {
    const { serverKey, appId } = await createTenant(node, { max_sends: 1, resend_cooldown_s: 30 })
    const { otpId } = await started(node, serverKey)
    await node.manage('PATCH', `/apps/${appId}`, { geo: { countries: ['GB'] } })
    refused(await resend(node, serverKey, otpId, 'email'), 429, 'ResendCooldownError')
    await age(otpId, 30)
    refused(await resend(node, serverKey, otpId, 'email'), 409, 'ResendNotAllowedError')
    await database.query('update verifications set max_sends = 2 where otp_id = $1', [otpId])
    const channel = await resend(node, serverKey, otpId, 'email')
    refused(channel, 409, 'ResendNotAllowedError')
    assert.match(channel.body.error.message, /email/)
    refused(await resend(node, serverKey, otpId), 403, 'GeoBlockedError')
  })

  it('each accepted resend is recorded with its reasons', async () => {
    const { serverKey } = await createTenant(node)
    const { otpId } = await started(node, serverKey)
    await resend(node, serverKey, otpId)
    const { body } = await node.call('GET', `/api/v1/otp/${otpId}/decision`, { key: serverKey })
    assert.deepEqual(
      body.decisions.map((decision: { kind: string }) => decision.kind),
      ['send', 'resend'],
    )
    const rules = body.decisions[1].rules.map((rule: { rule: string }) => rule.rule)
    assert.deepEqual(rules, [
      'cooldown',
      'send_attempts',
      'routing',
      'geo',
      'ip_reputation',
      'limits',
      'balance',
    ])
  })
})
