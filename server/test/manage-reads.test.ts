/** Lists that management reads, small changes of a company, previews, and when keys were used. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { KeyUses } from '../src/domain/tenancy/index.ts'
import { listCompanies } from '../src/domain/tenancy/manage-companies.ts'
import { newId } from '../src/platform/ids.ts'
import { createTestDatabase } from './harness/database.ts'
import {
  createApp,
  createKey,
  createTenant,
  freshPhone,
  send,
  started,
  status,
  until,
  verify,
} from './harness/fixtures.ts'
import { startNode } from './harness/node.ts'
import { lastingRows } from './harness/records.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService({ role: 'api' })
after(close)

const open = async (name: string) =>
  (await node.manage('POST', '/companies', { name })).body.company_id as string
const list = async (query: Record<string, string>) => {
  const answer = await node.manage('GET', `/companies?${new URLSearchParams(query)}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body as { companies: { company_id: string; name: string }[]; next_cursor: string | null }
}
const namesOf = (page: { companies: { name: string }[] }) => page.companies.map(({ name }) => name)

describe('companies', { timeout: 120_000 }, () => {
  it('are listed by name, whatever the case, in pages that neither repeat nor leave out', async () => {
    const names = ['pager delta', 'Pager alpha', 'pager CHARLIE', 'Pager bravo', 'Pager bravo']
    for (const name of names) await open(name)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof list>> = await list({
        search: 'pager',
        limit: '2',
        ...(cursor ? { cursor } : {}),
      })
      seen.push(...namesOf(page))
      cursor = page.next_cursor
    } while (cursor)
    assert.deepEqual(seen, ['Pager alpha', 'Pager bravo', 'Pager bravo', 'pager CHARLIE', 'pager delta'])
  })

  it('are found by a part of the name as it is written, or by the id', async () => {
    const id = await open('Zebra 100% & Söhne_AG')
    await open('Zebra 1000')
    assert.deepEqual(namesOf(await list({ search: '0% & s' })), ['Zebra 100% & Söhne_AG'])
    assert.deepEqual(namesOf(await list({ search: 'söhne_' })), ['Zebra 100% & Söhne_AG'])
    assert.deepEqual(namesOf(await list({ search: id })), ['Zebra 100% & Söhne_AG'])
    assert.deepEqual(namesOf(await list({ search: id.slice(0, -1) })), [])
    assert.deepEqual(namesOf(await list({ search: '%' })), ['Zebra 100% & Söhne_AG'])
  })

  it('are only those that the caller may see, where that is not all', async () => {
    const [mine, other] = [await open('Seen one'), await open('Seen two')]
    const seen = (companyIds: readonly string[] | null) =>
      listCompanies(
        { database: node.app.database },
        {
          companyIds,
          isClosed: false,
          search: 'seen',
          cursor: null,
          limit: 10,
        },
      )
    assert.deepEqual(
      (await seen([mine])).rows.map(({ companyId }) => companyId),
      [mine],
    )
    assert.equal((await seen([])).rows.length, 0)
    assert.deepEqual((await seen(null)).rows.map(({ companyId }) => companyId).sort(), [mine, other].sort())
  })

  it('refuse a cursor that no page has answered, by name', async () => {
    for (const cursor of ['x', 'app_01m7etd47kydkw8sn09atxkzjm']) {
      const answer = await node.manage('GET', `/companies?cursor=${cursor}`)
      assert.equal(answer.status, 422)
      assert.equal(answer.body.error.details.fields[0].path, 'cursor')
    }
  })

  it('are renamed, metered and unmetered, each alone, and keep the rest', async () => {
    const { companyId, serverKey } = await createTenant(node, {}, { balance: '0.01' })
    const change = (body: unknown) => node.manage('PATCH', `/companies/${companyId}`, body)
    const renamed = (await change({ name: '  New name ' })).body
    assert.deepEqual([renamed.name, renamed.metered, renamed.balance], ['New name', true, '0.010000'])
    assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 402)
    const freed = (await change({ metered: false })).body
    assert.deepEqual([freed.name, freed.metered], ['New name', false])
    assert.equal((await send(node, serverKey, { recipient: freshPhone() })).status, 200)
    assert.deepEqual((await change({})).body, freed)
    assert.deepEqual((await node.manage('GET', `/companies/${companyId}`)).body, freed)
    for (const body of [{ name: '' }, { metered: 'no' }, { balance: '5' }])
      assert.equal((await change(body)).status, 422)
    assert.equal((await node.manage('PATCH', '/companies/cmp_x', { name: 'x' })).status, 404)
  })

  it('have apps, and those keys, in pages that neither repeat nor leave out', async () => {
    const first = await createTenant(node)
    for (let count = 0; count < 4; count++) await createApp(node, first.companyId)
    for (let count = 0; count < 5; count++) await createKey(node, first.appId, 'server')
    const whole = async (path: string, field: string, query = '') => {
      const seen: unknown[] = []
      let cursor = ''
      do {
        const { status, body } = await node.manage('GET', `${path}?limit=2${query}${cursor}`)
        assert.equal(status, 200)
        assert.ok(body[field].length <= 2)
        seen.push(...body[field])
        cursor = body.next_cursor && `&cursor=${body.next_cursor}`
      } while (cursor)
      return seen
    }
    const apps = `/companies/${first.companyId}/apps`
    assert.deepEqual(await whole(apps, 'apps'), (await node.manage('GET', apps)).body.apps)
    const path = `/apps/${first.appId}/keys`
    const { keys, next_cursor } = (await node.manage('GET', path)).body
    assert.deepEqual([keys.length, next_cursor], [7, null])
    assert.deepEqual(await whole(path, 'keys'), keys)
    for (const { key_id } of keys.slice(0, 4)) await node.manage('DELETE', `/keys/${key_id}`)
    const revoked = (await node.manage('GET', path)).body.keys.slice(0, 4)
    assert.deepEqual(await whole(path, 'keys', '&state=live'), keys.slice(4))
    assert.deepEqual(await whole(path, 'keys', '&state=revoked'), revoked)
  })

  it('have their apps listed, oldest first, and nobody else’s', async () => {
    const { companyId, appId } = await createTenant(node)
    await createTenant(node)
    const second = await createApp(node, companyId)
    const { apps } = (await node.manage('GET', `/companies/${companyId}/apps`)).body
    assert.deepEqual(
      apps.map(({ app_id, name }: { app_id: string; name: string }) => [app_id, name]),
      [
        [appId, 'Acme'],
        [second.appId, 'Acme'],
      ],
    )
    const none = (await node.manage('GET', `/companies/${await open('Empty')}/apps`)).body
    assert.deepEqual(none, { apps: [], next_cursor: null })
    assert.equal((await node.manage('GET', '/companies/cmp_01m7etd47kydkw8sn09atxkzjm/apps')).status, 404)
  })
})

describe('a preview by people', { timeout: 60_000 }, () => {
  it('answers as a server key’s does, and changes nothing', async () => {
    const { appId, serverKey } = await createTenant(node, { geo: { mode: 'block', countries: ['BR'] } })
    const before = await lastingRows(database)
    for (const body of [
      { recipient: freshPhone() },
      { recipient: '+5511987654321' },
      { recipient: 'nobody' },
      { recipient: freshPhone(), client_ip: '8.8.8.8' },
    ]) {
      const people = await node.manage('POST', `/apps/${appId}/preview`, body)
      const backend = await node.call('POST', '/api/v1/routing/preview', { key: serverKey, body })
      assert.equal(people.status, 200)
      assert.deepEqual(people.body, backend.body)
    }
    // As people write it, which a backend may not.
    const recipient = '+447400123987'
    const backend = await node.call('POST', '/api/v1/routing/preview', {
      key: serverKey,
      body: { recipient },
    })
    for (const written of [
      { recipient: '0044 (7400) 123-987' },
      { recipient: '447400123987' },
      { recipient: '07400 123987', country: 'GB' },
    ])
      assert.deepEqual((await node.manage('POST', `/apps/${appId}/preview`, written)).body, backend.body)
    assert.deepEqual(await lastingRows(database), before)
    const malformed = await node.manage('POST', `/apps/${appId}/preview`, {
      recipient: freshPhone(),
      client_ip: 'here',
    })
    assert.equal(malformed.body.error.details.fields[0].path, 'client_ip')
    const unknown = await node.manage('POST', '/apps/app_01m7etd47kydkw8sn09atxkzjm/preview', {
      recipient: 'x',
    })
    assert.equal(unknown.status, 404)
  })
})

describe('when a key was last used', { timeout: 60_000 }, () => {
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
      `select c.calls, c.errors from key_counts c join keys k on k.key_id = c.key_id
        where k.app_id = $1 and k.kind = 'server'`,
      [tenant.appId],
    )
    await own.close()
    assert.deepEqual(row, { calls: 5, errors: 3 })
  })

  it('is not a reason to forget what nodes remember', async () => {
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
