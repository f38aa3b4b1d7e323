/** When a key was last used, and how often it called. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { KeyUses } from '../src/domain/tenancy/index.ts'
import { newId } from '../src/platform/ids.ts'
import { createTestDatabase } from './harness/database.ts'
import { createTenant, started, status, until, verify } from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService({ role: 'api' })
after(close)

describe('when a key was last used', () => {
  const usedAt = async (appId: string) => {
    const { keys } = (await node.manage('GET', `/apps/${appId}/keys`)).body
    return keys.map(({ kind, last_used_at }: { kind: string; last_used_at: string | null }) => [
      kind,
      last_used_at === null ? null : Date.parse(last_used_at),
    ]) as [string, number | null][]
  }

  it('is unknown at first, and written at the latest when the node stops', async () => {
    const own = await createTestDatabase()
    const first = await startNode(own.url)
    const { appId, serverKey } = await createTenant(first)
    await status(first, serverKey, 'otp_x')
    const keys = async (on: typeof first) => (await on.manage('GET', `/apps/${appId}/keys`)).body.keys
    assert.deepEqual(
      (await keys(first)).map(({ last_used_at }: { last_used_at: null }) => last_used_at),
      [null, null],
    )
    const before = Date.now()
    await status(first, serverKey, 'otp_x')
    await first.close()
    const second = await startNode(own.url)
    try {
      const [server, publishable] = await keys(second)
      assert.ok(Date.parse(server.last_used_at) >= before - 1_000)
      assert.ok(Date.parse(server.last_used_at) <= Date.now() + 1_000)
      assert.equal(publishable.last_used_at, null)
    } finally {
      await second.close()
      await own.close()
    }
  })

  it('is written once for many uses, never backwards, and by two nodes without waiting for each other', async () => {
    const { companyId, appId } = await createTenant(node)
    const found = await database.query<{ key_id: string }>('select key_id from keys where app_id = $1', [
      appId,
    ])
    let statements = 0
    const counting = {
      ...node.app.database,
      query: ((statement) => {
        statements++
        return node.app.database.query(statement)
      }) as typeof node.app.database.query,
    }
    const errors: unknown[] = []
    const make = (timeMs: number) =>
      new KeyUses(counting, { nowMs: () => timeMs }, (error) => errors.push(error))
    const now = Date.now()
    const [late, early] = [make(now), make(now - 60_000)]
    const use = (uses: KeyUses, order: readonly { key_id: string }[]) => {
      for (let time = 0; time < 100; time++)
        for (const { key_id } of order) uses.note({ keyId: key_id, app: { companyId, appId } } as never)
    }
    use(late, found)
    use(early, found.toReversed())
    await Promise.all([late.write(), early.write()])
    assert.equal(statements, 2)
    await Promise.all([late.close(), early.close()])
    assert.equal(statements, 2, 'nothing is left to write')
    assert.deepEqual(
      (await usedAt(appId)).map(([, at]) => at),
      [now, now],
    )
    assert.deepEqual(errors, [])
  })

  it('is kept for the next time when the database is away', async () => {
    const { companyId, appId } = await createTenant(node)
    const [key] = await database.query<{ key_id: string }>('select key_id from keys where app_id = $1', [
      appId,
    ])
    let isAway = true
    const flaky = {
      ...node.app.database,
      query: ((statement) =>
        isAway
          ? Promise.reject(new Error('away'))
          : node.app.database.query(statement)) as typeof node.app.database.query,
    }
    const errors: unknown[] = []
    const uses = new KeyUses(flaky, { nowMs: Date.now }, (error) => errors.push(error), 10)
    uses.note({ keyId: key?.key_id, app: { companyId, appId } } as never)
    await until('two failures', () => errors.length >= 2)
    isAway = false
    await until('the time to be written', async () => (await usedAt(appId)).some(([, at]) => at !== null))
    await uses.close()
  })

  it('comes with how often the key called in a day and how often it was refused, in bulk, and nothing is lost while the database is away', async () => {
    const tenant = await createTenant(node)
    const { companyId, appId } = tenant
    const keys = async () => (await node.manage('GET', `/apps/${appId}/keys`)).body.keys
    const [server] = (await keys()).filter(({ kind }: { kind: string }) => kind === 'server')
    assert.ok(tenant.serverKey.startsWith(server.starts_with) && tenant.serverKey.endsWith(server.ends_with))
    assert.match(server.starts_with, /^otp_sk_\w{4}$/)
    assert.equal(server.ends_with.length, 4)
    assert.deepEqual([server.calls_24h, server.errors_24h], [0, 0])
    let isAway = true
    let statements = 0
    const flaky = {
      ...node.app.database,
      query: ((statement) => {
        statements++
        return isAway ? Promise.reject(new Error('away')) : node.app.database.query(statement)
      }) as typeof node.app.database.query,
    }
    const uses = new KeyUses(flaky, { nowMs: Date.now }, () => {})
    const principal = { keyId: server.key_id, app: { companyId, appId } } as never
    for (let time = 0; time < 1_000; time++) uses.note(principal)
    await uses.write().catch(() => {})
    for (let time = 0; time < 10; time++) {
      uses.note(principal)
      uses.noteError(principal)
    }
    isAway = false
    await uses.close()
    assert.equal(statements, 2)
    const counts = async () => {
      const [key] = (await keys()).filter(({ kind }: { kind: string }) => kind === 'server')
      return [key.calls_24h, key.errors_24h]
    }
    assert.deepEqual(await counts(), [1_010, 10])
    await database.query("update key_counts set hour = hour - interval '25 hours' where app_id = $1", [appId])
    assert.deepEqual(await counts(), [0, 0])
  })

  it('counts as refused whatever was answered with an error, and a wrong code is none', async () => {
    const own = await createTestDatabase()
    const second = await startNode(own.url)
    const tenant = await createTenant(second)
    try {
      const { otpId, code } = await started(second, tenant.serverKey)
      await verify(second, tenant.serverKey, otpId, code === '000000' ? '111111' : '000000')
      for (const [path, body] of [
        ['/api/v1/otp/send', { recipient: 'nobody' }],
        ['/api/v1/otp/verify', '{'],
        ['/api/v1/otp/verify', { otp_id: newId('verification', Date.now()), code: '123456' }],
      ] as const)
        await second.call('POST', path, { key: tenant.serverKey, body })
    } finally {
      await second.close()
    }
    const [row] = await own.query<{ calls: number; errors: number }>(
      // Summed over all hours, because one may end in between.
      `select sum(c.calls)::integer as calls, sum(c.errors)::integer as errors
         from key_counts c join keys k on k.key_id = c.key_id where k.app_id = $1 and k.kind = 'server'`,
      [tenant.appId],
    )
    await own.close()
    assert.deepEqual(row, { calls: 5, errors: 3 })
  })

  it('is written without making nodes drop their caches', async () => {
    const { companyId, appId } = await createTenant(node)
    const [key] = await database.query<{ key_id: string }>('select key_id from keys where app_id = $1', [
      appId,
    ])
    const revision = () => database.query('select revision::text from changes')
    const before = await revision()
    const uses = new KeyUses(node.app.database, { nowMs: Date.now }, () => {})
    uses.note({ keyId: key?.key_id, app: { companyId, appId } } as never)
    await uses.close()
    assert.ok((await usedAt(appId)).some(([, at]) => at !== null))
    assert.deepEqual(await revision(), before)
  })
})
