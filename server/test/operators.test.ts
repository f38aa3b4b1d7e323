import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { makeSignInLink } from '../src/domain/members/index.ts'
import { findOrCreateFirstApp, firstAppFile, makeFirstSignInLink } from '../src/sandbox/first-app.ts'
import { createTenant, freshEmail } from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'
import { invite, joinCompany, type Signed, signIn, signInAsOperator } from './harness/people.ts'
import { type Service, startService } from './harness/service.ts'

describe('operators', () => {
  let service: Service
  let node: Node

  before(async () => {
    service = await startService()
    node = service.node
  })
  after(() => service.close())

  const idOf = async (person: Signed): Promise<string> => (await person.call('GET', '/me')).body.person_id
  const listed = async () =>
    (await node.manage('GET', '/operators')).body.operators.map((one: { email: string }) => one.email)

  it('are listed, and seen by nobody else', async () => {
    const operator = await signInAsOperator(node)
    assert.ok((await listed()).includes(operator.email))
    const { companyId } = await createTenant(node)
    const owner = await joinCompany(node, companyId, 'owner')
    assert.equal((await owner.call('GET', '/operators')).status, 403)
    assert.equal((await owner.call('GET', '/sign-in-links')).status, 403)
  })

  it('who are demoted stay what they are in companies, at once', async () => {
    const [one, other] = [await signInAsOperator(node), await signInAsOperator(node)]
    const { companyId, appId } = await createTenant(node)
    const elsewhere = await createTenant(node)
    await invite(node, companyId, other.email, 'viewer')
    const again = await signIn(node, other.email)
    assert.equal((await one.call('POST', `/operators/${await idOf(other)}/demote`)).status, 200)
    const me = (await again.call('GET', '/me')).body
    assert.deepEqual([me.is_operator, me.companies[0].role], [false, 'viewer'])
    assert.equal((await again.call('GET', `/apps/${appId}`)).status, 200)
    assert.equal((await again.call('GET', `/apps/${elsewhere.appId}`)).status, 404)
    assert.equal((await again.call('POST', '/companies', { name: 'Mine' })).status, 403)
  })

  it('who are removed are signed out everywhere and in no company, and their links open nothing', async () => {
    const [one, other] = [await signInAsOperator(node), await signInAsOperator(node)]
    const { companyId } = await createTenant(node)
    await joinCompany(node, companyId, 'owner')
    await invite(node, companyId, other.email, 'owner')
    await signIn(node, other.email)
    const token = await makeSignInLink(node.app, other.email, 'operators')
    const personId = await idOf(other)
    await invite(node, (await createTenant(node)).companyId, other.email, 'owner')
    assert.equal((await one.call('DELETE', `/operators/${personId}`)).status, 200)
    assert.equal((await other.call('GET', '/me')).status, 401)
    assert.equal((await node.call('POST', '/manage/v1/sign-in/link', { body: { token } })).status, 404)
    const { members } = (await node.manage('GET', `/companies/${companyId}/members`)).body
    assert.ok(members.every((member: { person_id: string }) => member.person_id !== personId))
    await assert.rejects(signIn(node, other.email), /not a member of a company here/)
    assert.equal((await one.call('DELETE', `/operators/${personId}`)).status, 404)
  })

  it('who are the last owner of a company are not removed from it unseen', async () => {
    const [one, other] = [await signInAsOperator(node), await signInAsOperator(node)]
    const { companyId } = await createTenant(node)
    await invite(node, companyId, other.email, 'owner')
    await signIn(node, other.email)
    const refused = await one.call('DELETE', `/operators/${await idOf(other)}`)
    assert.deepEqual([refused.status, refused.body.error.type], [409, 'ConflictError'])
    assert.equal((await other.call('GET', '/me')).body.is_operator, true, 'nothing of it has happened')
  })

  it('keep one, of all who leave at once, whoever asks', async () => {
    const own = await startService()
    try {
      const people = await Promise.all([1, 2, 3].map(() => signInAsOperator(own.node)))
      const answers = await Promise.all(
        people.map(async (person) => own.node.manage('DELETE', `/operators/${await idOf(person)}`)),
      )
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 409])
      assert.equal((await own.node.manage('GET', '/operators')).body.operators.length, 1)
    } finally {
      await own.close()
    }
  })

  it('learn that the keys of the first app are not those of a database that was made anew', async () => {
    const own = await startService()
    const folder = await mkdtemp(join(tmpdir(), 'countersign-first-'))
    try {
      const made = await findOrCreateFirstApp(own.node.app, folder)
      assert.deepEqual(await findOrCreateFirstApp(own.node.app, folder), made)
      const another = await startService()
      try {
        await assert.rejects(
          findOrCreateFirstApp(another.node.app, folder),
          /first-app\.json has the keys of an app that is not in this database, .* remove it/,
        )
      } finally {
        await another.close()
      }
    } finally {
      await own.close()
      await rm(folder, { recursive: true })
    }
  })

  it('see the links that still work, and revoke them', async () => {
    const email = freshEmail()
    const token = await makeSignInLink(node.app, email, 'new')
    const find = async () =>
      (await node.manage('GET', '/sign-in-links')).body.links.find(
        (one: { email: string }) => one.email === email,
      )
    const link = await find()
    assert.deepEqual([link.is_operator, JSON.stringify(link).includes(token)], [true, false])
    assert.equal((await node.manage('DELETE', `/sign-in-links/${link.link_id}`)).status, 200)
    assert.equal((await node.manage('DELETE', `/sign-in-links/${link.link_id}`)).status, 404)
    assert.equal((await node.call('POST', '/manage/v1/sign-in/link', { body: { token } })).status, 404)
    assert.equal(await find(), undefined)
    assert.ok(!(await listed()).includes(email), 'nobody is an operator by a link that was never used')
    await assert.rejects(signIn(node, email), /not a member of a company here/)
  })

  it('who are demoted do not become one again by a link that is still open', async () => {
    const [one, other] = [await signInAsOperator(node), await signInAsOperator(node)]
    const token = await makeSignInLink(node.app, other.email, 'new')
    assert.equal((await one.call('POST', `/operators/${await idOf(other)}/demote`)).status, 200)
    assert.equal((await node.call('POST', '/manage/v1/sign-in/link', { body: { token } })).status, 404)
    assert.equal((await other.call('GET', '/me')).status, 401, 'in no company, they are signed out')
  })

  it('of the sandbox’s first start are one, whom no later start makes one again', async () => {
    const { companyId } = await createTenant(node)
    const start = () =>
      makeFirstSignInLink(node.app, node.baseUrl, {
        company_id: companyId,
        app_id: '',
        server_key: '',
        publishable_key: '',
      })
    const first = 'operator@example.com'
    const folder = await mkdtemp(join(tmpdir(), 'countersign-first-'))
    assert.equal(await findOrCreateFirstApp(node.app, folder), null, 'somebody has set it up')
    await service.database.query('update people set is_operator = false')
    const finished = await findOrCreateFirstApp(node.app, folder)
    assert.match(finished?.server_key ?? '', /^otp_sk_/, 'a start that was cut short is finished by the next')
    assert.deepEqual(await findOrCreateFirstApp(node.app, folder), finished)
    for (const broken of ['', '{"company_id": "cmp_1", "server_key": "otp_sk_half', '{}']) {
      await writeFile(join(folder, firstAppFile), broken)
      await assert.rejects(findOrCreateFirstApp(node.app, folder), ({ message }: Error) => {
        assert.match(message, /first-app\.json are not the keys .* remove it/)
        return !message.includes('half')
      })
    }
    await rm(folder, { recursive: true })
    const [lost, used] = [await start(), await start()]
    assert.match(lost ?? '', /#token=cs_link_/)
    assert.deepEqual(await listed(), [], 'until a link is used')
    const token = used?.split('#token=')[1]
    assert.equal((await node.call('POST', '/manage/v1/sign-in/link', { body: { token } })).status, 200)
    assert.deepEqual(await listed(), [first])
    assert.match((await start()) ?? '', /#token=cs_link_/)
    const other = await signInAsOperator(node)
    const { operators } = (await node.manage('GET', '/operators')).body
    const { person_id } = operators.find((one: { email: string }) => one.email === first)
    assert.equal((await node.manage('POST', `/operators/${person_id}/demote`)).status, 200)
    assert.equal(await start(), null)
    assert.deepEqual(await listed(), [other.email])
  })
})
