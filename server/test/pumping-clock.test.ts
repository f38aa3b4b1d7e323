/** The guard against pumping after the database's clock was days ahead and has been put right. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { freshPhone, send, until } from './harness/fixtures.ts'
import type { Answer } from './harness/node.ts'
import { attack, blockNumbers, createGrownTenant, freshAddress } from './harness/pumping.ts'
import { startMovedNode } from './pumping-moved-support.ts'

const { database, clock, node, close } = await startMovedNode()
after(close)

const enforce = { pumping: { mode: 'enforce', declared_countries: ['AZ', 'GB'] } }
const limits = { limits: { recipient: [{ max: 1_000, window_s: 600 }] } }
const day = 86_400
/** Partitions are made for eight days ahead. */
const daysAhead = 6

describe('the guard against pumping, once a clock that was ahead is put right,', () => {
  const ask = (key: string, recipient: string): Promise<Answer> =>
    send(node, key, { recipient, client_ip: freshAddress() })
  const waitOf = async (key: string, recipient: string): Promise<number> => {
    const answer = await ask(key, recipient)
    assert.equal(answer.status, 429, JSON.stringify(answer.body))
    return answer.body.error.details.retry_after
  }

  it('holds a place for no longer than usual', async () => {
    const { serverKey } = await createGrownTenant(node, database, enforce)
    const numbers = blockNumbers('+99450520', 60)
    const next = () => numbers.shift() ?? ''
    await clock.advance(daysAhead * day)
    const { passed } = await attack(node, serverKey, numbers.splice(0, 30))
    assert.ok(passed.length < 30)
    await clock.advance(-daysAhead * day)
    const hold = await waitOf(serverKey, next())
    assert.ok(hold <= 120, String(hold))
    await clock.advance(hold)
    assert.equal((await ask(serverKey, next())).status, 200)
  })

  it('lets a person have the next code', async () => {
    const { serverKey } = await createGrownTenant(node, database, { ...enforce, ...limits })
    const often = freshPhone()
    const once = freshPhone()
    await clock.advance(daysAhead * day)
    assert.equal((await ask(serverKey, once)).status, 200)
    await until('this one waits', async () => (await ask(serverKey, often)).status === 429)
    await clock.advance(-daysAhead * day)
    for (const recipient of [once, often]) assert.equal((await ask(serverKey, recipient)).status, 200)
  })
})
