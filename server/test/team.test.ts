import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openAuditEntry } from '../src/domain/members/index.ts'
import { deleteExpired } from '../src/worker/upkeep.ts'
import { createTenant, freshEmail, until } from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'
import { invite, joinCompany, signIn, signInAsOperator } from './harness/people.ts'
import { type Service, startService } from './harness/service.ts'

describe('the team of a company', { timeout: 60_000 }, () => {
  let service: Service
  let node: Node

  before(async () => {
    service = await startService()
    node = service.node
  })
  after(() => service.close())

  const teamOf = async (companyId: string) =>
    (await node.manage('GET', `/companies/${companyId}/members`)).body

  it('grows by an invitation that is taken up with the first sign-in', async () => {
    const { companyId } = await createTenant(node)
    const email = freshEmail()
    await invite(node, companyId, email, 'developer')
    const waiting = await teamOf(companyId)
    assert.deepEqual(
      [waiting.members.length, waiting.invitations.map((one: { email: string }) => one.email)],
      [0, [email]],
    )
    // However it is written: people do not remember their capitals.
    const person = await signIn(node, email)
    const me = (await person.call('GET', '/me')).body
    assert.deepEqual(
      [me.email, me.companies.map((one: { role: string }) => one.role)],
      [email, ['developer']],
    )
    const joined = await teamOf(companyId)
    assert.deepEqual([joined.members.length, joined.invitations.length], [1, 0])
    assert.equal(
      (await node.manage('POST', `/companies/${companyId}/invitations`, { email, role: 'owner' })).status,
      409,
    )
  })

  it('takes no invitation that was withdrawn or is over', async () => {
    const { companyId } = await createTenant(node)
    const [withdrawn, late] = [freshEmail(), freshEmail()]
    const made = await node.manage('POST', `/companies/${companyId}/invitations`, {
      email: withdrawn,
      role: 'owner',
    })
    assert.equal(made.body.url, 'http://localhost/dashboard/sign-in')
    const path = `/companies/${companyId}/invitations/${made.body.invitation_id}`
    assert.equal((await node.manage('DELETE', path)).status, 200)
    assert.equal((await node.manage('DELETE', path)).status, 404)
    await invite(node, companyId, late, 'owner')
    await service.database.query('update invitations set expires_at = now()')
    for (const email of [withdrawn, late]) {
      await assert.rejects(signIn(node, email), /not a member of a company here/)
    }
    assert.equal(await deleteExpired(node.app.database, 'invitations'), 1)
  })

  it('tells invited people by mail where asked to, within limits that leave room for their codes', async () => {
    const { companyId } = await createTenant(node, {}, { name: 'Buy now at evil.example' })
    const email = freshEmail()
    const inviteByMail = async () =>
      (
        await node.manage('POST', `/companies/${companyId}/invitations`, {
          email,
          role: 'viewer',
          mail: true,
        })
      ).body.mailed
    assert.deepEqual([await inviteByMail(), await inviteByMail(), await inviteByMail()], [true, true, false])
    await until('both mails', () => node.capture.to(email).length === 2)
    for (const { subject, text, html, code } of node.capture.to(email)) {
      assert.equal(subject, 'Your invitation to Countersign')
      for (const part of [text, html]) {
        assert.ok(part.includes('http://localhost/dashboard/sign-in'))
        assert.ok(!part.includes(code), 'it is no code to sign in with')
        assert.ok(!part.includes('evil'), 'nobody’s own words')
      }
    }
    // Three of the five codes in ten minutes are left.
    const { companies } = (await (await signIn(node, email)).call('GET', '/me')).body
    assert.deepEqual(
      companies.map((one: { role: string }) => one.role),
      ['viewer'],
    )
  })

  it('sends no mail unasked', async () => {
    const { companyId } = await createTenant(node)
    const email = freshEmail()
    const { body } = await node.manage('POST', `/companies/${companyId}/invitations`, {
      email,
      role: 'viewer',
    })
    assert.equal(body.mailed, false)
    await signIn(node, email)
    assert.equal(node.capture.to(email).length, 1, 'the code alone')
  })

  it('says which field an invitation has wrong', async () => {
    const { companyId } = await createTenant(node)
    const bad = await node.manage('POST', `/companies/${companyId}/invitations`, {
      email: 'nobody',
      role: 'viewer',
    })
    assert.deepEqual([bad.status, bad.body.error.type], [422, 'InvalidRecipientError'])
    const role = await node.manage('POST', `/companies/${companyId}/invitations`, {
      email: freshEmail(),
      role: 'king',
    })
    assert.equal(role.body.error.details.fields[0].path, 'role')
  })

  it('keeps at least one owner, of owners who step down at once', async () => {
    for (let round = 0; round < 5; round++) {
      const { companyId } = await createTenant(node)
      const owners = await Promise.all([1, 2, 3].map(() => joinCompany(node, companyId, 'owner')))
      const answers = await Promise.all(
        owners.map(async (owner, index) => {
          const path = `/companies/${companyId}/members/${(await owner.call('GET', '/me')).body.person_id}`
          return index === 0 ? owner.call('PATCH', path, { role: 'viewer' }) : owner.call('DELETE', path)
        }),
      )
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 409])
      const { members } = await teamOf(companyId)
      assert.equal(members.filter((member: { role: string }) => member.role === 'owner').length, 1)
    }
  })

  it('is found in one company and not in the next', async () => {
    const [here, there] = [await createTenant(node), await createTenant(node)]
    const person = await joinCompany(node, here.companyId, 'viewer')
    const { person_id } = (await person.call('GET', '/me')).body
    const path = `/companies/${there.companyId}/members/${person_id}`
    assert.equal((await node.manage('PATCH', path, { role: 'owner' })).status, 404)
    assert.equal((await node.manage('DELETE', path)).status, 404)
  })
})

describe('the audit trail', { timeout: 60_000 }, () => {
  let service: Service
  let node: Node

  before(async () => {
    service = await startService()
    node = service.node
  })
  after(() => service.close())

  const trailOf = async (companyId: string) =>
    (await node.manage('GET', `/companies/${companyId}/audit`)).body.entries

  it('says who changed what, newest first, and by which request', async () => {
    const { companyId, appId } = await createTenant(node)
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

  it('has nothing of reading', async () => {
    const { companyId, appId } = await createTenant(node)
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
    const { companyId, appId } = await createTenant(node)
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
    const [here, there] = [await createTenant(node), await createTenant(node)]
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
    const { companyId, appId } = await createTenant(node)
    const viewer = await joinCompany(node, companyId, 'viewer')
    for (let index = 0; index < 40; index++) await viewer.call('PATCH', `/apps/${appId}`, { name: 'Mine' })
    const refused = (await trailOf(companyId)).filter(
      (entry: { outcome: string }) => entry.outcome === 'refused',
    )
    // A window of ten minutes may end in between, and another thirty begin.
    assert.ok(refused.length >= 30 && refused.length <= 40, String(refused.length))
    const last = refused.find((entry: { changes: object }) => 'further_refusals' in entry.changes)
    assert.ok(last)
  })

  it('shows where webhooks and providers lead, and no recipient, credential or query', async () => {
    const { companyId, appId } = await createTenant(node)
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
    const rows = await service.database.query('select entry::text as row from audit_entries entry')
    for (const secret of secrets) assert.ok(!JSON.stringify(rows).includes(secret))
  })

  it('keeps a change whose end nobody saw, and marks it', async () => {
    const { companyId } = await createTenant(node)
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
    const { companyId } = await createTenant(node)
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
