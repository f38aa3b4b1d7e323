/** What every schedule starts with: a company with queued messages, an endpoint, and a verification to guess at. */

import { inForce, type Principal } from '../../src/domain/tenancy/index.ts'
import { findKey } from '../../src/domain/tenancy/key-store.ts'
import { parseKeyText } from '../../src/domain/tenancy/key-text.ts'
import { loadKeyring } from '../../src/platform/data-keys.ts'
import { types } from '../../src/platform/database/pools.ts'
import { openDatabase } from '../../src/platform/database.ts'
import type { AppId, CompanyId, EndpointId, OtpId } from '../../src/platform/ids.ts'
import type { Keyring } from '../../src/platform/keyring.ts'
import { createTestDatabase } from '../harness/database.ts'
import { freshPhone, send } from '../harness/fixtures.ts'
import { startNode, testMasterKeys } from '../harness/node.ts'
import { subscribe } from '../webhooks/support.ts'
import { makeClock, Post } from './post.ts'

/** The most messages that can be queued. */
export const mostQueued = 4
/** How many sends a recipient may have, for schedules about limits. */
export const recipientLimit = 2
/** After this many schedules the tables are truncated; before that their rows are only deleted, which is faster. */
const emptyEvery = 150

export interface Stage {
  readonly post: Post
  readonly keyring: Keyring
  readonly principal: Principal
  readonly companyId: CompanyId
  readonly appId: AppId
  readonly endpointId: EndpointId
  readonly otpIds: readonly OtpId[]
  /** The phone number of each verification. */
  readonly phones: ReadonlyMap<string, string>
  readonly startMs: number
  readonly reset: () => Promise<void>
  readonly close: () => Promise<void>
}

const emptied = [
  'deliveries',
  'verifications',
  'events',
  'event_attempts',
  'decisions',
  'ledger',
  'limits',
  'idempotency_keys',
  'workers',
  'tokens',
  'unreachable',
  'spend_counters',
  'early_receipts',
  'links',
] as const
const kept = ['verifications', 'deliveries', 'ledger'] as const

export async function openStage(): Promise<Stage> {
  const testDatabase = await createTestDatabase()
  const node = await startNode(testDatabase.url, { role: 'api' })
  const tenant = await subscribe(node, 'http://127.0.0.1:9/hook')
  const phones = new Map<string, string>()
  for (let count = 0; count < mostQueued; count++) {
    const recipient = freshPhone()
    const { body } = await send(node, tenant.serverKey, { recipient })
    phones.set(body.otp_id, recipient)
  }
  const limits = { recipient: [{ max: recipientLimit, window_s: 600 }] }
  await node.manage('PATCH', `/apps/${tenant.appId}`, { limits })
  await node.close()

  const database = openDatabase(testDatabase.url, 2, () => {})
  const keyring = await loadKeyring(database, testMasterKeys)
  const parsed = parseKeyText(tenant.serverKey)
  const found = parsed && (await findKey(database, parsed.appId, parsed.hash))
  if (!found) throw new Error('the key of the stage is gone')
  await database.close()

  const startMs = Date.now()
  await dropOtherDays(testDatabase.query, startMs)
  for (const table of kept) await testDatabase.query(`create table kept_${table} as table ${table}`)
  await testDatabase.query('create table kept_balance as select company_id, balance_micros from companies')
  await makeClock((text) => testDatabase.query(text))
  const [endpoint] = await testDatabase.query<{ endpoint_id: EndpointId }>(
    'select endpoint_id from webhook_endpoints where app_id = $1',
    [tenant.appId],
  )
  const otps = await testDatabase.query<{ otp_id: OtpId }>('select otp_id from kept_verifications order by 1')
  const post = new Post(testDatabase.url, types)
  await post.open()
  let count = 0
  if (!endpoint) throw new Error('the endpoint of the stage is gone')
  const principal = { ...found.principal, app: inForce(found.principal.app, 'priority') }
  return {
    post,
    keyring,
    principal,
    companyId: principal.app.companyId,
    appId: principal.app.appId,
    endpointId: endpoint.endpoint_id,
    otpIds: otps.map((row) => row.otp_id),
    phones,
    startMs,
    reset: async () => {
      const isWhole = count++ % emptyEvery === 0
      post.setTime(startMs)
      post.setStarted(startMs - 3_600_000)
      await Promise.all([
        post.look(
          isWhole
            ? `truncate ${emptied.join(', ')}`
            : `with ${emptied.map((table) => `gone_${table} as (delete from ${table})`).join(', ')} select 1`,
        ),
        post.look(`
          with balance as (update companies c set balance_micros = k.balance_micros from kept_balance k where k.company_id = c.company_id),
               endpoint as (update webhook_endpoints set status = 'active', failures = 0, paused_at = null, reason = null, last_success_at = null)
          select 1`),
      ])
    },
    close: async () => {
      await post.close()
      await testDatabase.close()
    },
  }
}

/** Drops the other days' partitions, so that there are fewer to plan over: a schedule lasts less than a day. */
async function dropOtherDays(query: (text: string) => Promise<unknown[]>, nowMs: number): Promise<void> {
  const days = [nowMs, nowMs + 86_400_000].map((ms) =>
    new Date(ms).toISOString().slice(0, 10).replaceAll('-', ''),
  )
  const rows = (await query(
    `select inhrelid::regclass::text as name from pg_inherits join pg_class c on c.oid = inhparent where c.relkind = 'p'`,
  )) as { name: string }[]
  for (const { name } of rows) if (!days.some((day) => name.endsWith(day))) await query(`drop table ${name}`)
}

/** Queues the first `count` of the prepared messages, as if they had just been accepted. */
export async function queueMessages(stage: Stage, count: number): Promise<void> {
  const inserted = stage.post.look(
    `with wanted as (select * from kept_deliveries order by delivery_id limit $1),
          verification as (insert into verifications select * from kept_verifications where otp_id in (select otp_id from wanted)),
          entry as (insert into ledger select * from kept_ledger where kind = 'credit' or delivery_id in (select delivery_id from wanted))
     insert into deliveries select * from wanted`,
    [count],
  )
  // Returns the reservations of the messages that this schedule does not use.
  await stage.post.look(
    `update companies c set balance_micros = c.balance_micros +
       (select coalesce(sum(price_micros), 0)::bigint from (select price_micros from kept_deliveries order by delivery_id offset $1) rest)
      where company_id = $2`,
    [count, stage.companyId],
  )
  await inserted
}
