import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Capture } from './harness/capture.ts'
import {
  createApp,
  createTenant,
  freshPhone,
  resend,
  send,
  sendPatiently,
  started,
  until,
} from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'
import { assertRefused } from './harness/refusals.ts'
import { startTwoNodeService } from './harness/service.ts'

const calm = { pumping: { mode: 'off' } }
const unknownCompany = 'cmp_01hzzzzzzzzzzzzzzzzzzzzzzz'

const capture = new Capture()
const { database, nodes, close } = await startTwoNodeService({ capture })
after(close)
const [node, other] = nodes

describe('the balance of a company', () => {
  const refusing = new Set<string>()

  before(() => {
    let count = 0
    capture.answerWith(({ recipient }) =>
      refusing.has(recipient)
        ? { kind: 'refused', error: { code: 'no', message: 'Never.' } }
        : { kind: 'accepted', messageId: `b-${++count}` },
    )
  })

  /** Reads balance and ledger in one statement, so in the state of one commit. */
  async function books(companyId: string): Promise<{ balance: bigint; sum: bigint }> {
    const [row] = await database.query<{ balance: string; sum: string }>(
      `select balance_micros as balance, (select coalesce(sum(amount_micros), 0) from ledger l where l.company_id = c.company_id) as sum
         from companies c where company_id = $1`,
      [companyId],
    )
    assert.ok(row)
    return { balance: BigInt(row.balance), sum: BigInt(row.sum) }
  }
  /** Reads the books over and over while something happens, and fails as soon as they do not add up. */
  async function watched<Result>(
    companyId: string,
    work: Promise<Result>,
  ): Promise<{ result: Result; looks: number }> {
    let isOver = false
    const end = work.finally(() => {
      isOver = true
    })
    let looks = 0
    while (!isOver) {
      const { balance, sum } = await books(companyId)
      assert.equal(sum, balance)
      assert.ok(balance >= 0n)
      looks++
    }
    return { result: await end, looks }
  }
  const balanceOf = async (companyId: string) =>
    (await node.manage('GET', `/companies/${companyId}`)).body.balance as string
  const allSettled = (companyId: string) =>
    until('nothing is queued', async () => {
      const rows = await database.query(
        `select 1 from deliveries where company_id = $1 and status = 'queued'`,
        [companyId],
      )
      return rows.length === 0
    })

  it('under 500 parallel sends over two nodes ends at what was left, and the ledger adds up at every moment', async () => {
    const tenant = await createTenant(node, calm, { balance: '5.02' })
    const sibling = await createApp(node, tenant.companyId, calm)
    const keys = [tenant.serverKey, sibling.serverKey]
    const { result: answers, looks } = await watched(
      tenant.companyId,
      Promise.all(
        Array.from({ length: 500 }, (_, index) =>
          sendPatiently(index % 2 ? node : other, keys[(index >> 1) % 2] ?? '', { recipient: freshPhone() }),
        ),
      ),
    )
    assert.ok(looks > 5)
    assert.equal(answers.filter((answer) => answer.status === 200).length, 100)
    for (const answer of answers)
      if (answer.status !== 200) assertRefused(answer, 402, 'InsufficientFundsError')
    assert.equal(await balanceOf(tenant.companyId), '0.020000')
    await watched(tenant.companyId, allSettled(tenant.companyId))
    assert.equal(await balanceOf(tenant.companyId), '0.020000')
  })

  it('stays right while deliveries fail and give their money back in between', async () => {
    const { serverKey, companyId } = await createTenant(node, calm, { balance: '3' })
    const recipients = Array.from({ length: 200 }, () => freshPhone())
    for (const [index, recipient] of recipients.entries()) if (index % 2) refusing.add(recipient)
    const work = async () => {
      const answers = await Promise.all(
        recipients.map((recipient, index) => send(index % 2 ? node : other, serverKey, { recipient })),
      )
      await allSettled(companyId)
      return answers
    }
    const { result: answers } = await watched(companyId, work())
    const kept = answers.filter(
      (answer, index) => answer.status === 200 && !refusing.has(recipients[index] ?? ''),
    )
    const { balance } = await books(companyId)
    assert.equal(balance, 3_000_000n - 50_000n * BigInt(kept.length))
    const [charges] = await database.query<{ reserved: string }>(
      `select count(*) as reserved from deliveries where company_id = $1 and charge = 'reserved'`,
      [companyId],
    )
    assert.equal(charges?.reserved, '0')
  })

  it('is lowered by parallel resends no further than it reaches', async () => {
    const { serverKey, companyId } = await createTenant(node, { max_sends: 10 }, { balance: '0.12' })
    const { otpId } = await started(node, serverKey)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => resend(index % 2 ? node : other, serverKey, otpId, 'sms')),
    )
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1)
    assert.equal(answers.filter((answer) => answer.status === 402).length, 7)
    await allSettled(companyId)
    const { balance, sum } = await books(companyId)
    assert.equal(sum, balance)
    assert.equal(balance, 20_000n)
  })

  it('that is not enough is said with the price, and nothing is started', async () => {
    const { serverKey, companyId } = await createTenant(node, {}, { balance: '0.049999' })
    const answer = await send(node, serverKey, { recipient: freshPhone() })
    assertRefused(answer, 402, 'InsufficientFundsError')
    assert.match(answer.body.error.message, /0\.050000/)
    assert.deepEqual(answer.body.error.details, { price: '0.050000' })
    assert.match(answer.body.request_id, /^req_/)
    assert.equal(answer.headers.get('x-request-id'), answer.body.request_id)
    assert.equal(await balanceOf(companyId), '0.049999')
    const rows = await database.query('select 1 from verifications where company_id = $1', [companyId])
    assert.equal(rows.length, 0)
    await node.manage('POST', `/companies/${companyId}/credits`, { amount: '0.000001' })
    assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
    assert.equal(await balanceOf(companyId), '0.000000')
  })

  it('does not matter to a company that is not metered', async () => {
    const { serverKey, companyId } = await createTenant(node, {}, { metered: false, balance: '0' })
    const look = { key: serverKey, body: { recipient: freshPhone() } }
    assert.equal((await node.call('POST', '/api/v1/routing/preview', look)).body.price, '0.000000')
    await started(node, serverKey)
    assert.equal(await balanceOf(companyId), '0.000000')
    assert.deepEqual((await node.manage('GET', `/companies/${companyId}/ledger`)).body.entries, [])
  })

  it('is lowered when a send is accepted, and the provider’s acceptance changes only the kind', async () => {
    const api = await startNode(database.url, { role: 'api' })
    const { serverKey, companyId } = await createTenant(api, calm, { balance: '1' })
    const { body } = await send(api, serverKey, { recipient: freshPhone() })
    assert.equal(await balanceOf(companyId), '0.950000')
    await api.close()
    await allSettled(companyId)
    assert.equal(await balanceOf(companyId), '0.950000')
    const { entries } = (await node.manage('GET', `/companies/${companyId}/ledger`)).body
    const seen = entries.map((entry: Record<string, unknown>) => [entry.kind, entry.amount, entry.otp_id])
    assert.deepEqual(seen, [
      ['capture', '0.000000', body.otp_id],
      ['reserve', '-0.050000', body.otp_id],
      ['credit', '1.000000', null],
    ])
    for (const entry of entries) {
      assert.match(entry.entry_id, /^led_[0-9a-z]{26}$/)
      assert.match(entry.created_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    }
  })

  it('gets a failed delivery’s price back, once', async () => {
    const { serverKey, companyId } = await createTenant(node, {}, { balance: '1' })
    const recipient = freshPhone()
    refusing.add(recipient)
    const { body } = await send(node, serverKey, { recipient })
    await allSettled(companyId)
    assert.equal(await balanceOf(companyId), '1.000000')
    const { entries } = (await node.manage('GET', `/companies/${companyId}/ledger`)).body
    const seen = entries.map((entry: Record<string, unknown>) => [entry.kind, entry.amount, entry.otp_id])
    assert.deepEqual(seen, [
      ['return', '0.050000', body.otp_id],
      ['reserve', '-0.050000', body.otp_id],
      ['credit', '1.000000', null],
    ])
  })

  it('starts at zero unless one is given, and grows by credits', async () => {
    const { body: empty } = await node.manage('POST', '/companies', { name: 'Empty' })
    assert.equal(empty.balance, '0.000000')
    assert.equal(empty.metered, true)
    const credit = (amount: unknown) =>
      node.manage('POST', `/companies/${empty.company_id}/credits`, { amount, note: 'top-up' })
    assert.equal((await credit('12.3456')).body.balance, '12.345600')
    assert.equal((await credit('0.000001')).body.balance, '12.345601')
    const both = await Promise.all(Array.from({ length: 20 }, () => credit('1')))
    assert.equal(new Set(both.map((answer) => answer.body.balance)).size, 20)
    assert.equal(await balanceOf(empty.company_id), '32.345601')
    for (const amount of ['0', '-1', '0.0000001', '1e3', '', 'ten', '1,5', 1, null])
      assertRefused(await credit(amount), 422, 'ValidationError')
    assert.equal(await balanceOf(empty.company_id), '32.345601')
  })

  it('cannot be credited beyond what can be counted, and says so', async () => {
    const { body } = await node.manage('POST', '/companies', { name: 'Rich', balance: '999999999999.999999' })
    const answers = []
    for (let round = 0; round < 10; round++)
      answers.push(
        await node.manage('POST', `/companies/${body.company_id}/credits`, { amount: '999999999999' }),
      )
    assert.ok(answers.every((answer) => answer.status < 500))
    const { balance, sum } = await books(body.company_id)
    assert.equal(sum, balance)
  })

  it('has a ledger that is read page by page, newest first, without a gap', async () => {
    const { companyId, serverKey } = await createTenant(node, calm, { balance: '1' })
    await Promise.all(Array.from({ length: 9 }, () => send(node, serverKey, { recipient: freshPhone() })))
    await allSettled(companyId)
    const seen: { entry_id: string; amount: string }[] = []
    let cursor: string | null = null
    do {
      const query: string = cursor ? `?limit=4&cursor=${cursor}` : '?limit=4'
      const { body } = await node.manage('GET', `/companies/${companyId}/ledger${query}`)
      assert.ok(body.entries.length <= 4)
      seen.push(...body.entries)
      cursor = body.next_cursor
    } while (cursor)
    assert.equal(seen.length, 19)
    const ids = seen.map((entry) => entry.entry_id)
    assert.deepEqual(ids, [...new Set(ids)].sort().reverse())
    const sum = seen.reduce((total, { amount }) => total + Math.round(Number(amount) * 1e6), 0)
    assert.equal(sum, 550_000)
  })

  it('of an unknown company is not found', async () => {
    for (const id of [unknownCompany, 'cmp_x', 'x']) {
      assertRefused(await node.manage('GET', `/companies/${id}`), 404, 'NotFoundError')
      assertRefused(await node.manage('GET', `/companies/${id}/ledger`), 404, 'NotFoundError')
      assertRefused(
        await node.manage('POST', `/companies/${id}/credits`, { amount: '1' }),
        404,
        'NotFoundError',
      )
    }
    const rows = await database.query('select 1 from ledger where company_id = $1', [unknownCompany])
    assert.equal(rows.length, 0)
  })

  it('is for the operator alone to read and to credit', async () => {
    const { companyId, serverKey } = await createTenant(node)
    for (const key of [serverKey, 'wrong']) {
      const path = `/manage/v1/companies/${companyId}`
      assertRefused(await node.call('GET', path, { key }), 401, 'HTTPException')
      assertRefused(
        await node.call('POST', `${path}/credits`, { key, body: { amount: '1' } }),
        401,
        'HTTPException',
      )
    }
  })
})
