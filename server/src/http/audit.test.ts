import assert from 'node:assert/strict'
import { it } from 'node:test'
import { AppError, operations } from '@countersign/contract'
import { Keyring } from '../platform/keyring.ts'
import { createAudit } from './audit.ts'

/** The outcomes of the rows that a change leaves, of which the first is always open. */
async function outcomesOf(error: Error): Promise<unknown[]> {
  const outcomes: unknown[] = []
  const head = { position: 0n, mac: Buffer.alloc(0), seal: Buffer.alloc(0), data_key: 1 }
  const query = async ({ name, values = [] }: { name?: string; values?: unknown[] }) => {
    if (name === 'append-audit-entry') outcomes.push(values[3])
    return { rows: [{ ...head, now: new Date() }] }
  }
  const audited = createAudit({
    database: { transaction: (run: (transaction: object) => unknown) => run({ of: () => ({ query }) }) },
    keyring: () => new Keyring([{ id: 1, secret: Buffer.alloc(32), activeFromMs: 0 }]),
    clock: { nowMs: () => Date.now() },
  } as unknown as Parameters<typeof createAudit>[0])
  const call = {
    operation: operations.deleteApp,
    actor: { kind: 'token' },
    params: {},
    body: undefined,
    callerAddress: '192.0.2.1',
    requestId: 'req_1',
    locate: async () => ({ named: null, subject: null, membership: null }),
  } as const
  const change = async () => {
    throw error
  }
  await assert.rejects(
    audited(call, (begin) =>
      begin(null, undefined, change, { isRepeat: () => false, settleWith: () => {}, isSettled: () => false }),
    ),
    error,
  )
  return outcomes
}

it('a change that was refused is recorded as refused, and one that may have happened as neither', async () => {
  assert.deepEqual(await outcomesOf(new AppError('ConflictError', 'No.')), [null, 'refused'])
  assert.deepEqual(await outcomesOf(new AppError('UnavailableError', 'Not now.')), [null])
  assert.deepEqual(await outcomesOf(new Error('a bug')), [null])
})
