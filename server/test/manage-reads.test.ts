/** Lists of the management API, small changes of a company, and previews. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { type Operation, operations } from '@countersign/contract'
import { z } from 'zod'
import { listCompanies } from '../src/domain/tenancy/manage-companies.ts'
import { createApp, createKey, createTenant, freshPhone, send } from './harness/fixtures.ts'
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

describe('companies', () => {
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

describe('every list that comes in pages', () => {
  const paths = Object.values<Operation>(operations)
    .filter(({ query }) => query && 'cursor' in query.shape)
    .map(({ path }) => path.replace(/^\/manage\/v1/, ''))

  it('refuses a cursor that no page has answered, by name', async () => {
    const { companyId, appId } = await createTenant(node)
    assert.ok(paths.length > 10, paths.join())
    for (const path of paths)
      for (const cursor of ['zzz', 'usr_01m7etd47kydkw8sn09atxkzjm']) {
        const url = path.replace('{company_id}', companyId).replace('{app_id}', appId)
        const { status, body } = await node.manage('GET', `${url}?cursor=${cursor}`)
        assert.equal(status, 422, `${path} ${cursor}`)
        assert.equal(body.error.details.fields[0].path, 'cursor', path)
      }
  })
})

describe('every range of time', () => {
  const shapeOf = (schema: unknown) => (schema instanceof z.ZodObject ? schema.shape : {})
  const ranges = Object.values<Operation>(operations).filter(({ query, body }) =>
    [query, body].some((schema) => 'from' in shapeOf(schema) && 'to' in shapeOf(schema)),
  )
  /** What a body must have besides its range. */
  const others = (schema: unknown) =>
    Object.fromEntries(
      Object.entries({ rules: [], recipient: '+447400123456' }).filter(([name]) => name in shapeOf(schema)),
    )
  const [early, late] = ['2026-11-01T10:10:00Z', '2026-11-01T10:20:00Z']

  it('that ends before it begins, or at once, is refused, and the field is named', async () => {
    const { companyId, appId } = await createTenant(node)
    assert.ok(ranges.length > 7, String(ranges.length))
    for (const { method, path, query, body: taken } of ranges) {
      const url = path.replace('/manage/v1', '').replace('{company_id}', companyId).replace('{app_id}', appId)
      for (const to of [early, late]) {
        const range = { from: late, to }
        const { status, body } = query
          ? await node.manage(method, `${url}?${new URLSearchParams(range)}`)
          : await node.manage(method, url, { ...others(taken), ...range })
        assert.equal(status, 422, `${path} ${to}`)
        assert.match(body.error.details.fields[0].path, /^(?:from|to)$/, path)
      }
    }
  })
})

describe('a preview by people', () => {
  it('answers as a server key’s does, and changes nothing', async () => {
    const { appId, serverKey } = await createTenant(node, { geo: { mode: 'block', countries: ['BR'] } })
    // Reading refusals writes all pending ones first.
    await node.manage('GET', `/apps/${appId}/refusals`)
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
      const recipient = body.recipient === 'nobody' ? null : body.recipient
      const isSimulated = backend.body.error ? null : false
      assert.deepEqual(people.body, { ...backend.body, recipient, is_simulated: isSimulated })
    }
    // As people write it; a backend may not write it so.
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
      assert.deepEqual((await node.manage('POST', `/apps/${appId}/preview`, written)).body, {
        ...backend.body,
        recipient,
        is_simulated: false,
      })
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

  it('says whether the message is real also for a send that is refused for now', async () => {
    const { appId, serverKey } = await createTenant(node, {
      limits: { recipient: [{ max: 1, window_s: 600 }] },
    })
    const recipient = freshPhone()
    await node.call('POST', '/api/v1/otp/send', { key: serverKey, body: { recipient } })
    const { body } = await node.manage('POST', `/apps/${appId}/preview`, { recipient })
    assert.deepEqual([body.error.type, body.is_simulated], ['RateLimitExceededError', false])
  })
})
