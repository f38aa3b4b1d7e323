/** The audit trail as a chain: changes made by hand in the database are detected, changes by the service are not. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { macOf, sealOf } from '../src/domain/members/audit/chain.ts'
import { expireAudit } from '../src/domain/members/audit/expire.ts'
import * as store from '../src/domain/members/audit/store.ts'
import { verifyAudit } from '../src/domain/members/index.ts'
import { addDataKey } from '../src/platform/data-keys.ts'
import { type CompanyId, parseId } from '../src/platform/ids.ts'
import type { Tenant } from '../src/platform/tenant.ts'
import { createRecordedTenant, until } from './harness/fixtures.ts'
import { adminToken, type Node, testMasterKeys } from './harness/node.ts'
import { joinCompany, signInAsOperator } from './harness/people.ts'
import { type Service, startService } from './harness/service.ts'

describe('the chain of the audit trail', () => {
  let service: Service
  let node: Node

  before(async () => {
    service = await startService()
    node = service.node
  })
  after(() => service.close())

  const sql = (text: string, values: unknown[] = []) => service.database.tamper(text, values)
  const companyOf = (text: string): CompanyId => parseId('company', text) ?? assert.fail(text)
  const brokenIn = async (companyId: string | null) => {
    const chains = await verifyAudit(node.app, companyId === null ? null : companyOf(companyId))
    return chains.find((chain) => chain.companyId === companyId)?.broken ?? null
  }
  /** A company with a chain of a dozen rows. */
  async function withHistory() {
    const { companyId, appId } = await createRecordedTenant(node)
    for (let index = 0; index < 5; index++)
      await node.manage('PATCH', `/apps/${appId}`, { name: `Name ${index}` })
    const [head] = await service.database.query<{ position: string }>(
      'select position from audit_chains where company_id = $1',
      [companyId],
    )
    return { companyId, appId, length: Number(head?.position) }
  }

  it('holds for all that the service wrote, of fifty changes at once and of refused ones', async () => {
    const { companyId, appId } = await createRecordedTenant(node)
    /** On a busy machine a change may wait for longer than it may: it is refused with 503, and sent again. */
    async function change(index: number) {
      const body = index % 5 === 0 ? { code_length: 99 } : { name: `Name ${index}` }
      for (let tries = 1; ; tries++) {
        const id = `change-${index}-${tries}`
        const options = { key: adminToken, headers: { 'x-request-id': id }, body }
        const { status } = await node.call('PATCH', `/manage/v1/apps/${appId}`, options)
        if (status !== 503) return { id, status }
      }
    }
    const answered = await Promise.all(Array.from({ length: 50 }, (_, index) => change(index)))
    await joinCompany(node, companyId, 'viewer')
    for (const chain of await verifyAudit(node.app, null))
      assert.equal(chain.broken, null, JSON.stringify(chain))
    const rows = await service.database.query<{ request_id: string; outcomes: (string | null)[] }>(
      `select request_id, array_agg(outcome order by position) as outcomes
         from audit_entries where company_id = $1 group by request_id`,
      [companyId],
    )
    const recorded = new Map(rows.map((row) => [row.request_id, row.outcomes]))
    for (const { id, status } of answered)
      assert.deepEqual(recorded.get(id), [null, status === 200 ? 'done' : 'refused'], `${id}: ${status}`)
    for (const expected of [200, 422]) assert.ok(answered.some(({ status }) => status === expected))
  })

  it('holds whatever is written into the ids of a path, and cut in the middle of a character', async () => {
    const { companyId } = await createRecordedTenant(node)
    const owner = await joinCompany(node, companyId, 'owner')
    const long = encodeURIComponent(`${'a'.repeat(63)}\u{1f600}`)
    assert.equal((await owner.call('DELETE', `/keys/${long}`)).status, 404)
    assert.equal((await owner.call('DELETE', `/keys/%00${long}`)).status, 404)
    assert.equal((await owner.call('DELETE', `/companies/${companyId}/members/${long}`)).status, 404)
    for (const chain of await verifyAudit(node.app, null))
      assert.equal(chain.broken, null, JSON.stringify(chain))
  })

  for (const [what, change] of [
    ['who did it', `person_id = 'usr_somebody'`],
    ['what was done', `action = 'listKeys'`],
    ['the values', `changes = '{"name":"Other"}'`],
    ['white space in the values', `changes = (changes::text || ' ')::json`],
    ['the time', `created_at = created_at + interval '1 millisecond'`],
    ['the address', `address = '192.0.2.1'`],
    ['the outcome', `outcome = 'refused'`],
    ['how long it is kept', `expires_at = expires_at - interval '1 day'`],
    ['the hash itself', `mac = sha256('x')`],
  ] as const) {
    it(`breaks where somebody changes ${what}`, async () => {
      const { companyId } = await withHistory()
      await sql(`update audit_entries set ${change} where company_id = $1 and position = 6`, [companyId])
      assert.equal((await brokenIn(companyId))?.position, 6)
    })
  }

  it('breaks where an entry is taken out, at the start, in between and at the end', async () => {
    for (const position of [1, 5, 'last'] as const) {
      const { companyId, length } = await withHistory()
      const gone = position === 'last' ? length : position
      await sql('delete from audit_entries where company_id = $1 and position = $2', [companyId, gone])
      assert.equal((await brokenIn(companyId))?.position, gone)
    }
  })

  it('breaks where the end is taken off and the head is set back to fit, and no later entry mends it', async () => {
    const { companyId, appId } = await withHistory()
    await sql('delete from audit_entries where company_id = $1 and position > 4', [companyId])
    await sql(
      `update audit_chains chain set position = 4, mac = entry.mac from audit_entries entry
        where chain.company_id = $1 and entry.company_id = $1 and entry.position = 4`,
      [companyId],
    )
    assert.match((await brokenIn(companyId))?.what ?? '', /where the chain ends was changed/)
    await node.manage('PATCH', `/apps/${appId}`, { name: 'After it' })
    assert.equal((await brokenIn(companyId))?.position, 5)
  })

  it('breaks where an entry is put in, at a place of its own, after the end or before the start', async () => {
    const copyTo = (companyId: string, from: number, to: number) =>
      sql(
        `insert into audit_entries
         select (jsonb_populate_record(entry, jsonb_build_object('position', $3::bigint, 'audit_id', 'aud_inserted'))).*
           from audit_entries entry where company_id = $1 and position = $2`,
        [companyId, from, to],
      )
    const between = await withHistory()
    await sql('update audit_entries set position = -position where company_id = $1 and position > 5', [
      between.companyId,
    ])
    await sql('update audit_entries set position = 1 - position where company_id = $1 and position < 0', [
      between.companyId,
    ])
    await copyTo(between.companyId, 5, 6)
    assert.equal((await brokenIn(between.companyId))?.position, 6)

    const after = await withHistory()
    await copyTo(after.companyId, 5, after.length + 1)
    assert.match((await brokenIn(after.companyId))?.what ?? '', /added after the end/)

    const early = await withHistory()
    await copyTo(early.companyId, 5, 0)
    assert.match((await brokenIn(early.companyId))?.what ?? '', /inserted before/)
  })

  it('breaks where two entries change places, and where one moves to another company', async () => {
    const { companyId } = await withHistory()
    await sql(
      'update audit_entries set position = case position when 3 then -4 when 4 then -3 end where company_id = $1 and position in (3, 4)',
      [companyId],
    )
    await sql('update audit_entries set position = -position where company_id = $1 and position < 0', [
      companyId,
    ])
    assert.equal((await brokenIn(companyId))?.position, 3)
    const [left, right] = [await withHistory(), await withHistory()]
    await sql('delete from audit_entries where company_id = $1 and position = 5', [left.companyId])
    await sql('update audit_entries set company_id = $1 where company_id = $2 and position = 5', [
      left.companyId,
      right.companyId,
    ])
    assert.equal((await brokenIn(left.companyId))?.position, 5)
    assert.equal((await brokenIn(right.companyId))?.position, 5)
  })

  it('misses a chain that was taken away whole, of a company and of the installation', async () => {
    const own = await startService()
    try {
      const { companyId, appId } = await createRecordedTenant(own.node)
      await own.database.tamper('delete from audit_entries where company_id = $1', [companyId])
      await own.database.tamper('delete from audit_chains where company_id = $1', [companyId])
      const missed = (await verifyAudit(own.node.app, null)).find((chain) => chain.companyId === companyId)
      assert.match(missed?.broken?.what ?? '', /there is no chain/)
      await own.node.manage('PATCH', `/apps/${appId}`, { name: 'Begun anew' })
      const [anew] = await verifyAudit(own.node.app, companyOf(companyId))
      assert.match(anew?.broken?.what ?? '', /begun anew/)
      await createRecordedTenant(own.node)
      await own.database.tamper(`delete from audit_entries where company_id = ''`)
      await own.database.tamper(`delete from audit_chains where company_id = ''`)
      const installation = (await verifyAudit(own.node.app, null)).find((chain) => chain.companyId === null)
      assert.match(installation?.broken?.what ?? '', /there is no chain/)
      await signInAsOperator(own.node)
      const again = (await verifyAudit(own.node.app, null)).find((chain) => chain.companyId === null)
      assert.match(again?.broken?.what ?? '', /begun anew/)
    } finally {
      await own.close()
    }
  })

  it('begins at an anchor where retention has taken the oldest, which nobody else can set', async () => {
    const { companyId, appId, length } = await withHistory()
    await expire(companyId, 6)
    const [checked] = await verifyAudit(node.app, companyOf(companyId))
    assert.deepEqual([checked?.broken, checked?.entries], [null, length - 6])
    await node.manage('PATCH', `/apps/${appId}`, { name: 'Still going' })
    assert.equal(await brokenIn(companyId), null)
    await sql('delete from audit_entries where company_id = $1 and position = 7', [companyId])
    await sql(`update audit_chains set anchor_position = 7, anchor_mac = sha256('x') where company_id = $1`, [
      companyId,
    ])
    assert.match((await brokenIn(companyId))?.what ?? '', /where the chain begins was changed/)
  })

  /** Makes entries expire, with valid hashes, as if the service had written them more than a year ago. */
  async function makeOld(
    companyId: string,
    isOld: (position: number) => boolean,
    /** Changes to make before a node's own upkeep can see the entries. */
    tamper: (tenant: Tenant) => Promise<void> = async () => {},
  ): Promise<void> {
    const keys = node.app.keyring()
    await node.app.database.transaction(async (transaction) => {
      const tenant = transaction.of(companyOf(companyId))
      await transaction.query({ text: 'set local session_replication_role = replica' })
      const { position, dataKey } = await store.lockChain(tenant)
      let mac: Buffer = Buffer.alloc(0)
      for (const entry of await store.readEntries(tenant, 0n, 1_000)) {
        const isOver = isOld(Number(entry.position))
        const expiresAt = isOver ? new Date(Date.now() - 86_400_000) : entry.expiresAt
        mac = macOf(keys, mac, { ...entry, expiresAt })
        await tenant.query({
          text: 'update audit_entries set expires_at = $3, mac = $4 where company_id = $1 and position = $2',
          values: [entry.position, expiresAt, mac],
        })
      }
      await tenant.query({
        text: 'update audit_chains set mac = $2, seal = $3 where company_id = $1',
        values: [mac, sealOf(keys, 'head', { companyId, position, mac, dataKey })],
      })
      await tamper(tenant)
    })
  }
  async function expire(companyId: string, through: number): Promise<void> {
    await makeOld(companyId, (position) => position <= through)
    await expireAudit(node.app)
  }

  it('is not cut by upkeep where somebody else wrote that a row is over, or where it begins', async () => {
    const dated = await withHistory()
    await sql(
      `update audit_entries set expires_at = now() - interval '1 day' where company_id = $1 and position <= 3`,
      [dated.companyId],
    )
    await expireAudit(node.app)
    assert.equal((await brokenIn(dated.companyId))?.position, 1)
    const moved = await withHistory()
    await makeOld(
      moved.companyId,
      (position) => position <= 5,
      async (tenant) => {
        await tenant.query({
          text: `update audit_chains chain set anchor_position = 3, anchor_mac = entry.mac from audit_entries entry
                  where chain.company_id = $1 and entry.company_id = $1 and entry.position = 3`,
        })
        await tenant.query({ text: 'delete from audit_entries where company_id = $1 and position <= 3' })
      },
    )
    await expireAudit(node.app)
    assert.match((await brokenIn(moved.companyId))?.what ?? '', /where the chain begins was changed/)
  })

  it('takes only the oldest without a gap, whatever a clock has written', async () => {
    const { companyId, length } = await withHistory()
    await makeOld(companyId, (position) => [1, 2, 5].includes(position))
    await expireAudit(node.app)
    const rows = await service.database.query<{ position: string }>(
      'select position from audit_entries where company_id = $1 order by position',
      [companyId],
    )
    assert.deepEqual(
      rows.map((row) => Number(row.position)),
      Array.from({ length: length - 2 }, (_, index) => index + 3),
    )
  })

  it('goes on under a new data key, and holds over the change', async () => {
    const { companyId, appId } = await withHistory()
    await addDataKey(node.app.database, testMasterKeys)
    await sql(`update data_keys set active_from = now() - interval '1 minute'`)
    await sql('update changes set revision = revision + 1')
    await until('the new key is in use', async () => {
      await node.manage('PATCH', `/apps/${appId}`, { name: 'Again' })
      const [head] = await service.database.query<{ data_key: number }>(
        'select data_key from audit_chains where company_id = $1',
        [companyId],
      )
      return head?.data_key === 2
    })
    assert.equal(await brokenIn(companyId), null)
  })
})
