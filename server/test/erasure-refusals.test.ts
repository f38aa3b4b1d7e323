/** Refusals of an erased person that a node has noted but not written yet. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import type { Refusal } from '../src/domain/verification/index.ts'
import { writeRefusals } from '../src/domain/verification/refusals/store.ts'
import { newId } from '../src/platform/ids.ts'
import { createTenant, freshPhone, started, type Tenant, until } from './harness/fixtures.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService()
after(close)

const erase = ({ companyId }: Tenant, recipient: string) =>
  node.manage('POST', `/companies/${companyId}/erasures`, { recipient })

/** A person, and a refusal of theirs as another node has noted it. */
async function personOf(tenant: Tenant) {
  const recipient = freshPhone()
  const { otpId } = await started(node, tenant.serverKey, recipient)
  const [row] = await database.query<{ recipient_hash: Buffer; now: Date }>(
    'select recipient_hash, clock_timestamp() as now from verifications where otp_id = $1',
    [otpId],
  )
  assert.ok(row)
  const note = (atMs: number) => ({
    refusalId: newId('refusal', atMs),
    where: { country: 'GB', level: null, place: null },
    count: 1,
    priceMicros: 50_000n,
    refusal: {
      companyId: tenant.companyId as Refusal['companyId'],
      appId: tenant.appId as Refusal['appId'],
      kind: 'send',
      otpId: null,
      errorType: 'GeoBlockedError',
      decided: { rule: 'geo', outcome: 'refuse', facts: { because: 'blocked', country: 'GB' } },
      maskedRecipient: '+44****56',
      recipientHash: row.recipient_hash,
      country: 'GB',
      channel: 'sms',
      keyId: null,
      clientIp: '81.2.69.142',
      priceMicros: 50_000n,
      atMs,
    } as const,
  })
  return { recipient, note, hash: row.recipient_hash, nowMs: row.now.getTime() }
}

const shown = ({ appId }: Tenant) =>
  database.query(
    `select masked_recipient, recipient_hash is not null as has_hash, host(client_ip) as client_ip from refusals
      where app_id = $1 order by refusal_id`,
    [appId],
  )
const nothing = { masked_recipient: '****', has_hash: false, client_ip: null }
const known = { masked_recipient: '+44****56', has_hash: true, client_ip: '81.2.69.142' }

describe('refusals of somebody who is erased', () => {
  it('tell nothing of them when they are written afterwards, and those that follow do', async () => {
    const [tenant, stranger] = [await createTenant(node), await createTenant(node)]
    const { recipient, note, nowMs } = await personOf(tenant)
    assert.equal((await erase(tenant, recipient)).status, 200)
    await writeRefusals(node.app.database, [note(nowMs), note(nowMs + 60_000)])
    assert.deepEqual(await shown(tenant), [nothing, known])
    const theirs = note(nowMs)
    const refusal = { ...theirs.refusal, companyId: stranger.companyId, appId: stranger.appId } as Refusal
    await writeRefusals(node.app.database, [{ ...theirs, refusal }])
    assert.deepEqual(await shown(stranger), [known], 'another company has not erased them')
  })

  it('tell nothing of them when they are being written meanwhile', async () => {
    const tenant = await createTenant(node)
    const { recipient, note, nowMs } = await personOf(tenant)
    // Another node's statement has begun, and waits for a row of counts that an earlier refusal has created.
    const earlier = note(nowMs)
    const nobody = { ...earlier.refusal, recipientHash: null, maskedRecipient: '****', clientIp: null }
    await writeRefusals(node.app.database, [{ ...earlier, refusal: nobody }])
    const holder = new pg.Client({ connectionString: database.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select 1 from refusal_counts where app_id = $1 for update', [tenant.appId])
    const writing = writeRefusals(node.app.database, [note(nowMs)])
    await until('it to wait', async () => {
      const rows = await database.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows.length > 0
    })
    let isAnswered = false
    const erasing = erase(tenant, recipient).finally(() => {
      isAnswered = true
    })
    await until('the erasure to wait or end', async () => {
      if (isAnswered) return true
      const rows = await database.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
      )
      return rows.length > 0
    })
    await holder.query('commit')
    await holder.end()
    await writing
    assert.equal((await erasing).status, 200)
    assert.deepEqual(await shown(tenant), [nothing, nothing])
  })
})
