import assert from 'node:assert/strict'
import { it } from 'node:test'
import { AppError, operations } from '@countersign/contract'
import { WindowBudget } from '../../domain/members/index.ts'
import type { PlainIncoming } from '../route.ts'
import { passkeyRoutes } from './passkeys.ts'

it('strangers get a bounded number of challenges, each address its own and all together, and leave known browsers theirs', async () => {
  let rows = 0
  const query = async () => {
    rows++
    return { rows: [], rowCount: 1 }
  }
  const budget = () => new WindowBudget(() => 60_000, { ofOne: 2, ofAll: 3 })
  const dependencies = {
    database: { query },
    relyingParty: { id: 'localhost', origin: 'http://localhost' },
    challenges: { ofStrangers: budget(), ofKnown: budget() },
    clock: { nowMs: () => 60_000 },
    // As if it were sealed.
    keyring: () => ({ open: (token: Buffer) => token.toString() }),
  } as unknown as Parameters<typeof passkeyRoutes>[0]
  const route = passkeyRoutes(dependencies).find(
    ({ operation }) => operation === operations.startPasskeySignIn,
  )
  const ask = async (callerAddress: string, known?: string) => {
    const token = known === undefined ? null : Buffer.from(known).toString('base64url')
    try {
      await route?.handle({ callerAddress, knownToken: () => token } as PlainIncoming, null)
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
  const person = 'ada 60001'
  assert.deepEqual(
    [await ask('192.0.2.3', person), await ask('192.0.2.1', person), await ask('192.0.2.9', person)],
    ['given', 'given', refused],
    'by person, not by address',
  )
  assert.equal(await ask('192.0.2.3', 'bob 60000'), refused, 'known no longer')
  assert.equal(rows, 5, 'a refused one leaves no row')
})
