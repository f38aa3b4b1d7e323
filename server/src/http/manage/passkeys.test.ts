import assert from 'node:assert/strict'
import { it } from 'node:test'
import { AppError, operations } from '@countersign/contract'
import { WindowBudget } from '../../domain/members/index.ts'
import type { PlainIncoming } from '../route.ts'
import { passkeyRoutes } from './passkeys.ts'

it('strangers get a bounded number of challenges, each address its own and all together', async () => {
  let rows = 0
  const query = async () => {
    rows++
    return { rows: [], rowCount: 1 }
  }
  const dependencies = {
    database: { query },
    relyingParty: { id: 'localhost', origin: 'http://localhost' },
    challenges: new WindowBudget(() => 60_000, { ofOne: 2, ofAll: 3 }),
  } as unknown as Parameters<typeof passkeyRoutes>[0]
  const route = passkeyRoutes(dependencies).find(
    ({ operation }) => operation === operations.startPasskeySignIn,
  )
  const ask = async (callerAddress: string) => {
    try {
      await route?.handle({ callerAddress } as PlainIncoming, null)
      return 'given'
    } catch (error) {
      assert.ok(error instanceof AppError)
      assert.deepEqual(error.details, { scope: 'ip', retry_after: 540 })
      return error.errorName
    }
  }
  const refused = 'RateLimitExceededError'
  assert.deepEqual(
    [await ask('192.0.2.1'), await ask('192.0.2.1'), await ask('192.0.2.1')],
    ['given', 'given', refused],
  )
  assert.deepEqual([await ask('192.0.2.2'), await ask('192.0.2.3')], ['given', refused])
  assert.equal(rows, 3, 'a refused one leaves no row')
})
