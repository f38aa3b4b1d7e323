/** Two nodes on a database whose clock starts at ten past ten, so that no test meets the end of an hour. */
import assert from 'node:assert/strict'
import { Capture } from './harness/capture.ts'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import type { Answer, Node } from './harness/node.ts'
import { closeAll, startTwoNodes } from './harness/two-nodes.ts'
import { createVirtualClock, type VirtualClock } from './harness/virtual-clock.ts'

export interface SpendService {
  readonly database: TestDatabase
  readonly clock: VirtualClock
  readonly capture: Capture
  readonly nodes: readonly [Node, Node]
  /** Moves the clock to the next morning, after a test has moved it. */
  readonly settleClock: () => Promise<void>
  readonly close: () => Promise<void>
}

const daySeconds = 86_400
const tenPastTen = 10 * 3_600 + 600
/** Longer than a test takes. */
const slackSeconds = 1_200

export async function startSpendService(): Promise<SpendService> {
  const capture = new Capture()
  const database = await createTestDatabase()
  try {
    const clock = await createVirtualClock(database)
    const settleClock = async () => {
      const [row] = await database.query<{ s: number }>(
        'select (extract(epoch from now() + by) % 86400)::float as s from virtual.shift',
      )
      const second = row?.s ?? 0
      if (second < tenPastTen || second > tenPastTen + slackSeconds)
        await clock.advance((tenPastTen - second + daySeconds) % daySeconds)
    }
    await settleClock()
    const nodes = await startTwoNodes(clock.url, { capture })
    return { database, clock, capture, nodes, settleClock, close: () => closeAll([...nodes, database]) }
  } catch (error) {
    await database.close()
    throw error
  }
}

interface Counted {
  readonly app_id: string
  /** `day:GB` or `hour`. */
  readonly name: string
  readonly spent?: string
  readonly approved?: string
  /** Whole days before today; for an hour, the same hour of that day. */
  readonly daysAgo?: number
}

/** Writes a counter as if it had been counted then. */
export const putCounter = (
  { database }: SpendService,
  { app_id, name, spent = '0', approved = '0', daysAgo = 0 }: Counted,
) =>
  database.query(
    `insert into spend_counters (company_id, app_id, name, since, spent_micros, approved_micros, best_micros, best_spent_micros, expires_at)
     select company_id, app_id, $2, since, $3::numeric * 1000000, $4::numeric * 1000000, 0, 0, since + interval '16 days'
       from (select date_trunc(split_part($2, ':', 1), now() + by, 'UTC') - $5 * interval '1 day' as since
               from virtual.shift) counted, apps
      where app_id = $1`,
    [app_id, name, spent, approved, daysAgo],
  )

export function assertCapped(answer: Answer, cap: 'day_by_country' | 'hour_unverified'): void {
  assert.equal(answer.status, 429, JSON.stringify(answer.body))
  assert.equal(answer.body.error.type, 'RateLimitExceededError')
  const { scope, retry_after, cap: named } = answer.body.error.details
  assert.deepEqual([scope, named], ['spend', cap])
  assert.match(answer.body.error.message, /scope spend/)
  assert.equal(answer.headers.get('retry-after'), String(retry_after))
  const most = cap === 'hour_unverified' ? 50 * 60 : 14 * 3_600
  assert.ok(retry_after >= 1 && retry_after <= most, String(retry_after))
}

export const spendOf = async (node: Node, appId: string) => {
  const { status, body } = await node.manage('GET', `/apps/${appId}/spend`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** What the last decision of a verification says about the caps. */
export const spendRule = async (node: Node, key: string, otpId: string) => {
  const { body } = await node.call('GET', `/api/v1/otp/${otpId}/decision`, { key })
  return body.decisions.at(-1).rules.find((rule: { rule: string }) => rule.rule === 'spend')
}
