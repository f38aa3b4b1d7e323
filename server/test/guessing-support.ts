/** Two nodes on a database whose clock the test moves, and counts of earlier guesses. */
import assert from 'node:assert/strict'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { started, type Tenant, until, verify, wrongCode } from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'
import { closeAll, startTwoNodes } from './harness/two-nodes.ts'
import { createVirtualClock, type VirtualClock } from './harness/virtual-clock.ts'

export interface GuessingService {
  readonly database: TestDatabase
  readonly clock: VirtualClock
  readonly nodes: readonly [Node, Node]
  readonly close: () => Promise<void>
}

export async function startGuessingService(): Promise<GuessingService> {
  const database = await createTestDatabase()
  try {
    const clock = await createVirtualClock(database)
    const nodes = await startTwoNodes(clock.url)
    return { database, clock, nodes, close: () => closeAll([...nodes, database]) }
  } catch (error) {
    await database.close()
    throw error
  }
}

interface Guesses {
  readonly guesses: number
  readonly failures: number
  readonly minutesAgo?: number
}

/** Counts guesses as if they had been made then. */
export const putGuesses = (
  { database }: Pick<GuessingService, 'database'>,
  appId: string,
  { guesses, failures, minutesAgo = 0 }: Guesses,
) =>
  database.query(
    `insert into guess_counts (company_id, app_id, since, guesses, failures, expires_at)
     select company_id, app_id, date_bin('5 minutes', now() + by - $4 * interval '1 minute', 'epoch'), $2, $3, now() + by + interval '8 days'
       from virtual.shift, apps where app_id = $1`,
    [appId, guesses, failures, minutesAgo],
  )

export const guessingOf = async (node: Node, appId: string) => {
  const { status, body } = await node.manage('GET', `/apps/${appId}/guessing`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** Enters one wrong code for a new verification, and waits until it is counted. */
export async function guessWrong(node: Node, { serverKey, appId }: Tenant): Promise<void> {
  const { failures } = await guessingOf(node, appId)
  const { otpId, code } = await started(node, serverKey)
  assert.equal((await verify(node, serverKey, otpId, wrongCode(code))).body.matched, false)
  await until(
    'the guess to be counted',
    async () => (await guessingOf(node, appId)).failures === failures + 1,
  )
}

/** Once a later guess is counted, earlier ones on that node have been judged. */
export async function settleGuesses(node: Node, { serverKey, appId }: Tenant): Promise<void> {
  const { guesses } = await guessingOf(node, appId)
  const { otpId, code } = await started(node, serverKey)
  assert.equal((await verify(node, serverKey, otpId, code)).body.matched, true)
  await until('the guess to be counted', async () => (await guessingOf(node, appId)).guesses === guesses + 1)
}

/** 199 wrong codes out of 199, and one more. */
export async function raiseAlarm(service: GuessingService, node: Node, tenant: Tenant): Promise<void> {
  await putGuesses(service, tenant.appId, { guesses: 199, failures: 199 })
  await guessWrong(node, tenant)
  await until('the alarm', async () => (await guessingOf(node, tenant.appId)).alarmed_since !== null)
}
