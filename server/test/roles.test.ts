/** For the whole table of operations: what each role may do, and that other companies do not exist for it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Operation, operations, roles } from '@countersign/contract'
import { newId } from '../src/platform/ids.ts'
import { createTenant, started, type Tenant } from './harness/fixtures.ts'
import type { Answer, Node } from './harness/node.ts'
import { invite, joinCompany, type Signed, signIn, signInAsOperator } from './harness/people.ts'
import { type Service, startService } from './harness/service.ts'

type Ids = Readonly<Record<string, string>>

const scoped = Object.entries<Operation>(operations).filter(
  ([, { access, path }]) => roles.some((role) => role === access) && path.includes('{'),
)

const seen = ({ status, body }: Answer) => ({ status, body: { ...body, request_id: null } })

describe('roles', () => {
  let service: Service
  let node: Node
  let tenant: Tenant
  let ids: Ids
  let people: Readonly<Record<'viewer' | 'developer' | 'owner' | 'stranger' | 'operator', Signed>>

  const pathOf = (operation: Operation, named: Ids) =>
    operation.path.replace('/manage/v1', '').replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? '')
  /** An empty body is invalid for every change, so that a caller who is let in changes nothing. */
  const call = (person: Signed, operation: Operation, named: Ids) =>
    person.call(operation.method, pathOf(operation, named), operation.body ? {} : undefined)

  before(async () => {
    service = await startService()
    node = service.node
    tenant = await createTenant(node)
    const other = await createTenant(node)
    people = {
      viewer: await joinCompany(node, tenant.companyId, 'viewer'),
      developer: await joinCompany(node, tenant.companyId, 'developer'),
      owner: await joinCompany(node, tenant.companyId, 'owner'),
      stranger: await joinCompany(node, other.companyId, 'owner'),
      operator: await signInAsOperator(node),
    }
    await node.manage('PUT', `/apps/${tenant.appId}/webhook`, { url: 'http://127.0.0.1:9/' })
    const { event_id } = (await node.manage('POST', `/apps/${tenant.appId}/webhook/test`)).body
    const provider = await node.manage('GET', '/providers')
    assert.equal(provider.status, 200)
    const { members } = (await node.manage('GET', `/companies/${tenant.companyId}/members`)).body
    const { otpId } = await started(node, tenant.serverKey)
    ids = {
      company_id: tenant.companyId,
      app_id: tenant.appId,
      key_id: (await node.manage('POST', `/apps/${tenant.appId}/keys`, { kind: 'server' })).body.key_id,
      otp_id: otpId,
      event_id,
      provider_id: newId('provider', Date.now()),
      person_id: members[0].person_id,
      invitation_id: newId('invitation', Date.now()),
      block_id: newId('block', Date.now()),
      exception_id: newId('exception', Date.now()),
    }
  })
  after(() => service.close())

  for (const [name, operation] of scoped) {
    it(`${name} tells the owner of another company exactly what it tells of an id that does not exist`, async () => {
      const unknown: Ids = Object.fromEntries(
        Object.entries(ids).map(([parameter, id]) => [parameter, `${id.slice(0, 14)}${'7'.repeat(16)}`]),
      )
      const ofNobody = seen(await call(people.stranger, operation, unknown))
      assert.equal(ofNobody.status, 404)
      assert.deepEqual(seen(await call(people.stranger, operation, ids)), ofNobody)
      const malformed = Object.fromEntries(Object.keys(ids).map((parameter) => [parameter, 'x%00y']))
      assert.deepEqual(seen(await call(people.stranger, operation, malformed)), ofNobody)
    })

    it(`${name} is for ${operation.access}s and those above them`, async () => {
      const least = roles.findIndex((role) => role === operation.access)
      for (const [index, role] of roles.entries()) {
        if (index >= least) continue
        const answer = await call(people[role], operation, ids)
        const known = !operation.path.includes('{provider_id}')
        assert.equal(answer.status, known ? 403 : 404, role)
        if (known) assert.match(answer.body.error.message, new RegExp(`Your role here is ${role}`))
      }
    })
  }

  for (const [name, operation] of Object.entries<Operation>(operations)) {
    if (operation.access !== 'operator') continue
    it(`${name} is for operators, whatever role one has in a company`, async () => {
      assert.equal((await call(people.owner, operation, ids)).status, 403)
    })
  }

  it('let a viewer read, a developer change the app, an owner the team, and an operator everything', async () => {
    const { viewer, developer, owner, operator } = people
    const path = `/apps/${tenant.appId}`
    assert.equal((await viewer.call('GET', path)).status, 200)
    assert.equal((await viewer.call('PATCH', path, { name: 'Mine' })).status, 403)
    assert.equal((await developer.call('PATCH', path, { name: 'Renamed' })).status, 200)
    const invitation = { email: 'new.person@example.com', role: 'viewer' }
    const invitations = `/companies/${tenant.companyId}/invitations`
    assert.equal((await developer.call('POST', invitations, invitation)).status, 403)
    assert.equal((await owner.call('POST', invitations, invitation)).status, 201)
    assert.equal(
      (await owner.call('POST', `/companies/${tenant.companyId}/credits`, { amount: '5' })).status,
      403,
    )
    assert.equal(
      (await operator.call('POST', `/companies/${tenant.companyId}/credits`, { amount: '5' })).status,
      201,
    )
  })

  it('keep the operator’s providers from companies, and give each company its own', async () => {
    const settings = { host: '127.0.0.1', port: 25, from: 'a@example.com' }
    const own = { channel: 'email', kind: 'smtp', settings, company_id: tenant.companyId }
    assert.equal((await people.developer.call('GET', '/providers')).status, 403)
    assert.equal(
      (await people.developer.call('POST', '/providers', { ...own, company_id: null })).status,
      403,
    )
    assert.equal((await people.stranger.call('POST', '/providers', own)).status, 404)
    assert.equal((await people.viewer.call('POST', '/providers', own)).status, 403)
    const listed = await people.viewer.call('GET', `/providers?company_id=${tenant.companyId}`)
    assert.equal(listed.status, 200)
    assert.equal((await people.stranger.call('GET', `/providers?company_id=${tenant.companyId}`)).status, 404)
  })

  it('show a member their own companies, and an operator all; who is metered is the operator’s to say', async () => {
    const { owner, operator } = people
    const listed = (await owner.call('GET', '/companies')).body.companies
    assert.deepEqual(
      listed.map((company: { company_id: string }) => company.company_id),
      [tenant.companyId],
    )
    assert.ok((await operator.call('GET', '/companies')).body.companies.length > 1)
    // Whether a name sorts after another company's would reveal that name.
    const made = await node.manage('POST', '/companies', { name: '!' })
    const after = await owner.call('GET', `/companies?cursor=${made.body.company_id}`)
    assert.deepEqual(after.body.companies, [])
    const all = await operator.call('GET', `/companies?cursor=${made.body.company_id}&limit=1`)
    assert.equal(all.body.companies.length, 1)
    const path = `/companies/${tenant.companyId}`
    assert.equal((await owner.call('PATCH', path, { name: 'Acme Ltd' })).body.name, 'Acme Ltd')
    assert.equal((await owner.call('PATCH', path, { metered: false })).status, 403)
    assert.equal((await operator.call('PATCH', path, { metered: false })).body.metered, false)
  })

  it('end with the membership, at once', async () => {
    const { email } = await joinCompany(node, tenant.companyId, 'developer')
    const kept = await createTenant(node)
    await invite(node, kept.companyId, email, 'viewer')
    const leaver = await signIn(node, email)
    const { person_id } = (await leaver.call('GET', '/me')).body
    const path = `/companies/${tenant.companyId}/members/${person_id}`
    assert.equal((await people.owner.call('DELETE', path)).status, 200)
    assert.equal((await leaver.call('GET', `/apps/${tenant.appId}`)).status, 404)
    const { companies } = (await leaver.call('GET', '/me')).body
    assert.deepEqual(
      companies.map((one: { company_id: string }) => one.company_id),
      [kept.companyId],
    )
  })
})
