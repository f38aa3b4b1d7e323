import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Transaction } from '../../../platform/database.ts'
import { newId } from '../../../platform/ids.ts'
import { Keyring } from '../../../platform/keyring.ts'
import { appendWithin, macOf, sealOf } from './chain.ts'
import type { Chain, ChainEntry } from './store.ts'
import { findBreakThrough } from './verify.ts'

const nowMs = Date.parse('2026-03-01T12:00:00Z')
/** The second key is in use from a minute later on. */
const keys = new Keyring([
  { id: 1, secret: Buffer.alloc(32, 1), activeFromMs: 0 },
  { id: 2, secret: Buffer.alloc(32, 2), activeFromMs: nowMs + 60_000 },
])
const companyId = newId('company', nowMs)
const nothing = Buffer.alloc(0)

const draft = {
  auditId: 'aud_1',
  settles: null,
  outcome: null,
  errorType: null,
  isCopy: false,
  actor: 'token',
  personId: null,
  action: 'updateApp',
  appId: null,
  subject: null,
  changesText: '{}',
  address: null,
  requestId: 'req_1',
} as const
const entry: Omit<ChainEntry, 'mac'> = {
  ...draft,
  companyId,
  position: 1n,
  createdAt: new Date(nowMs),
  expiresAt: new Date(nowMs + 1_000),
  dataKey: 1,
}

it('the hash of an entry is over each of its fields, and over the entry before it', () => {
  const others: { [Field in keyof typeof entry]: (typeof entry)[Field] } = {
    companyId: '',
    position: 2n,
    auditId: 'aud_2',
    settles: 'aud_0',
    outcome: 'done',
    errorType: 'ForbiddenError',
    isCopy: true,
    actor: 'person',
    personId: newId('person', nowMs),
    action: 'deleteApp',
    appId: 'app_1',
    subject: 'app_2',
    changesText: '{ }',
    address: '192.0.2.1',
    requestId: 'req_2',
    createdAt: new Date(nowMs + 1),
    expiresAt: new Date(nowMs + 1_001),
    dataKey: 2,
  }
  assert.deepEqual(Object.keys(others).sort(), Object.keys(entry).sort())
  const macs = [
    macOf(keys, nothing, entry),
    macOf(keys, Buffer.from('another'), entry),
    ...Object.entries(others).map(([field, value]) => macOf(keys, nothing, { ...entry, [field]: value })),
  ]
  assert.equal(new Set(macs.map((mac) => mac.toString('hex'))).size, macs.length)
})

describe('an entry that is added', () => {
  /** The values of the entry that follows a head which was written with this key. */
  async function addedAfter(dataKey: number): Promise<unknown[]> {
    const written: unknown[][] = []
    const head = { companyId, position: 7n, mac: Buffer.from('the last one'), dataKey } as const
    const row = {
      company_id: companyId,
      position: head.position,
      mac: head.mac,
      seal: sealOf(keys, 'head', head),
      data_key: dataKey,
      anchor_position: 0n,
      anchor_mac: nothing,
      anchor_seal: nothing,
      now: new Date(nowMs),
    }
    const query = async ({ values = [] }: { values?: unknown[] }) => {
      written.push(values)
      return { rows: [row] }
    }
    const transaction = { of: () => ({ companyId, query }) } as unknown as Transaction
    await appendWithin({ keyring: () => keys }, transaction, companyId, draft)
    return written[1] ?? assert.fail('nothing was added')
  }

  it('is kept for 400 days', async () => {
    const values = await addedAfter(1)
    assert.ok(values.some((value) => value instanceof Date && value.getTime() === nowMs + 400 * 86_400_000))
  })

  it('goes on with the newest key of its chain, also where the clock says that an older one is in use', async () => {
    assert.equal((await addedAfter(1)).at(-3), 1)
    assert.equal((await addedAfter(2)).at(-3), 2)
  })
})

it('a chain that goes back to an older key is broken there: somebody else has that key', async () => {
  const chainOf = async (dataKeys: readonly [number, number]) => {
    const entries: ChainEntry[] = []
    for (const [index, dataKey] of dataKeys.entries()) {
      const unsigned = { ...entry, auditId: `aud_${index}`, position: BigInt(index + 1), dataKey }
      entries.push({ ...unsigned, mac: macOf(keys, entries.at(-1)?.mac ?? nothing, unsigned) })
    }
    const rows = entries.map((each) => ({
      company_id: each.companyId,
      position: each.position,
      audit_id: each.auditId,
      settles: each.settles,
      outcome: each.outcome,
      error_type: each.errorType,
      is_copy: each.isCopy,
      actor: each.actor,
      person_id: each.personId,
      action: each.action,
      app_id: each.appId,
      subject: each.subject,
      changes_text: each.changesText,
      address: each.address,
      request_id: each.requestId,
      created_at: each.createdAt,
      expires_at: each.expiresAt,
      data_key: each.dataKey,
      mac: each.mac,
    }))
    const last = entries.at(-1) ?? assert.fail()
    const ends = { companyId, position: 2n, mac: last.mac, dataKey: 2 }
    const anchor = { anchorPosition: 0n, anchorMac: nothing, anchorSeal: nothing }
    const tenant = { companyId, query: async () => ({ rows }) } as unknown as Chain
    const chain = { ...ends, ...anchor, seal: sealOf(keys, 'head', ends) }
    return findBreakThrough(tenant, keys, chain, { position: 2n, rows: 10 })
  }
  assert.equal(await chainOf([1, 2]), null)
  assert.equal((await chainOf([2, 1]))?.position, 2)
})
