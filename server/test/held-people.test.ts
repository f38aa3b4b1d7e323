/** How many sends the guard against pumping held back, how many people that were, and how many were approved later. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { type HeldPeopleAnswer, operations } from '@countersign/contract'
import type { Refusal } from '../src/domain/verification/index.ts'
import { writeRefusals } from '../src/domain/verification/refusals/store.ts'
import { lowestId, newId } from '../src/platform/ids.ts'
import {
  createApp,
  createTenant,
  freshPhone,
  message,
  send,
  type Tenant,
  verify,
} from './harness/fixtures.ts'
import { attack, blockNumbers, createGrownTenant, enforce } from './harness/pumping.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService()
after(close)

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const mostLookedAt = 2_000

async function heldIn({ appId }: Tenant, query: Record<string, string> = {}): Promise<HeldPeopleAnswer> {
  const path = `/apps/${appId}/refusals/held-people?${new URLSearchParams(query)}`
  const { body, status } = await node.manage('GET', path)
  assert.equal(status, 200, JSON.stringify(body))
  return operations.getHeldPeople.answer.parse(body)
}
/** Without its times: sends, people, approved later, and whether it is complete. */
const figuresOf = ({ held_sends, people, approved_later, is_complete }: HeldPeopleAnswer) =>
  [held_sends, people, approved_later, is_complete] as const

interface Person {
  readonly recipient: string
  readonly hash: Buffer
  readonly startedMs: number
  readonly approve: () => Promise<void>
}

/** A person who was sent a code, and may type it. */
async function personOf(tenant: Tenant, recipient = freshPhone()): Promise<Person> {
  const earlier = node.capture.to(recipient).length
  const sent = await send(node, tenant.serverKey, { recipient })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const otpId: string = sent.body.otp_id
  const { code } = await message(node, recipient, earlier)
  const [row] = await database.query<{ recipient_hash: Buffer; created_at: Date }>(
    'select recipient_hash, created_at from verifications where otp_id = $1',
    [otpId],
  )
  assert.ok(row)
  return {
    recipient,
    hash: row.recipient_hash,
    startedMs: row.created_at.getTime(),
    approve: async () => {
      const { body } = await verify(node, tenant.serverKey, otpId, code)
      assert.equal(body.status, 'approved', JSON.stringify(body))
    },
  }
}

interface Held {
  readonly atMs: number
  readonly hash: Buffer
  readonly rule?: 'pumping' | 'geo'
  readonly count?: number
}

/** Writes a refusal as a node does. */
async function hold({ companyId, appId }: Tenant, { atMs, hash, rule = 'pumping', count = 1 }: Held) {
  const refusal = {
    companyId,
    appId,
    kind: 'send',
    otpId: null,
    errorType: 'RateLimitExceededError',
    decided: { rule, outcome: 'refuse', facts: {} },
    maskedRecipient: '+44****56',
    recipientHash: hash,
    country: 'GB',
    channel: 'sms',
    keyId: null,
    clientIp: null,
    priceMicros: 50_000n,
    atMs,
  } as unknown as Refusal
  const where = { country: 'GB', level: null, place: null }
  const refusalId = newId('refusal', atMs)
  await writeRefusals(node.app.database, [{ refusalId, refusal, where, count, priceMicros: null }])
}

describe('people whom the guard held back', () => {
  it('are counted once each, however often they asked, as soon as they were refused', async () => {
    const tenant = await createGrownTenant(node, database, enforce)
    const { stopped } = await attack(node, tenant.serverKey, blockNumbers('+99450340', 24))
    assert.ok(stopped.length > 1)
    assert.deepEqual(figuresOf(await heldIn(tenant)), [stopped.length, stopped.length, 0, true])
    const again = blockNumbers('+99450340', 24).slice(-2)
    assert.equal((await attack(node, tenant.serverKey, again)).stopped.length, 2)
    assert.deepEqual(figuresOf(await heldIn(tenant)), [stopped.length + 2, stopped.length, 0, true])
  })

  it('were people where the app has approved them since, on whatever channel', async () => {
    const tenant = await createTenant(node, { routing: { default: ['whatsapp'] } })
    const [back, waiting, before] = [await personOf(tenant), await personOf(tenant), await personOf(tenant)]
    // Approved first and held back only afterwards, which does not count as approved later.
    await before.approve()
    const atMs = Date.now()
    await hold(tenant, { atMs: before.startedMs + hourMs, hash: before.hash })
    for (const ms of [back.startedMs, back.startedMs + 1]) await hold(tenant, { atMs: ms, hash: back.hash })
    await hold(tenant, { atMs: waiting.startedMs, hash: waiting.hash })
    const to = new Date(atMs + 2 * hourMs).toISOString()
    assert.deepEqual(figuresOf(await heldIn(tenant, { to })), [4, 3, 0, true])
    await back.approve()
    assert.deepEqual(figuresOf(await heldIn(tenant, { to })), [4, 3, 1, true])
  })

  it('are those of one app: another’s approvals and refusals say nothing of it, nor does another rule', async () => {
    const tenant = await createTenant(node)
    const sister = await createApp(node, tenant.companyId)
    const stranger = await createTenant(node)
    const recipient = freshPhone()
    const person = await personOf(tenant, recipient)
    await hold(tenant, { atMs: person.startedMs, hash: person.hash })
    await hold(tenant, { atMs: person.startedMs, hash: Buffer.from('other rule'), rule: 'geo' })
    for (const other of [sister, stranger]) {
      const there = await personOf(other, recipient)
      await hold(other, { atMs: there.startedMs, hash: Buffer.from('somebody else') })
      await there.approve()
      assert.deepEqual(figuresOf(await heldIn(other)), [1, 1, 0, true])
    }
    assert.deepEqual(figuresOf(await heldIn(tenant)), [1, 1, 0, true])
  })

  it('are those of the time that is asked for, though they were approved after it', async () => {
    const tenant = await createTenant(node)
    const person = await personOf(tenant)
    const todayMs = Math.floor(Date.now() / dayMs) * dayMs
    await hold(tenant, { atMs: todayMs - 1, hash: person.hash })
    await hold(tenant, { atMs: todayMs, hash: Buffer.from('of today') })
    await person.approve()
    const [yesterday, today] = [todayMs - dayMs, todayMs].map((ms) => new Date(ms).toISOString())
    assert.ok(yesterday && today)
    const answer = await heldIn(tenant, { from: yesterday, to: today })
    assert.deepEqual([answer.from, answer.to], [yesterday, today])
    assert.deepEqual(figuresOf(answer), [1, 1, 1, true])
    assert.deepEqual(figuresOf(await heldIn(tenant, { from: today })), [1, 1, 0, true])
    const refused = await node.manage(
      'GET',
      `/apps/${tenant.appId}/refusals/held-people?from=${today}&to=${yesterday}`,
    )
    assert.equal(refused.status, 422)
  })

  it('count as sends only once they have been erased', async () => {
    const tenant = await createTenant(node)
    const person = await personOf(tenant)
    await hold(tenant, { atMs: person.startedMs, hash: person.hash })
    await hold(tenant, { atMs: person.startedMs, hash: Buffer.from('somebody else') })
    await person.approve()
    assert.deepEqual(figuresOf(await heldIn(tenant)), [2, 2, 1, true])
    const { recipient } = person
    const erased = await node.manage('POST', `/companies/${tenant.companyId}/erasures`, { recipient })
    assert.equal(erased.status, 200)
    assert.deepEqual(figuresOf(await heldIn(tenant)), [2, 1, 0, true])
  })

  it('may be more where refusals of a flood share a row, and it says so', async () => {
    const tenant = await createTenant(node)
    await hold(tenant, { atMs: Date.now(), hash: Buffer.from('the first'), count: 30 })
    assert.deepEqual(figuresOf(await heldIn(tenant)), [30, 1, 0, false])
  })

  it(`are looked for among the newest ${mostLookedAt} refusals, and it says where there are more`, async () => {
    const tenant = await createTenant(node)
    const atMs = Math.floor(Date.now() / hourMs) * hourMs
    const add = (first: number, last: number) =>
      database.query(
        `with added as (
           insert into refusals (company_id, app_id, refusal_id, kind, error_type, rule, facts, masked_recipient, recipient_hash,
                  count, created_at)
           select $1, $2, left($3, 14) || lpad(n::text, 16, '0'), 'send', 'RateLimitExceededError', 'pumping', '{}', '****',
                  int4send(n), 1, to_timestamp($4 / 1000.0)
             from generate_series($5::integer, $6) n)
         insert into refusal_counts (company_id, app_id, span, starts_at, rule, count, price_micros, expires_at)
         values ($1, $2, 'hour', to_timestamp($4 / 1000.0), 'pumping', 1 + $6 - $5, 0, now() + interval '1 day')
         on conflict (company_id, app_id, span, starts_at, rule, country, level, place)
         do update set count = refusal_counts.count + excluded.count`,
        [tenant.companyId, tenant.appId, lowestId('refusal', atMs), atMs, first, last],
      )
    await add(1, mostLookedAt)
    assert.deepEqual(figuresOf(await heldIn(tenant)), [mostLookedAt, mostLookedAt, 0, true])
    await add(mostLookedAt + 1, mostLookedAt + 2)
    assert.deepEqual(figuresOf(await heldIn(tenant)), [mostLookedAt + 2, mostLookedAt, 0, false])
  })

  it('are none for an app that is a minute old', async () => {
    assert.deepEqual(figuresOf(await heldIn(await createTenant(node))), [0, 0, 0, true])
  })
})
