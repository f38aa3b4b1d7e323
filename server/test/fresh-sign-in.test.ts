import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type Operation, operations } from '@countersign/contract'
import { newId } from '../src/platform/ids.ts'
import { createTenant, message, type Tenant, wrongCode } from './harness/fixtures.ts'
import { adminToken, type Node } from './harness/node.ts'
import { joinCompany, type Signed, signInAsOperator } from './harness/people.ts'
import { type Service, startService } from './harness/service.ts'

const fresh = Object.entries<Operation>(operations).filter(([, { isFresh }]) => isFresh)

describe('a fresh sign-in', () => {
  let service: Service
  let node: Node
  let tenant: Tenant
  let providerId: string

  before(async () => {
    service = await startService()
    node = service.node
  })
  after(() => service.close())

  beforeEach(async () => {
    // New for each test, because some calls delete it.
    tenant = await createTenant(node)
    providerId = newId('provider', Date.now())
    await service.database.query(
      `insert into providers (company_id, provider_id, channel, kind, settings, secrets)
       values ($1, $2, 'email', 'smtp', '{}', '')`,
      [tenant.companyId, providerId],
    )
  })

  /** As after a pause: the next call then notes the use of the session, which must not make it fresh. */
  const age = (minutes: number) =>
    service.database.query(
      `update sessions set (proven_at, last_used_at, rotated_at) =
              (select ago, ago, ago from (select now() - $1 * interval '1 minute' as ago) past)`,
      [minutes],
    )
  const typeOf = ({ body }: { readonly body: { readonly error?: { readonly type: string } } }) =>
    body.error?.type
  const makeKey = (person: Signed) => person.call('POST', `/apps/${tenant.appId}/keys`, { kind: 'server' })
  const pathOf = (path: string) =>
    path
      .replace('/manage/v1', '')
      .replace('{company_id}', tenant.companyId)
      .replace('{app_id}', tenant.appId)
      .replace('{provider_id}', providerId)
      .replaceAll(/\{(\w+)\}/g, 'x')

  it('is asked for alerts, ends, keys, providers, secrets, members, operators and passkeys, and the table says so', () => {
    assert.deepEqual(fresh.map(([name]) => name).sort(), [
      'addPasskey',
      'closeCompany',
      'createKey',
      'createProvider',
      'createWebhook',
      'deleteApp',
      'deleteProvider',
      'demoteOperator',
      'inviteMember',
      'putAlerts',
      'putOperatorAlerts',
      'putSignInRules',
      'putWebhook',
      'removeMember',
      'removeOperator',
      'removePasskey',
      'rotateAlertSecret',
      'rotateOperatorAlertSecret',
      'rotateSecretOfEndpoint',
      'rotateWebhookSecret',
      'startPasskey',
      'updateEndpoint',
      'updateMember',
      'updateProvider',
      'withdrawInvitation',
    ])
  })

  for (const [name, operation] of fresh) {
    it(`${name} is refused eleven minutes after the last proof, and not asked for of the token`, async () => {
      const operator = await signInAsOperator(node)
      await age(11)
      const body = operation.body ? {} : undefined
      const refused = await operator.call(operation.method, pathOf(operation.path), body)
      assert.deepEqual([refused.status, typeOf(refused)], [403, 'FreshSignInNeededError'])
      const byToken = await node.call(operation.method, `/manage/v1${pathOf(operation.path)}`, {
        key: adminToken,
        ...(body ? { body } : {}),
      })
      assert.notEqual(typeOf(byToken), 'FreshSignInNeededError')
    })
  }

  it('lasts ten minutes by the database’s clock, and comes back with a code to one’s own address', async () => {
    const developer = await joinCompany(node, tenant.companyId, 'developer')
    await age(9)
    assert.equal((await makeKey(developer)).status, 201)
    // Long enough for a new token too.
    await age(16)
    assert.equal((await developer.call('GET', '/me')).body.is_fresh, false)
    assert.equal((await developer.call('GET', `/apps/${tenant.appId}`)).status, 200, 'reading goes on')
    assert.equal(typeOf(await makeKey(developer)), 'FreshSignInNeededError')
    const { body } = await developer.call('POST', '/me/proof')
    const { code } = await message(node, developer.email, 1)
    const wrong = await developer.call('POST', '/me/proof/code', {
      otp_id: body.otp_id,
      code: wrongCode(code),
    })
    assert.deepEqual(wrong.body, { matched: false, attempts_remaining: 4 })
    assert.equal(typeOf(await makeKey(developer)), 'FreshSignInNeededError')
    const right = await developer.call('POST', '/me/proof/code', { otp_id: body.otp_id, code })
    assert.equal(right.body.matched, true)
    assert.equal((await makeKey(developer)).status, 201)
  })

  it('is of one session, and takes no code that went to somebody else', async () => {
    const [one, other] = [
      await joinCompany(node, tenant.companyId, 'developer'),
      await joinCompany(node, tenant.companyId, 'developer'),
    ]
    await age(11)
    const { body } = await other.call('POST', '/me/proof')
    const { code } = await message(node, other.email, 1)
    const foreign = await one.call('POST', '/me/proof/code', { otp_id: body.otp_id, code })
    assert.deepEqual([foreign.status, typeOf(foreign)], [403, 'ForbiddenError'])
    for (const person of [one, other]) assert.equal(typeOf(await makeKey(person)), 'FreshSignInNeededError')
  })

  it('is in the trail when it was missing, and when its code was wrong', async () => {
    const developer = await joinCompany(node, tenant.companyId, 'developer')
    await age(11)
    await makeKey(developer)
    const [entry] = (await node.manage('GET', `/companies/${tenant.companyId}/audit`)).body.entries
    assert.deepEqual(
      [entry.action, entry.outcome, entry.error_type, entry.actor.email],
      ['createKey', 'refused', 'FreshSignInNeededError', developer.email],
    )
    const { otp_id } = (await developer.call('POST', '/me/proof')).body
    const guess = wrongCode((await message(node, developer.email, 1)).code)
    await developer.call('POST', '/me/proof/code', { otp_id, code: guess })
    const [wrong] = (await node.manage('GET', '/audit')).body.entries
    assert.deepEqual(
      [wrong.action, wrong.outcome, wrong.error_type, wrong.actor.email],
      ['proveWithCode', 'refused', 'WrongCode', developer.email],
    )
  })

  it('is in the trail when it was given, and given only with it', async () => {
    const developer = await joinCompany(node, tenant.companyId, 'developer')
    const prove = async (earlier: number) => {
      const { body } = await developer.call('POST', '/me/proof')
      const { code } = await message(node, developer.email, earlier)
      return developer.call('POST', '/me/proof/code', { otp_id: body.otp_id, code })
    }
    await age(11)
    await service.database.query('alter table audit_entries rename to away')
    const unwritten = await prove(1)
    await service.database.query('alter table away rename to audit_entries')
    assert.ok(unwritten.status >= 500, String(unwritten.status))
    assert.equal(typeOf(await makeKey(developer)), 'FreshSignInNeededError')
    const given = await prove(2)
    assert.equal(given.status, 200)
    const [entry] = (await node.manage('GET', '/audit')).body.entries
    assert.deepEqual(
      [entry.action, entry.outcome, entry.actor.email, entry.address, entry.request_id],
      ['proveWithCode', 'done', developer.email, '127.0.0.1', given.headers.get('x-request-id')],
    )
  })
})
