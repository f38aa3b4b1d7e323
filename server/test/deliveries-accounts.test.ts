import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { SendOutcome } from '../src/channels/channel.ts'
import { smpp } from '../src/channels/smpp/index.ts'
import type { Provider } from '../src/domain/routing/index.ts'
import { lowestId, newId } from '../src/platform/ids.ts'
import { closedPort, portOf } from './channels/support.ts'
import { Capture } from './harness/capture.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, send, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

const masterKeys = { secrets: [randomBytes(32)] as [Buffer] }
const broken: SendOutcome = { kind: 'broken', error: { code: 'credentials', message: 'Wrong password.' } }
const busy: SendOutcome = { kind: 'retry', error: { code: 'busy', message: 'Not now.' }, afterSeconds: null }
const no: SendOutcome = { kind: 'refused', error: { code: 'no', message: 'Not by this account.' } }

describe('several accounts of one channel', { timeout: 240_000 }, () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })
  after(async () => {
    await database?.close()
  })

  /** A node whose sms goes through accounts in this order, each answering as told. */
  async function withAccounts(
    answers: Record<string, () => SendOutcome>,
    run: (node: Node, calls: string[]) => Promise<void>,
    change: (provider: Provider) => Provider = (provider) => provider,
  ): Promise<void> {
    const calls: string[] = []
    const [model] = new Capture().providers(['sms'])
    assert.ok(model)
    const providers = Object.entries(answers).map(([providerId, answer], index) =>
      change({
        ...model,
        providerId,
        priority: index,
        account: {
          send: async () => {
            calls.push(providerId)
            return answer()
          },
          close: async () => {},
        },
      }),
    )
    const node = await startNode(database.url, { masterKeys, builtIn: () => providers })
    try {
      await run(node, calls)
    } finally {
      await node.close()
    }
  }
  const accepted = (): SendOutcome => ({ kind: 'accepted', messageId: randomBytes(6).toString('hex') })
  async function sendAndSettle(node: Node) {
    const tenant = await createTenant(node, { routing: { default: ['sms'] } })
    const { body } = await send(node, tenant.serverKey, { recipient: freshPhone() })
    const row = await until('a settled delivery', async () => {
      const [found] = await database.query<{
        status: string
        provider_id: string
        tried: string[]
        charge: string
        error_code: string | null
        took_s: number | null
      }>(
        `select status, provider_id, tried, charge, error_code, extract(epoch from sent_at - created_at)::float as took_s
           from deliveries where otp_id = $1`,
        [body.otp_id],
      )
      return found?.status !== 'queued' && found
    })
    const { body: company } = await node.manage('GET', `/companies/${tenant.companyId}`)
    return { ...row, otpId: body.otp_id as string, balance: company.balance as string }
  }

  it('the best one carries the message and the others are left alone', async () => {
    await withAccounts({ first: accepted, second: accepted }, async (node, calls) => {
      const done = await sendAndSettle(node)
      assert.deepEqual([done.status, done.provider_id, calls], ['sent', 'first', ['first']])
    })
  })

  for (const [word, outcome] of [
    ['broken', broken],
    ['refused', no],
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

  it('a message that one account cannot take goes to the next one at once', async () => {
    await withAccounts({ first: () => busy, second: accepted }, async (node, calls) => {
      const done = await sendAndSettle(node)
      assert.deepEqual([done.status, done.provider_id, done.tried], ['sent', 'second', []])
      assert.deepEqual(calls, ['first', 'second'])
      assert.ok(done.took_s !== null && done.took_s < 3, `${done.took_s} s`)
    })
  })

  /** A port where nobody listens, and one where somebody does and never says a word. */
  const deadEnds = {
    'that refuses connections': async () => ({ port: await closedPort(createServer), close: () => {} }),
    'that never answers': async () => {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket.on('error', () => {}))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const close = () => {
        for (const socket of sockets) socket.destroy()
        server.close()
      }
      return { port: portOf(server), close }
    },
  } as const
  for (const [which, openEnd] of Object.entries(deadEnds)) {
    it(`a dead account ${which} hands all that waits for it to the next one in line within seconds`, async () => {
      const { port, close } = await openEnd()
      const account = smpp.open(
        smpp.settings.parse({ host: '127.0.0.1', port, system_id: 'u', password: 'p', source_addr: 'ACME' }),
        {
          providerId: 'prv_test',
          isPassive: true,
          lookup: null,
          onReceipt: async () => {},
          log: () => {},
        },
      )
      const dead = (provider: Provider) =>
        provider.providerId === 'first' ? { ...provider, account } : provider
      const carry = async (node: Node, calls: string[]) => {
        const { serverKey, appId } = await createTenant(node, { routing: { default: ['sms'] } })
        await Promise.all(
          Array.from({ length: 100 }, () => send(node, serverKey, { recipient: freshPhone() })),
        )
        await until('all are sent', async () => {
          const left = await database.query(
            `select 1 from deliveries where app_id = $1 and status <> 'sent'`,
            [appId],
          )
          return left.length === 0
        })
        const [slowest] = await database.query<{ took_s: number }>(
          'select max(extract(epoch from sent_at - created_at))::float as took_s from deliveries where app_id = $1',
          [appId],
        )
        assert.ok(slowest && slowest.took_s < 8, `${slowest?.took_s} s`)
        assert.equal(calls.length, 100)
      }
      try {
        await withAccounts({ first: accepted, second: accepted }, carry, dead)
      } finally {
        await account.close()
        close()
      }
    })
  }

  it('when all err they rest between rounds, in which each is asked once', async () => {
    await withAccounts({ first: () => busy, second: () => busy }, async (node, calls) => {
      const { serverKey } = await createTenant(node, { routing: { default: ['sms'] } })
      const { body } = await send(node, serverKey, { recipient: freshPhone() })
      const pauseOf = async (attempt: number) => {
        const [row] = await until('the attempt to be over', async () => {
          const rows = await database.query<{ pause_s: number; provider_id: string }>(
            `select extract(epoch from next_attempt_at - updated_at)::float as pause_s, provider_id from deliveries
              where otp_id = $1 and attempt = $2 and held_by is null`,
            [body.otp_id, attempt],
          )
          return rows.length > 0 && rows
        })
        return row
      }
      const first = await pauseOf(2)
      assert.deepEqual([calls, first?.provider_id], [['first', 'second'], 'first'])
      assert.ok(first && Math.abs(first.pause_s - 1) < 0.5, `${first?.pause_s} s`)
      await database.query('update deliveries set next_attempt_at = now() where otp_id = $1', [body.otp_id])
      const second = await pauseOf(4)
      assert.deepEqual(calls, ['first', 'second', 'first', 'second'])
      assert.ok(second && Math.abs(second.pause_s - 2) < 0.5, `${second?.pause_s} s`)
      await database.query(
        'update deliveries set give_up_at = now(), next_attempt_at = now() where otp_id = $1',
        [body.otp_id],
      )
    })
  })

  it('the next one in line is asked in the same round, however often the message was taken before', async () => {
    let isTaken = false
    const second = () => (isTaken ? accepted() : busy)
    await withAccounts({ first: () => busy, second }, async (node, calls) => {
      const { serverKey } = await createTenant(node, { routing: { default: ['sms'] } })
      const { body } = await send(node, serverKey, { recipient: freshPhone() })
      await until('both were asked', () => calls.length === 2)
      isTaken = true
      // As if it had been taken once and given back: nobody was asked then.
      await until('it to wait', async () => {
        const waiting = await database.query(
          `update deliveries set attempt = 3, next_attempt_at = now() where otp_id = $1 and held_by is null and attempt = 2
           returning 1`,
          [body.otp_id],
        )
        return waiting.length === 1
      })
      await until('it is sent', async () => {
        const rows = await database.query(`select 1 from deliveries where otp_id = $1 and status = 'sent'`, [
          body.otp_id,
        ])
        return rows.length === 1
      })
      assert.deepEqual(calls, ['first', 'second', 'first', 'second'])
    })
  })

  it('one that keeps erring is not asked first any more', async () => {
    await withAccounts({ first: () => busy, second: accepted }, async (node, calls) => {
      for (let count = 0; count < 6; count++) await sendAndSettle(node)
      assert.equal(calls.filter((call) => call === 'first').length, 3)
      assert.deepEqual(calls.slice(-3), ['second', 'second', 'second'])
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
      const { serverKey, appId } = await createTenant(node, { routing: { default: ['sms'] } })
      const { body } = await send(node, serverKey, { recipient: freshPhone() })
      for (let index = 0; index < 120; index++) {
        const otpId = newId('verification', daysAgoMs)
        await database.query(
          `insert into verifications select (jsonb_populate_record(v, jsonb_build_object('otp_id', $2::text))).*
               from verifications v where otp_id = $1`,
          [body.otp_id, otpId],
        )
        await database.query(
          `insert into deliveries select (jsonb_populate_record(d, jsonb_build_object('otp_id', $2::text, 'delivery_id', $3::text,
                    'status', 'queued', 'price_micros', 0, 'charge', 'reserved',
                    'next_attempt_at', now() + interval '1 day', 'give_up_at', now() - interval '3 days'))).*
               from deliveries d where otp_id = $1`,
          [body.otp_id, otpId, newId('delivery', daysAgoMs)],
        )
      }
      await database.query(
        `update deliveries set next_attempt_at = now() where app_id = $1 and status = 'queued'`,
        [appId],
      )
    })
    await withAccounts({ only: accepted }, () =>
      until(
        'nothing is queued',
        async () => {
          const left = await database.query(`select 1 from deliveries where status = 'queued'`)
          return left.length === 0
        },
        3_000,
      ).then(() => {}),
    )
  })
})
