import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { deleteExpired } from '../src/platform/kept.ts'
import { createTenant, freshEmail, until } from './harness/fixtures.ts'
import { invite, joinCompany, signIn } from './harness/people.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService()
after(close)

describe('the team of a company', () => {
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
    // In any case: people do not remember their capitals.
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
    await database.query('update invitations set expires_at = now()')
    for (const email of [withdrawn, late]) {
      await assert.rejects(signIn(node, email), /not a member of a company here/)
    }
    // The node may have done so already.
    await deleteExpired(node.app.database, 'invitations')
    assert.deepEqual(await database.query('select 1 from invitations where company_id = $1', [companyId]), [])
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

  it('is operators alone where everybody’s codes to sign in with are sent', async () => {
    const own = await node.manage('POST', '/companies/cmp_0000000000dashb0ardsgn1n00/invitations', {
      email: freshEmail(),
      role: 'viewer',
    })
    assert.deepEqual([own.status, own.body.error.type], [409, 'ConflictError'])
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

  it('keeps its last owner, whatever else they would be, and their role whatever they are invited as', async () => {
    const { companyId } = await createTenant(node)
    const owner = await joinCompany(node, companyId, 'owner')
    const { person_id } = (await owner.call('GET', '/me')).body
    const path = `/companies/${companyId}/members/${person_id}`
    for (const role of ['viewer', 'developer'])
      assert.equal((await node.manage('PATCH', path, { role })).status, 409, role)
    assert.equal((await node.manage('PATCH', path, { role: 'owner' })).status, 200)
    assert.equal((await node.manage('DELETE', path)).status, 409)
    // As an invitation is left over that was made while its person joined.
    await invite(node, (await createTenant(node)).companyId, owner.email, 'viewer')
    await database.query(
      'update invitations set company_id = $1 where email_hash = (select email_hash from people where person_id = $2)',
      [companyId, person_id],
    )
    const { companies } = (await (await signIn(node, owner.email)).call('GET', '/me')).body
    assert.deepEqual(
      companies.map((one: { role: string }) => one.role),
      ['owner'],
    )
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

  it('lets an owner step down while somebody waits to remove a person who is becoming an owner', async () => {
    const { companyId } = await createTenant(node)
    const pathOf = async (role: 'developer' | 'owner') => {
      const { body } = await (await joinCompany(node, companyId, role)).call('GET', '/me')
      return { id: body.person_id, path: `/companies/${companyId}/members/${body.person_id}` }
    }
    const becoming = await pathOf('developer')
    const owner = await pathOf('owner')
    await pathOf('owner')
    const other = new pg.Client({ connectionString: database.url })
    await other.connect()
    try {
      await other.query(`begin; update members set role = 'owner' where person_id = '${becoming.id}'`)
      const removed = node.manage('DELETE', becoming.path)
      await until('the removal waits', async () => {
        const [waiting] = await database.query<{ count: string }>(
          `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return waiting?.count !== '0'
      })
      // With the other owners locked by whoever waits, each would in the end wait for the other.
      assert.equal((await node.manage('PATCH', owner.path, { role: 'viewer' })).status, 200)
      await other.query('commit')
      assert.equal((await removed).status, 200)
    } finally {
      await other.end()
    }
  })
})
