import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startHealthWriter } from './account-health.ts'

it('a node that could only not read the state of accounts does not say that some of it waits to be written', async () => {
  const logged: string[] = []
  const warned: string[] = []
  const account = {
    providerId: 'prv_1',
    companyId: null,
    channel: 'sms',
    kind: 'http',
    revision: 1,
    account: {},
  }
  const writer = startHealthWriter({
    database: { query: () => Promise.reject(new Error('the database is away')) },
    health: { take: () => [] },
    providers: { all: () => [account], find: () => undefined, unopened: () => [], isPassive: true },
    metrics: { keepAccounts: () => {}, setAccountsUp: () => {}, countAccountMessages: () => {} },
    log: (_level: string, message: string) => logged.push(message),
    warn: (message: string) => warned.push(message),
  } as unknown as Parameters<typeof startHealthWriter>[0])
  await writer.close()
  assert.deepEqual(logged, [])
  assert.deepEqual(warned, ['reading the state of provider accounts failed'])
})
