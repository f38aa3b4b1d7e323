/** Credits and the ledger, as the operator handles them. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { creditCompany } from '../src/domain/billing/index.ts'
import type { CompanyId } from '../src/platform/ids.ts'
import { createTenant, freshPhone, send, status, until } from './harness/fixtures.ts'
import type { Answer } from './harness/node.ts'
import { assertInvalid, type Entry, micros, startManaging } from './management-support.ts'

const { node, database, openCompany, balanceOf, ledgerOf, close } = await startManaging()
after(close)

describe('management', () => {
  describe('a credit', () => {
    it('adds to the balance and answers it', async () => {
      const companyId = await openCompany({ balance: '1' })
      const answer = await node.manage('POST', `/companies/${companyId}/credits`, {
        amount: '0.000001',
        note: 'top-up',
      })
      assert.equal(answer.status, 201)
      assert.deepEqual(answer.body, { balance: '1.000001' })
      const { entries } = await ledgerOf(companyId)
      assert.deepEqual(
        entries.map(({ kind, amount, note }) => ({ kind, amount, note })),
        [
          { kind: 'credit', amount: '0.000001', note: 'top-up' },
          { kind: 'credit', amount: '1.000000', note: 'opening balance' },
        ],
      )
    })

    it('is more than nothing, and of the documented form', async () => {
      const companyId = await openCompany()
      for (const amount of ['0', '0.000000', '-1', '-0.5', '1.0000001', '1e3', '', 'x', 1, null, undefined]) {
        assertInvalid(await node.manage('POST', `/companies/${companyId}/credits`, { amount }), 'amount')
      }
      assertInvalid(
        await node.manage('POST', `/companies/${companyId}/credits`, { amount: '1', note: 'x'.repeat(201) }),
        'note',
      )
      assertInvalid(
        await node.manage('POST', `/companies/${companyId}/credits`, { amount: '1', balance: '5' }),
        'balance',
      )
      assert.equal(await balanceOf(companyId), '0.000000')
      assert.deepEqual((await ledgerOf(companyId)).entries, [])
    })

    it('is not lost beside others that come at once', async () => {
      const companyId = await openCompany()
      const answers = await Promise.all(
        Array.from({ length: 40 }, () =>
          node.manage('POST', `/companies/${companyId}/credits`, { amount: '0.25' }),
        ),
      )
      for (const answer of answers) assert.equal(answer.status, 201)
      assert.equal(await balanceOf(companyId), '10.000000')
      assert.equal(new Set(answers.map(({ body }) => body.balance)).size, 40)
    })

    it('beyond what can be counted is refused, and what is there is kept', async () => {
      const companyId = await openCompany({ balance: '999999999999' })
      let last: Answer | undefined
      for (let count = 0; count < 12; count++) {
        last = await node.manage('POST', `/companies/${companyId}/credits`, { amount: '999999999999' })
        assert.ok(last.status < 500, JSON.stringify(last.body))
        assert.match(await balanceOf(companyId), /^\d{1,12}\.\d{6}$/)
      }
    })

    it('may fill the balance to the last micro-unit that can be counted', async () => {
      const companyId = await openCompany({ balance: '999999999999.999998' })
      const credit = () => node.manage('POST', `/companies/${companyId}/credits`, { amount: '0.000001' })
      assert.deepEqual((await credit()).body, { balance: '999999999999.999999' })
      assertInvalid(await credit(), 'amount')
      assert.equal((await ledgerOf(companyId)).entries.length, 2)
      const full = await openCompany({ balance: '999999999999.999999' })
      assert.equal(await balanceOf(full), '999999999999.999999')
    })

    it('of a company that was closed while the call was under way is not entered', async () => {
      const companyId = await openCompany({ balance: '1' })
      assert.equal((await node.manage('DELETE', `/companies/${companyId}`)).status, 200)
      const credit = { amount: '5', note: null }
      await assert.rejects(creditCompany(node.app, companyId as CompanyId, credit), {
        errorName: 'NotFoundError',
      })
      const [{ balance } = { balance: '' }] = await database.query<{ balance: string }>(
        'select balance_micros as balance from companies where company_id = $1',
        [companyId],
      )
      assert.equal(balance, '1000000')
    })
  })

  describe('the ledger', () => {
    it('is read page by page, newest first, without a gap or a double', async () => {
      const companyId = await openCompany()
      for (let count = 1; count <= 23; count++) {
        await node.manage('POST', `/companies/${companyId}/credits`, {
          amount: String(count),
          note: String(count),
        })
      }
      for (const limit of [1, 5, 22, 23, 24, 200]) {
        const seen: Entry[] = []
        let cursor: string | null = null
        let pages = 0
        do {
          const page = await ledgerOf(companyId, `?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`)
          assert.ok(page.entries.length <= limit)
          seen.push(...page.entries)
          cursor = page.next_cursor
          pages++
        } while (cursor !== null)
        assert.equal(pages, Math.ceil(23 / limit))
        assert.equal(new Set(seen.map((entry) => entry.entry_id)).size, 23)
        assert.deepEqual(
          seen.map((entry) => entry.entry_id),
          seen
            .map((entry) => entry.entry_id)
            .toSorted()
            .reverse(),
        )
      }
    })

    it('keeps its pages while entries are added', async () => {
      const companyId = await openCompany()
      for (let count = 0; count < 6; count++)
        await node.manage('POST', `/companies/${companyId}/credits`, { amount: '1' })
      const first = await ledgerOf(companyId, '?limit=3')
      await node.manage('POST', `/companies/${companyId}/credits`, { amount: '2' })
      const second = await ledgerOf(companyId, `?limit=3&cursor=${first.next_cursor}`)
      assert.equal(second.next_cursor, null)
      assert.equal(new Set([...first.entries, ...second.entries].map((entry) => entry.entry_id)).size, 6)
      assert.ok(second.entries.every((entry) => entry.amount === '1.000000'))
    })

    it('adds up to the balance, with reservations, captures and returns', async () => {
      const tenant = await createTenant(node, {}, { balance: '1' })
      const recipient = freshPhone()
      const failing = freshPhone()
      node.capture.answerWith((outgoing) =>
        outgoing.recipient === failing
          ? { kind: 'refused', error: { code: 'no', message: 'No.' } }
          : { kind: 'accepted', messageId: 'm' },
      )
      const sent = await send(node, tenant.serverKey, { recipient })
      const failed = await send(node, tenant.serverKey, { recipient: failing })
      const settled = async (otpId: string, wanted: string) =>
        (await status(node, tenant.serverKey, otpId)).body.deliveries[0].status === wanted
      await until('the captures', () => settled(sent.body.otp_id, 'sent'))
      await until('the return', () => settled(failed.body.otp_id, 'failed'))
      node.capture.answerWith(null)
      const { entries } = await ledgerOf(tenant.companyId)
      const kindsOf = (otpId: string) =>
        entries.filter((entry) => entry.otp_id === otpId).map(({ kind, amount }) => `${kind} ${amount}`)
      assert.deepEqual(kindsOf(sent.body.otp_id).sort(), ['capture 0.000000', 'reserve -0.050000'])
      assert.deepEqual(kindsOf(failed.body.otp_id).sort(), ['reserve -0.050000', 'return 0.050000'])
      const sum = entries.reduce((total, entry) => total + micros(entry.amount), 0n)
      assert.equal(sum, micros(await balanceOf(tenant.companyId)))
      assert.equal(await balanceOf(tenant.companyId), '0.950000')
    })

    it('shows nothing of another company', async () => {
      const [first, second] = [await openCompany({ balance: '1' }), await openCompany({ balance: '2' })]
      assert.deepEqual(
        (await ledgerOf(first)).entries.map((entry) => entry.amount),
        ['1.000000'],
      )
      const foreign = (await ledgerOf(second)).entries[0]?.entry_id
      assert.ok(
        (await ledgerOf(first, `?cursor=${foreign}`)).entries.every((entry) => entry.amount === '1.000000'),
      )
    })

    it('refuses what is no page', async () => {
      const companyId = await openCompany()
      const ask = (query: string) => node.manage('GET', `/companies/${companyId}/ledger?${query}`)
      for (const limit of ['0', '-1', '201', '1.5', 'x', '', 'NaN'])
        assertInvalid(await ask(`limit=${limit}`), 'limit')
      assertInvalid(await ask('limit=1&limit=2'), 'limit')
      assertInvalid(await ask(`cursor=${'x'.repeat(65)}`), 'cursor')
      assertInvalid(await ask('cursor=a&cursor=b'), 'cursor')
      assertInvalid(await ask('page=2'), 'page')
    })
  })
})
