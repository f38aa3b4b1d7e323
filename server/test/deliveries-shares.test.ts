import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { SendOutcome } from '../src/channels/channel.ts'
import type { Provider } from '../src/domain/routing/index.ts'
import { assertArrivesInASecond, masterKeys } from './deliveries-support.ts'
import { Capture } from './harness/capture.ts'
import { createTestDatabase } from './harness/database.ts'
import { createTenant, freshPhone, sendPatiently, until } from './harness/fixtures.ts'
import { type Node, startNode } from './harness/node.ts'

const accounts = 21

describe('shares of what a worker does at once', () => {
  it('a tenant with hanging accounts and a thousand sends delays another’s message by less than a second', async () => {
    const database = await createTestDatabase()
    const api = await startNode(database.url, { role: 'api', masterKeys })
    let worker: Node | undefined
    try {
      const hog = await createTenant(api, { routing: { default: ['sms'] } }, { balance: '100000' })
      const other = await createTenant(api, { routing: { default: ['sms'] } })
      for (let from = 0; from < 1_000; from += 100)
        await Promise.all(
          Array.from({ length: 100 }, () => sendPatiently(api, hog.serverKey, { recipient: freshPhone() })),
        )
      await database.query(
        `update deliveries d set provider_id = 'hanging-' || number % ${accounts}
           from (select delivery_id, row_number() over () as number from deliveries where company_id = $1) numbered
          where d.delivery_id = numbered.delivery_id`,
        [hog.companyId],
      )
      const capture = new Capture()
      const [shared] = capture.providers(['sms'])
      assert.ok(shared)
      let hanging = 0
      let most = 0
      const hangingAccount = (index: number): Provider => ({
        ...shared,
        providerId: `hanging-${index}`,
        companyId: hog.companyId as Provider['companyId'],
        account: {
          send: (_message, signal) =>
            new Promise<SendOutcome>((resolve) => {
              most = Math.max(most, ++hanging)
              signal.addEventListener('abort', () => {
                hanging--
                resolve({
                  kind: 'retry',
                  error: { code: 'deadline', message: 'No answer.' },
                  afterSeconds: null,
                })
              })
            }),
          close: async () => {},
        },
      })
      worker = await startNode(database.url, {
        masterKeys,
        capture,
        builtIn: () => [...Array.from({ length: accounts }, (_, index) => hangingAccount(index)), shared],
      })
      await until('the hanging accounts to be busy', () => hanging >= 200, 60_000)
      await assertArrivesInASecond(worker, capture, other.serverKey)
      assert.ok(most <= 2_000, `${most} at once`)
      await database.query(`update deliveries set give_up_at = now() where company_id = $1`, [hog.companyId])
    } finally {
      await worker?.close()
      await api.close()
      await database.close()
    }
  })
})
