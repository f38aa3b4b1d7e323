/** What time does to debts and blocks, on a database whose clock the test moves. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { openDatabase } from '../src/platform/database.ts'
import { deleteExpired } from '../src/platform/kept.ts'
import { send, started, verify } from './harness/fixtures.ts'
import { attack, blockNumbers, createGrownTenant, freshAddress } from './harness/pumping.ts'
import { startMovedNode } from './pumping-moved-support.ts'

const { database, clock, node, close } = await startMovedNode()
after(close)

const enforce = { pumping: { mode: 'enforce', declared_countries: ['AZ'] } }
const hour = 3_600

describe('the guard against pumping over time', () => {
  const refusal = async (key: string, recipient: string): Promise<number> => {
    const answer = await send(node, key, { recipient, client_ip: freshAddress() })
    assert.equal(answer.status, 429, JSON.stringify(answer.body))
    return answer.body.error.details.retry_after
  }
  const passes = async (key: string, recipient: string) => {
    const answer = await send(node, key, { recipient, client_ip: freshAddress() })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.otp_id as string
  }

  it('holds a block for two minutes, then blocks for six hours, then for twelve; each Retry-After holds', async () => {
    const { serverKey, appId } = await createGrownTenant(node, database, enforce)
    const numbers = blockNumbers('+99450510', 100)
    const next = () => numbers.shift() ?? ''
    for (let count = 0; count < 16; count++) await passes(serverKey, next())
    const hold = await refusal(serverKey, next())
    assert.ok(hold > 100 && hold <= 120)
    await clock.advance(hold)
    await passes(serverKey, next())
    const block = await refusal(serverKey, next())
    assert.ok(block > 6 * hour - 60 && block <= 6 * hour, String(block))
    const { body } = await node.manage('GET', `/apps/${appId}/blocks`)
    assert.equal(body.blocks[0].kind, 'block')
    assert.equal(body.blocks[0].times, 1)
    await clock.advance(block)
    assert.equal((await node.manage('GET', `/apps/${appId}/blocks`)).body.blocks.length, 0)
    await passes(serverKey, next())
    const { passed, stopped } = await attack(node, serverKey, numbers.splice(0, 8))
    assert.ok(passed.length <= 3)
    const longer = Math.max(...stopped.map((answer) => answer.body.error.details.retry_after))
    assert.ok(longer > 12 * hour - 60 && longer <= 12 * hour, String(longer))
  })

  it('counts the second half a minute after a send that was not approved', async () => {
    const { serverKey } = await createGrownTenant(node, database, enforce)
    const numbers = blockNumbers('+99450511', 40)
    const first = await attack(node, serverKey, numbers.slice(0, 8))
    assert.equal(first.passed.length, 8)
    await clock.advance(66)
    // The first send finds a debt of eight, and is the last to pass.
    assert.equal((await attack(node, serverKey, numbers.slice(8, 12))).passed.length, 1)
  })

  it('does not count the second half for what was approved, and gives back what was paid', async () => {
    const { serverKey } = await createGrownTenant(node, database, enforce)
    const numbers = blockNumbers('+99450512', 60)
    for (const recipient of numbers.slice(0, 8)) {
      const { otpId, code } = await started(node, serverKey, recipient, { client_ip: freshAddress() })
      await verify(node, serverKey, otpId, code)
    }
    await clock.advance(66)
    // A credit of four and a limit of eight, at half a point per send.
    assert.equal((await attack(node, serverKey, numbers.slice(8, 40))).passed.length, 24)
  })

  it('frees a held block when the approvals arrive', async () => {
    const { serverKey } = await createGrownTenant(node, database, enforce)
    const numbers = blockNumbers('+99450513', 40)
    const pending: { otpId: string; code: string }[] = []
    for (const recipient of numbers.slice(0, 16))
      pending.push(await started(node, serverKey, recipient, { client_ip: freshAddress() }))
    const hold = await refusal(serverKey, numbers[16] ?? '')
    for (const { otpId, code } of pending) await verify(node, serverKey, otpId, code)
    await clock.advance(hold)
    assert.equal((await attack(node, serverKey, numbers.slice(17, 25))).passed.length, 8)
  })

  it('lets a scout through a blocked country, rarer each time, and reopens when scouts are approved', async () => {
    const { serverKey, appId } = await createGrownTenant(node, database, enforce)
    const numbers = Array.from(
      { length: 200 },
      (_, index) =>
        `+994${[50, 51, 55, 70, 77][index % 5]}${String((index * 7_907_919 + 2_100_003) % 8_000_000).padStart(7, '2')}`,
    )
    const next = () => numbers.shift() ?? ''
    const { passed } = await attack(node, serverKey, numbers.splice(0, 60))
    assert.ok(passed.length < 50, String(passed.length))
    const { body } = await node.manage('GET', `/apps/${appId}/blocks`)
    assert.equal(body.blocks[0].level, 'country')
    assert.equal(body.blocks[0].kind, 'hold')
    const hold = await refusal(serverKey, next())
    assert.ok(hold > 100 && hold <= 120, String(hold))
    await clock.advance(hold)
    await passes(serverKey, next())
    const waits: number[] = []
    for (let count = 0; count < 3; count++) {
      waits.push(await refusal(serverKey, next()))
      await clock.advance(waits[count] ?? 0)
      await passes(serverKey, next())
    }
    assert.deepEqual(
      waits.map((wait) => Math.ceil(wait / 60 / 10) * 10),
      [20, 40, 60],
    )
    for (let count = 0; count < 8; count++) {
      const answer = await send(node, serverKey, { recipient: next(), client_ip: freshAddress() })
      if (answer.status === 429) {
        await clock.advance(answer.body.error.details.retry_after)
      }
    }
    for (let count = 0; count < 12; count++) {
      const recipient = next()
      const preview = await node.call('POST', '/api/v1/routing/preview', {
        key: serverKey,
        body: { recipient },
      })
      if (preview.body.error) await clock.advance(preview.body.error.details.retry_after)
      const { otpId, code } = await started(node, serverKey, recipient, { client_ip: freshAddress() })
      await verify(node, serverKey, otpId, code)
    }
    await passes(serverKey, next())
    assert.equal((await node.manage('GET', `/apps/${appId}/blocks`)).body.blocks.length, 0)
  })

  it('opens an address for a day once its hold is lifted, though its debt would be forgotten sooner', async () => {
    const settings = { pumping: { mode: 'enforce', declared_countries: ['GB'] } }
    const { serverKey, appId } = await createGrownTenant(node, database, settings)
    const client_ip = freshAddress()
    const ask = async (index: number) => {
      const recipient = `+4474${String(10 + index)}${String(100_000 + index * 10_007)}`
      return (await send(node, serverKey, { recipient, client_ip })).status
    }
    let sends = 0
    while (sends < 30 && (await ask(sends)) === 200) sends++
    const { body } = await node.manage('GET', `/apps/${appId}/blocks`)
    const [block] = body.blocks
    assert.deepEqual([block.level, block.kind], ['ip', 'hold'])
    await node.manage('DELETE', `/apps/${appId}/blocks/${block.block_id}`)
    await clock.advance(12 * hour)
    const pool = openDatabase(clock.url, 2, () => {})
    await deleteExpired(pool, 'pumping_states').finally(() => pool.close())
    for (let count = 0; count <= sends; count++) assert.equal(await ask(30 + count), 200)
  })

  it('takes away what no longer says anything, in bites', async () => {
    const pool = openDatabase(clock.url, 2, () => {})
    try {
      await deleteExpired(pool, 'pumping_states')
      const count = async () =>
        Number((await database.query<{ count: string }>('select count(*) from pumping_states'))[0]?.count)
      const kept = await count()
      assert.ok(kept > 0)
      await database.query("update pumping_states set expires_at = now() - interval '1 minute'")
      assert.equal(await deleteExpired(pool, 'pumping_states'), kept)
      assert.equal(await count(), 0)
    } finally {
      await pool.close()
    }
  })
})
