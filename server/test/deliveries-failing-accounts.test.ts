/** Accounts of one channel that fail or are dead: which is tried next, and after which pause. */
import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { smpp } from '../src/channels/smpp/index.ts'
import type { Provider } from '../src/domain/routing/index.ts'
import { closedPort, portOf } from './channels/support.ts'
import { accepted, busy, startAccounts } from './deliveries-accounts-support.ts'
import { noteRests, restAfter } from './deliveries-support.ts'
import { createTenant, freshPhone, send, sendPatiently, until } from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'

const { database, withAccounts, sendAndSettle, close } = await startAccounts()
after(close)

await noteRests(database)

describe('accounts that err', () => {
  it('a message that one account cannot take goes to the next one at once', async () => {
    await withAccounts({ first: () => busy, second: accepted }, async (node, calls) => {
      const done = await sendAndSettle(node)
      assert.deepEqual([done.status, done.provider_id, done.tried], ['sent', 'second', []])
      assert.deepEqual(calls, ['first', 'second'])
      // Far shorter than a lease, after which another worker would have taken the message over.
      assert.ok(done.took_s !== null && done.took_s < 10, `${done.took_s} s`)
    })
  })

  /** A port where nobody listens, and one that accepts connections and never answers. */
  const deadEnds = {
    'that refuses connections': async () => ({ port: closedPort, close: () => {} }),
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
          Array.from({ length: 100 }, () => sendPatiently(node, serverKey, { recipient: freshPhone() })),
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
        // Shorter than the deadline of one attempt, so nobody has waited for that.
        assert.ok(slowest && slowest.took_s < 14, `${slowest?.took_s} s`)
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
      const first = await restAfter(database, body.otp_id, 2)
      assert.deepEqual([calls.slice(0, 2), first.provider_id], [['first', 'second'], 'first'])
      assert.ok(Math.abs(first.pause_s - 1) < 0.5, `${first.pause_s} s`)
      const second = await restAfter(database, body.otp_id, 4)
      assert.deepEqual(calls.slice(0, 4), ['first', 'second', 'first', 'second'])
      assert.ok(Math.abs(second.pause_s - 2) < 0.5, `${second.pause_s} s`)
      await database.query(
        'update deliveries set give_up_at = now(), next_attempt_at = now() where otp_id = $1 and held_by is null',
        [body.otp_id],
      )
    })
  })

  it('the next one in line is asked in the same round, however often the message was taken before', async () => {
    let isTaken = false
    // Long enough for the test to find the message waiting.
    const second = () => (isTaken ? accepted() : { ...busy, afterSeconds: 60 })
    await withAccounts({ first: () => busy, second }, async (node, calls) => {
      const { serverKey } = await createTenant(node, { routing: { default: ['sms'] } })
      const { body } = await send(node, serverKey, { recipient: freshPhone() })
      await until('both were asked', () => calls.length === 2)
      isTaken = true
      // As if it had been claimed and returned once without an attempt.
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

  it('one that never answers is passed over before what it was handed is given up', async () => {
    const letGo: (() => void)[] = []
    const givenUp: boolean[] = []
    let isGivenUp = false
    const hang: Provider['account']['send'] = (_message, signal) =>
      new Promise((resolve) => {
        letGo.push(() => resolve(accepted()))
        signal.addEventListener('abort', () => {
          isGivenUp = true
          resolve({ kind: 'uncertain', error: { code: 'deadline', message: 'No answer.' } })
        })
      })
    const carry = () => {
      givenUp.push(isGivenUp)
      return accepted()
    }
    const hanging = (provider: Provider) =>
      provider.providerId === 'first'
        ? { ...provider, account: { ...provider.account, send: hang } }
        : provider
    await withAccounts(
      { first: accepted, second: carry },
      async (node) => {
        const tenant = await createTenant(node, { routing: { default: ['sms'] } })
        while (givenUp.length === 0) {
          await send(node, tenant.serverKey, { recipient: freshPhone() })
          // Few at a time, because a message waits for an account that is at its limit.
          await sleep(500)
        }
        for (const end of letGo) end()
      },
      hanging,
    )
    assert.equal(givenUp[0], false)
  })

  it('one that keeps erring is not asked first any more', async () => {
    await withAccounts({ first: () => busy, second: accepted }, async (node, calls) => {
      for (let count = 0; count < 6; count++) await sendAndSettle(node)
      assert.equal(calls.filter((call) => call === 'first').length, 3)
      assert.deepEqual(calls.slice(-3), ['second', 'second', 'second'])
    })
  })
})
