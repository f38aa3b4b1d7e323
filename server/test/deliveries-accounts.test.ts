/** Several accounts of one channel: which of them carries a message, and who pays for it. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { type Provider, simulatorAccountId } from '../src/domain/routing/index.ts'
import { lowestId, newId } from '../src/platform/ids.ts'
import { accepted, broken, busy, gone, no, startAccounts } from './deliveries-accounts-support.ts'
import { masterKeys } from './deliveries-support.ts'
import { Capture } from './harness/capture.ts'
import { createTenant, freshPhone, send, until } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'

const { database, withAccounts, sendAndSettle, close } = await startAccounts()
after(close)

describe('several accounts of one channel', () => {
  it('the best one carries the message and the others are left alone', async () => {
    await withAccounts({ first: accepted, second: accepted }, async (node, calls) => {
      const done = await sendAndSettle(node)
      assert.deepEqual([done.status, done.provider_id, calls], ['sent', 'first', ['first']])
    })
  })

  for (const [word, outcome] of [
    ['broken', broken],
    ['refused', no],
    ['unreachable', gone],
  ] as const) {
    it(`when the first is ${word} the next carries the message, once and paid once`, async () => {
      await withAccounts({ first: () => outcome, second: accepted, third: accepted }, async (node, calls) => {
        const done = await sendAndSettle(node)
        assert.deepEqual([done.status, done.provider_id, done.charge], ['sent', 'second', 'captured'])
        assert.deepEqual(calls, ['first', 'second'])
        assert.deepEqual(done.tried, ['first'])
        assert.equal(done.error_code, null)
        assert.equal(done.balance, '999.950000')
      })
    })

    it(`when all are ${word} each is asked once, the delivery fails and the money comes back`, async () => {
      await withAccounts({ first: () => outcome, second: () => outcome }, async (node, calls) => {
        const done = await sendAndSettle(node)
        assert.deepEqual([done.status, done.charge], ['failed', 'returned'])
        assert.deepEqual(calls, ['first', 'second'])
        assert.equal(done.balance, '1000.000000')
        const events = await database.query('select type from events where otp_id = $1', [done.otpId])
        assert.deepEqual(events, [{ type: 'delivery.failed' }])
      })
    })
  }

  const remembered = (otpId: string) =>
    database.query(
      `select u.channel from unreachable u join verifications v using (company_id, app_id, recipient_hash)
        where v.otp_id = $1`,
      [otpId],
    )

  it('a person is remembered as unreachable when every account has said so', async () => {
    await withAccounts({ first: () => gone, second: () => gone }, async (node) => {
      const done = await sendAndSettle(node)
      assert.equal(done.error_code, 'gone')
      assert.deepEqual(await remembered(done.otpId), [{ channel: 'sms' }])
    })
  })

  for (const [first, second] of [
    [gone, broken],
    [broken, gone],
  ] as const) {
    it(`a ${first.kind} and a ${second.kind} account: one that is broken has said nothing of the person`, async () => {
      await withAccounts({ first: () => first, second: () => second }, async (node, calls) => {
        const done = await sendAndSettle(node)
        assert.deepEqual(calls, ['first', 'second'])
        assert.deepEqual([done.status, done.error_code], ['failed', 'gone'])
        assert.deepEqual(await remembered(done.otpId), [{ channel: 'sms' }])
      })
    })
  }

  for (const [first, second] of [
    [gone, accepted()],
    [gone, no],
    [no, gone],
  ] as const) {
    it(`nothing is remembered when the first says ${first.kind} and the second ${second.kind}`, async () => {
      await withAccounts({ first: () => first, second: () => second }, async (node, calls) => {
        const done = await sendAndSettle(node)
        assert.deepEqual(calls, ['first', 'second'])
        const isTaken = second.kind === 'accepted'
        assert.deepEqual([done.status, done.error_code], isTaken ? ['sent', null] : ['failed', 'no'])
        assert.deepEqual(await remembered(done.otpId), [])
      })
    })
  }

  it('one that cannot take it now is waited for, though another calls the person unreachable', async () => {
    const answers = [busy, accepted()]
    const second = () => answers.shift() ?? accepted()
    await withAccounts({ first: () => gone, second }, async (node, calls) => {
      const done = await sendAndSettle(node)
      assert.deepEqual([done.status, calls], ['sent', ['first', 'second', 'second']])
    })
  })

  it('nothing is remembered when the first refused it, and the second says unreachable only after a retry', async () => {
    const answers = [busy]
    await withAccounts({ first: () => no, second: () => answers.shift() ?? gone }, async (node, calls) => {
      const done = await sendAndSettle(node)
      assert.deepEqual([done.status, calls], ['failed', ['first', 'second', 'second']])
      assert.deepEqual(await remembered(done.otpId), [])
    })
  })

  it('a broken one is left alone for a while, and said so in the log without any secret', async () => {
    await withAccounts({ first: () => broken, second: accepted }, async (node, calls) => {
      await sendAndSettle(node)
      await sendAndSettle(node)
      assert.deepEqual(calls, ['first', 'second', 'second'])
      const lines = node.logged.filter((line) => line.message.includes('broken'))
      assert.deepEqual(
        lines.map((line) => line.fields),
        [{ provider: 'first', reason: 'credentials' }],
      )
    })
  })

  it('a message that was accepted for the simulator fails where it does not run any more: no real one is asked', async () => {
    const simulated = new Capture()
      .providers(['sms'])
      .map((provider) => ({ ...provider, providerId: simulatorAccountId('sms'), isSimulated: true }))
    const sandbox = await startNode(database.url, { masterKeys, role: 'api', builtIn: () => simulated })
    const tenant = await createTenant(sandbox, { routing: { default: ['sms'] } })
    const { body } = await send(sandbox, tenant.serverKey, { recipient: freshPhone() })
    await sandbox.close()
    await withAccounts({ first: accepted }, async (_node, calls) => {
      const done = await until('a settled delivery', async () => {
        const [found] = await database.query<{ status: string; charge: string; error_code: string | null }>(
          'select status, charge, error_code from deliveries where otp_id = $1',
          [body.otp_id],
        )
        return found?.status !== 'queued' && found
      })
      assert.deepEqual(calls, [])
      assert.deepEqual(done, { status: 'failed', charge: 'returned', error_code: 'simulator_off' })
    })
  })

  it('one for other countries is not asked', async () => {
    const abroad = (provider: Provider) =>
      provider.providerId === 'first' ? { ...provider, countries: ['FR'] } : provider
    await withAccounts(
      { first: accepted, second: accepted },
      async (node, calls) => {
        await sendAndSettle(node)
        assert.deepEqual(calls, ['second'])
      },
      abroad,
    )
  })

  it('one of another company is never asked, and a company’s own comes first', async () => {
    const owner = await startNode(database.url, { masterKeys, role: 'api' })
    const mine = await createTenant(owner, { routing: { default: ['sms'] } })
    const others = await createTenant(owner, { routing: { default: ['sms'] } })
    await owner.close()
    const own = (provider: Provider) =>
      provider.providerId === 'own'
        ? { ...provider, companyId: mine.companyId as Provider['companyId'] }
        : provider
    await withAccounts(
      { shared: accepted, own: accepted },
      async (node, calls) => {
        for (const { serverKey } of [mine, others]) {
          const { body } = await send(node, serverKey, { recipient: freshPhone() })
          await until('it is sent', async () => {
            const rows = await database.query(
              `select 1 from deliveries where otp_id = $1 and status = 'sent'`,
              [body.otp_id],
            )
            return rows.length === 1
          })
        }
        assert.deepEqual(calls, ['own', 'shared'])
      },
      own,
    )
  })

  it('a worker that starts after a long outage settles everything that was left, however much it is', async () => {
    const daysAgoMs = Date.now() - 3 * 86_400_000
    const day = Math.floor(daysAgoMs / 86_400_000) * 86_400_000
    for (const [table, kind] of [
      ['verifications', 'verification'],
      ['deliveries', 'delivery'],
    ] as const)
      await database.query(
        `create table ${table}_old partition of ${table} for values from ('${lowestId(kind, day)}') to ('${lowestId(kind, day + 86_400_000)}')`,
      )
    await withAccounts({ only: accepted }, async (node) => {
      // Copied after it has settled: the second node would wait to take over what the first one still holds.
      const { otpId: settled } = await sendAndSettle(node)
      for (let index = 0; index < 120; index++) {
        const otpId = newId('verification', daysAgoMs)
        await database.query(
          `insert into verifications select (jsonb_populate_record(v, jsonb_build_object('otp_id', $2::text))).*
               from verifications v where otp_id = $1`,
          [settled, otpId],
        )
        await database.query(
          `insert into deliveries select (jsonb_populate_record(d, jsonb_build_object('otp_id', $2::text, 'delivery_id', $3::text,
                    'status', 'queued', 'price_micros', 0, 'charge', 'reserved', 'event_id', null,
                    'next_attempt_at', now() + interval '1 day', 'give_up_at', now() - interval '3 days'))).*
               from deliveries d where otp_id = $1`,
          [settled, otpId, newId('delivery', daysAgoMs)],
        )
      }
      await database.query(`update deliveries set next_attempt_at = now() where status = 'queued'`)
    })
    await withAccounts({ only: accepted }, () =>
      until('nothing is queued', async () => {
        const left = await database.query(`select 1 from deliveries where status = 'queued'`)
        return left.length === 0
      }).then(() => {}),
    )
  })
})
