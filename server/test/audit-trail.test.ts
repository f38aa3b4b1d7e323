import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { openAuditEntry } from '../src/domain/members/index.ts'
import { createRecordedTenant } from './harness/fixtures.ts'
import { joinCompany, signInAsOperator } from './harness/people.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService()
after(close)

describe('the audit trail', () => {
  const trailOf = async (companyId: string) =>
    (await node.manage('GET', `/companies/${companyId}/audit`)).body.entries

  it('says who changed what, newest first, and by which request', async () => {
    const { companyId, appId } = await createRecordedTenant(node)
    const developer = await joinCompany(node, companyId, 'developer')
    const changed = await developer.call('PATCH', `/apps/${appId}`, { name: 'Shop', code_length: 8 })
    const [entry] = await trailOf(companyId)
    assert.deepEqual(
      [entry.actor.email, entry.action, entry.app_id, entry.subject, entry.changes, entry.is_certain],
      [developer.email, 'updateApp', appId, appId, { name: 'Shop', code_length: 8 }, true],
    )
    assert.equal(entry.request_id, changed.headers.get('x-request-id'))
    const actions = (await trailOf(companyId)).map((one: { action: string }) => one.action)
    assert.deepEqual(actions.slice(-2), ['createApp', 'createCompany'])
  })

  it('says what one person changed, page by page', async () => {
    const { companyId, appId } = await createRecordedTenant(node)
    const [anna, ben] = [
      await joinCompany(node, companyId, 'developer'),
      await joinCompany(node, companyId, 'developer'),
    ]
    for (const [person, name] of [
      [anna, 'One'],
      [ben, 'Two'],
      [anna, 'Three'],
    ] as const)
      assert.equal((await person.call('PATCH', `/apps/${appId}`, { name })).status, 200)
    const of = async (person: typeof anna, query = '') => {
      const { person_id } = (await person.call('GET', '/me')).body
      return (await node.manage('GET', `/companies/${companyId}/audit?person_id=${person_id}${query}`)).body
    }
    const namesIn = ({ entries }: { entries: { changes: { name?: string } }[] }) =>
      entries.flatMap(({ changes }) => changes.name ?? [])
    assert.deepEqual([namesIn(await of(anna)), namesIn(await of(ben))], [['Three', 'One'], ['Two']])
    const first = await of(anna, '&limit=1')
    assert.deepEqual(namesIn(first), ['Three'])
    assert.deepEqual(namesIn(await of(anna, `&limit=1&cursor=${first.next_cursor}`)), ['One'])
    const nobody = await node.manage('GET', `/companies/${companyId}/audit?person_id=usr_nobody`)
    assert.deepEqual([nobody.status, nobody.body.entries], [200, []])
  })

  it('has nothing of reading', async () => {
    const { companyId, appId } = await createRecordedTenant(node)
    const before = (await trailOf(companyId)).length
    await node.manage('GET', `/apps/${appId}`)
    await node.manage('POST', `/apps/${appId}/messages/lint`, {
      channel: 'sms',
      locale: 'en',
      template: { text: 'x' },
    })
    assert.equal((await trailOf(companyId)).length, before)
  })

  it('has what was tried and refused: by role, by the contract, by what is there', async () => {
    const { companyId, appId } = await createRecordedTenant(node)
    const owner = await joinCompany(node, companyId, 'owner')
    const viewer = await joinCompany(node, companyId, 'viewer')
    const { person_id } = (await owner.call('GET', '/me')).body
    await viewer.call('PATCH', `/apps/${appId}`, { name: 'Mine' })
    await owner.call('POST', `/companies/${companyId}/invitations`, { email: 'x@example.com', role: 'king' })
    await owner.call('DELETE', `/companies/${companyId}/members/${person_id}`)
    const seen = (await trailOf(companyId)).slice(0, 3).reverse()
    assert.deepEqual(
      seen.map((entry: Record<string, unknown>) => [entry.action, entry.outcome, entry.error_type]),
      [
        ['updateApp', 'refused', 'ForbiddenError'],
        ['inviteMember', 'refused', 'ValidationError'],
        ['removeMember', 'refused', 'ConflictError'],
      ],
    )
    assert.deepEqual(
      [seen[0].actor.email, seen[0].changes, seen[0].address],
      [viewer.email, { name: 'Mine' }, '127.0.0.1'],
    )
  })

  it('tells the operator alone what somebody tried on another company’s thing', async () => {
    const [here, there] = [await createRecordedTenant(node), await createRecordedTenant(node)]
    const owner = await joinCompany(node, here.companyId, 'owner')
    assert.equal((await owner.call('PATCH', `/apps/${there.appId}`, { name: 'Mine' })).status, 404)
    for (const { companyId } of [here, there]) {
      assert.ok((await trailOf(companyId)).every((entry: { outcome: string }) => entry.outcome === 'done'))
    }
    const [tried] = (await node.manage('GET', '/audit')).body.entries
    assert.deepEqual(
      [tried.actor.email, tried.subject, tried.outcome, tried.company_id],
      [owner.email, there.appId, 'refused', null],
    )
  })

  it('writes down a bounded number of one person’s refusals, and says when it stops', async () => {
    const { companyId, appId } = await createRecordedTenant(node)
    const viewer = await joinCompany(node, companyId, 'viewer')
    // A window of ten minutes may end in between, so there are enough calls to exceed the limit of one of the two.
    const calls = 2 * 30 + 1
    for (let index = 0; index < calls; index++) await viewer.call('PATCH', `/apps/${appId}`, { name: 'Mine' })
    const { entries } = (await node.manage('GET', `/companies/${companyId}/audit?limit=200`)).body
    const refused = entries.filter((entry: { outcome: string }) => entry.outcome === 'refused')
    assert.ok(refused.length >= 30 && refused.length < calls, String(refused.length))
    const last = refused.find((entry: { changes: object }) => 'further_refusals' in entry.changes)
    assert.ok(last)
  })

  it('shows where webhooks and providers lead, and no recipient, credential or query', async () => {
    const { companyId, appId } = await createRecordedTenant(node)
    const secrets = ['+447400555777', 'token=canary', 'grace.canary@example.com', 'user:hush', 'pass-canary']
    await node.manage('POST', `/companies/${companyId}/erasures`, { recipient: secrets[0] })
    await node.manage('POST', `/companies/${companyId}/invitations`, { email: secrets[2], role: 'viewer' })
    const invited = { email: 'g****@example.com', role: 'viewer', mail: false }
    assert.deepEqual((await trailOf(companyId))[0].changes, invited, 'as much as every page shows')
    await node.manage('PUT', `/apps/${appId}/webhook`, {
      url: `http://${secrets[3]}@127.0.0.1:9/hook?${secrets[1]}`,
    })
    assert.deepEqual((await trailOf(companyId))[0].changes, { url: 'http://127.0.0.1:9/hook' })
    await node.manage('POST', '/providers', {
      company_id: companyId,
      channel: 'email',
      kind: 'smtp',
      settings: {
        host: 'mail.example.com',
        port: 587,
        user: 'me',
        password: secrets[4],
        from: secrets[2],
      },
    })
    assert.deepEqual((await trailOf(companyId))[0].changes.settings, {
      host: 'mail.example.com',
      port: 587,
      user: '(not recorded)',
      password: '(not recorded)',
      from: '(not recorded)',
    })
    await node.manage('POST', '/providers', {
      company_id: companyId,
      channel: 'telegram',
      kind: 'telegram',
      settings: { token: secrets[4], base_url: 'https://user:hush@a.example/x?key=hush' },
    })
    assert.deepEqual((await trailOf(companyId))[0].changes.settings, {
      token: '(not recorded)',
      base_url: 'https://a.example/x',
    })
    const rows = await database.query('select entry::text as row from audit_entries entry')
    for (const secret of secrets) assert.ok(!JSON.stringify(rows).includes(secret))
  })

  it('keeps a change whose end nobody saw, and marks it', async () => {
    const { companyId } = await createRecordedTenant(node)
    await openAuditEntry(node.app, {
      companyId: companyId as Parameters<typeof openAuditEntry>[1]['companyId'],
      actor: 'token',
      personId: null,
      action: 'updateApp',
      appId: null,
      subject: null,
      changes: {},
      address: null,
      requestId: 'req_cut_short',
    })
    const [entry] = await trailOf(companyId)
    assert.deepEqual([entry.outcome, entry.is_certain], ['unknown', false])
  })

  it('is paged, and whole for operators', async () => {
    const { companyId } = await createRecordedTenant(node)
    for (let index = 0; index < 5; index++) {
      await node.manage('POST', `/companies/${companyId}/credits`, { amount: '1' })
    }
    const operator = await signInAsOperator(node)
    const pages = []
    let cursor: string | null = null
    do {
      const query = `?limit=3${cursor ? `&cursor=${cursor}` : ''}`
      const { body } = await operator.call('GET', `/companies/${companyId}/audit${query}`)
      pages.push(...body.entries)
      cursor = body.next_cursor
    } while (cursor)
    assert.deepEqual(pages, await trailOf(companyId))
    const all = (await operator.call('GET', '/audit')).body.entries
    assert.ok(all.some((entry: { action: string }) => entry.action === 'signInWithLink'))
  })
})
