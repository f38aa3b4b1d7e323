/** Attacks on the real app: what is stopped, what is rerouted, and who passes nevertheless. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Capture } from './harness/capture.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, resend, send, sendPatiently, started, verify } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'
import {
  attack,
  blockNumbers,
  createGrownTenant,
  enforce,
  freshAddress,
  pumpingRule,
  spentByBlock,
  withLink,
} from './harness/pumping.ts'
import { linkText, write } from './harness/whatsapp.ts'

const auto = { pumping: { mode: 'auto' } }

describe('the guard against pumping', () => {
  let database: TestDatabase
  let node: Node
  let other: Node

  before(async () => {
    database = await createTestDatabase()
    node = await startNode(database.url)
    other = await startNode(database.url, { capture: node.capture })
  })

  after(async () => {
    await Promise.all([node?.close(), other?.close()])
    await database?.close()
  })

  it('stops an attack on a block of numbers after six sends, whatever the addresses', async () => {
    const { serverKey } = await createGrownTenant(node, database, enforce)
    const { passed, stopped } = await attack(node, serverKey, blockNumbers('+99450310', 14))
    assert.equal(passed.length, spentByBlock)
    for (const { status, body, headers } of stopped) {
      assert.equal(status, 429)
      assert.equal(body.error.type, 'RateLimitExceededError')
      assert.equal(body.error.details.scope, 'pumping')
      assert.ok(body.error.details.retry_after >= 1)
      assert.equal(headers.get('retry-after'), String(body.error.details.retry_after))
    }
  })

  it('where the simulator carries, only records, unless the app asks for more', async () => {
    const capture = new Capture()
    const builtIn = () => capture.providers().map((provider) => ({ ...provider, isSimulated: true }))
    const sandbox = await startNode(database.url, { capture, builtIn })
    try {
      const tried = await createGrownTenant(sandbox, database, auto)
      const { passed } = await attack(sandbox, tried.serverKey, blockNumbers('+99450388', 14))
      assert.equal(passed.length, 14)
      const rule = await pumpingRule(sandbox, tried.serverKey, passed.at(-1)?.body.otp_id)
      assert.equal(rule.outcome, 'pass')
      assert.match(rule.why, /^Simulated; otherwise it would be refused\. Pumping: /)
      const linked = await createGrownTenant(sandbox, database, { ...withLink, ...auto })
      const { passed: direct } = await attack(sandbox, linked.serverKey, blockNumbers('+99450388', 14))
      assert.ok(direct.every(({ body }) => body.channel === 'sms'))
      const strict = await createGrownTenant(sandbox, database, enforce)
      const { passed: few } = await attack(sandbox, strict.serverKey, blockNumbers('+99450388', 14))
      assert.equal(few.length, spentByBlock)
    } finally {
      await sandbox.close()
    }
  })

  it('forgets what it learnt of an app on the simulator with the first message of a real carrier', async () => {
    const capture = new Capture()
    const builtIn = () => capture.providers().map((provider) => ({ ...provider, isSimulated: true }))
    const sandbox = await startNode(database.url, { capture, builtIn })
    try {
      const { serverKey, appId } = await createGrownTenant(sandbox, database, auto)
      const learnt = async () => {
        const [row] = await database.query(
          `select state from pumping_states where app_id = $1 and row_key = 'fit'`,
          [appId],
        )
        const { simulated = false, strangers } = JSON.parse(String(row?.state))
        return { simulated, sent: strangers.n, approved: strangers.a }
      }
      const tried = await started(sandbox, serverKey, '+447400771101')
      await verify(sandbox, serverKey, tried.otpId, tried.code)
      const late = await started(sandbox, serverKey, '+447400881102')
      assert.deepEqual(await learnt(), { simulated: true, sent: 2, approved: 1 })
      const real = await started(node, serverKey, '+447400991103')
      await verify(sandbox, serverKey, late.otpId, late.code)
      await verify(node, serverKey, real.otpId, real.code)
      await started(node, serverKey, '+447401001104')
      assert.deepEqual(await learnt(), { simulated: false, sent: 2, approved: 1 })
    } finally {
      await sandbox.close()
    }
  })

  it('of a new app in mode auto learns: wide places are only recorded, a row of numbers is closed', async () => {
    const { serverKey } = await createTenant(node, auto)
    const scattered = Array.from({ length: 40 }, (_, index) => `+9945${String(5_000_000 + index * 120_011)}0`)
    const { passed } = await attack(node, serverKey, scattered)
    assert.equal(passed.length, scattered.length)
    const rule = await pumpingRule(node, serverKey, passed.at(-1)?.body.otp_id)
    assert.equal(rule.outcome, 'pass')
    assert.match(rule.why, /^Learning what is usual for this app; otherwise it would be refused\. Pumping: /)
    const row = Array.from({ length: 14 }, (_, index) => `+4474008811${index + 10}`)
    const { passed: neighbours, stopped } = await attack(node, serverKey, row)
    assert.equal(neighbours.length, 8)
    assert.equal(stopped[0]?.body.error.details.scope, 'pumping')
  })

  it('stops nobody who tries a new app out before the limits of the interface do', async () => {
    const { serverKey, appId } = await createTenant(node, auto)
    await node.manage('PATCH', `/apps/${appId}`, { limits: null, pumping: null, spend_caps: null })
    const scopes: string[] = []
    for (let index = 0; index < 25; index++) {
      const { status, body } = await send(node, serverKey, { recipient: `+1555${1_000_000 + index * 7_919}` })
      if (status === 429) scopes.push(body.error.details.scope)
    }
    assert.deepEqual([...new Set(scopes)], ['app_without_ip'])
  })

  it('lets whoever tries a new app out send to fifteen numbers in a row without using a code', async () => {
    const { serverKey } = await createTenant(node, enforce)
    const neighbours = Array.from({ length: 15 }, (_, index) => `+4474005511${index + 10}`)
    for (const recipient of neighbours)
      assert.equal((await send(node, serverKey, { recipient, client_ip: '86.5.5.5' })).status, 200)
    const abroad = await createTenant(node, enforce)
    for (const recipient of [
      '+447400551199',
      '+4915112345678',
      '+33612345678',
      '+34612345678',
      '+48501234567',
    ])
      assert.equal((await send(node, abroad.serverKey, { recipient })).status, 200)
  })

  it('never sends a phone to email, and refuses where only channels are left on which somebody is paid', async () => {
    const { serverKey } = await createGrownTenant(node, database, {
      ...enforce,
      routing: { default: ['sms', 'email', 'telegram', 'whatsapp'] },
    })
    const { passed, stopped } = await attack(node, serverKey, blockNumbers('+99450390', 14))
    assert.ok(passed.every(({ body }) => body.channel === 'sms'))
    assert.equal(stopped.length, 14 - spentByBlock)
  })

  it('stops a neighbourhood of numbers after eight', async () => {
    const { serverKey } = await createGrownTenant(node, database, enforce)
    const numbers = Array.from({ length: 14 }, (_, index) => `+9945031122${String(index).padStart(2, '0')}`)
    const { passed } = await attack(node, serverKey, numbers)
    assert.equal(passed.length, 8)
  })

  it('lets exactly as many through when two nodes are attacked at once', async () => {
    const { serverKey } = await createGrownTenant(node, database, enforce)
    const answers = await Promise.all(
      blockNumbers('+99450312', 80).map((recipient, index) =>
        sendPatiently(index % 2 ? node : other, serverKey, { recipient, client_ip: freshAddress() }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, spentByBlock)
    assert.equal(answers.filter(({ status }) => status === 429).length, 80 - spentByBlock)
  })

  it('keeps what one node blocked blocked on the other, and other apps untouched', async () => {
    const { serverKey, companyId } = await createGrownTenant(node, database, enforce)
    await attack(node, serverKey, blockNumbers('+99450313', 14))
    const recipient = '+994503139999'
    assert.equal((await send(other, serverKey, { recipient })).status, 429)
    const sister = await createGrownTenant(node, database, enforce)
    assert.notEqual(sister.companyId, companyId)
    assert.equal((await send(other, sister.serverKey, { recipient })).status, 200)
  })

  it('routes to the WhatsApp link, which costs nothing and still verifies the person', async () => {
    const tenant = await createGrownTenant(node, database, withLink)
    const { passed, stopped } = await attack(node, tenant.serverKey, blockNumbers('+99450314', 14))
    assert.equal(stopped.length, 0)
    const rerouted = passed.slice(spentByBlock)
    for (const { body } of rerouted) {
      assert.equal(body.channel, 'whatsapp')
      assert.match(body.action_url, /^https:\/\/wa\.me\//)
      assert.equal(body.completion, 'inbound')
    }
    const [first] = rerouted
    const rule = await pumpingRule(node, tenant.serverKey, first?.body.otp_id)
    assert.equal(rule.outcome, 'reroute')
    assert.ok(rule.why.includes(`0 of ${spentByBlock} new numbers there were approved`), rule.why)
    const recipient = blockNumbers('+99450314', 14)[spentByBlock] ?? ''
    await write(node, { from: recipient, text: linkText(first?.body.action_url) })
    const status = await node.call('GET', `/api/v1/otp/${first?.body.otp_id}`, { key: tenant.serverKey })
    assert.equal(status.body.status, 'approved')
    // A person who proved the number through the link is trusted from now on.
    const again = await send(node, tenant.serverKey, { recipient })
    assert.equal(again.body.channel, 'sms')
  })

  it('holds a resend to the same rule: to the link, or refused', async () => {
    const linked = await createGrownTenant(node, database, withLink)
    const numbers = blockNumbers('+99450315', 14)
    const { passed } = await attack(node, linked.serverKey, numbers)
    const rerouted = passed.at(-1)?.body
    const onLink = await resend(node, linked.serverKey, rerouted.otp_id, 'sms')
    assert.equal(onLink.body.channel, 'whatsapp')
    assert.equal(onLink.body.action_url, rerouted.action_url)
    const onText = await resend(node, linked.serverKey, passed[0]?.body.otp_id, 'sms')
    assert.equal(onText.body.channel, 'whatsapp')
    assert.ok(onText.body.action_url)

    // A link outside the order is not used.
    const plain = await createGrownTenant(node, database, { ...withLink, routing: { default: ['sms'] } })
    const attacked = await attack(node, plain.serverKey, numbers)
    const refused = await resend(node, plain.serverKey, attacked.passed[0]?.body.otp_id)
    assert.equal(refused.status, 429)
    assert.equal(refused.body.error.details.scope, 'pumping')
  })

  it('is not asked when it is off, or where nobody earns', async () => {
    const off = await createGrownTenant(node, database, { pumping: { mode: 'off' } })
    const { passed } = await attack(node, off.serverKey, blockNumbers('+99450317', 14))
    assert.equal(passed.length, 14)
    assert.equal((await pumpingRule(node, off.serverKey, passed[0]?.body.otp_id)).outcome, 'skip')
    const template = await createGrownTenant(node, database, {
      ...enforce,
      routing: { default: ['whatsapp', 'sms'] },
    })
    const free = await attack(node, template.serverKey, blockNumbers('+99450317', 14))
    assert.equal(free.passed.length, 14)
  })

  it('lets safe prefixes through, and recipients whom the app verified before', async () => {
    const prefix = '+99450318'
    const { serverKey } = await createGrownTenant(node, database, {
      // In Argentina the guard knows a mobile number without its 9.
      pumping: { mode: 'enforce', safe_prefixes: ['+994503187', '+5491155551', '+541155552'] },
    })
    const known = await started(node, serverKey, `${prefix}5555`)
    assert.equal((await verify(node, serverKey, known.otpId, known.code)).body.matched, true)
    const numbers = blockNumbers(prefix, 30).filter((number) => !number.startsWith(`${prefix}7`))
    const { stopped } = await attack(node, serverKey, numbers)
    assert.ok(stopped.length > 10)
    for (const safe of [`${prefix}7`, '+5491155551', '+5491155552'])
      for (let count = 0; count < 14; count++)
        assert.equal((await send(node, serverKey, { recipient: `${safe}${100 + count}` })).status, 200, safe)
    const statuses: number[] = []
    for (let count = 0; count < 4; count++)
      statuses.push((await send(node, serverKey, { recipient: known.recipient })).status)
    assert.deepEqual(statuses, [200, 200, 200, 200])
  })

  it('counts approvals against what was sent: a block of numbers that converts stays open', async () => {
    const { serverKey } = await createGrownTenant(node, database, enforce)
    for (const [index, recipient] of blockNumbers('+99450319', 40).entries()) {
      const { otpId, code } = await started(node, serverKey, recipient, { client_ip: freshAddress() })
      if (index % 4 === 3) continue
      assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
    }
  })

  it('closes each country that it does not know by itself', async () => {
    const numbers = Array.from({ length: 120 }, (_, index) => {
      const tail = String((index * 7_907_919 + 1_000_003) % 10_000_000).padStart(7, '0')
      return index % 2 === 0 ? `+99450${tail}` : `+99890${tail}`
    })
    const strange = await createGrownTenant(node, database, enforce)
    const before = await attack(node, strange.serverKey, numbers)
    assert.ok(before.passed.length < 80, String(before.passed.length))
    assert.equal((await send(node, strange.serverKey, { recipient: '+525512345678' })).status, 200)
  })

  it('shares among the apps of a company what it knows of ranges, and one trial', async () => {
    const first = await createTenant(node, enforce)
    const apps = [first.serverKey]
    for (let index = 0; index < 3; index++) {
      const { body } = await node.manage('POST', `/companies/${first.companyId}/apps`, {
        name: 'New',
        ...enforce,
      })
      const key = await node.manage('POST', `/apps/${body.app_id}/keys`, { kind: 'server' })
      apps.push(key.body.key)
    }
    const numbers = blockNumbers('+99450323', 56)
    const passed: number[] = []
    for (const [index, serverKey] of apps.entries()) {
      const mine = numbers.slice(index * 14, index * 14 + 14)
      passed.push((await attack(node, serverKey, mine)).passed.length)
    }
    assert.equal(passed[0], 14)
    assert.ok(passed.reduce((sum, count) => sum + count) <= 18, passed.join())
  })
})
