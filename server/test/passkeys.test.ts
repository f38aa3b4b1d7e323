import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { makeSignInLink } from '../src/domain/members/index.ts'
import { SoftwarePasskey } from './harness/authenticator.ts'
import { createTenant, message, type Tenant } from './harness/fixtures.ts'
import type { Answer, Node } from './harness/node.ts'
import { cookieOf, joinCompany, type Signed, signIn, signInAsOperator, withCookie } from './harness/people.ts'
import { startTwoNodeService, type TwoNodeService } from './harness/service.ts'

describe('passkeys', () => {
  let service: TwoNodeService
  let node: Node
  let other: Node
  let tenant: Tenant
  const origin = 'http://localhost'

  before(async () => {
    service = await startTwoNodeService()
    ;[node, other] = service.nodes
    tenant = await createTenant(node)
  })
  after(() => service.close())

  const typeOf = ({ body }: Answer): string | undefined => body.error?.type
  const optionsOf = async (on: Node) =>
    (await on.call('POST', '/manage/v1/sign-in/passkey/options', { headers: { origin: on.baseUrl } })).body
      .options
  const enter = (on: Node, credential: unknown) =>
    on.call('POST', '/manage/v1/sign-in/passkey', { body: { credential }, headers: { origin: on.baseUrl } })
  async function register(
    person: Signed,
    key = new SoftwarePasskey(origin),
    circumstances = {},
  ): Promise<Answer> {
    const { body } = await person.call('POST', '/passkeys/options')
    return person.call('POST', '/passkeys', {
      name: 'Laptop',
      credential: key.make(body.options, circumstances),
    })
  }
  async function withPasskey() {
    const person = await joinCompany(node, tenant.companyId, 'developer')
    const key = new SoftwarePasskey(origin)
    const added = await register(person, key)
    assert.equal(added.status, 201, JSON.stringify(added.body))
    return { person, key, passkeyId: added.body.passkey_id as string }
  }

  it('sign in, with a challenge of one node at another, and say nothing but who it is', async () => {
    const { person, key } = await withPasskey()
    const options = await optionsOf(node)
    assert.deepEqual(
      [options.userVerification, options.rpId, options.allowCredentials],
      ['required', 'localhost', []],
    )
    const answer = await enter(other, key.sign(options))
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const me = await withCookie(node, person.email, cookieOf(answer)).call('GET', '/me')
    assert.deepEqual([me.body.email, me.body.has_passkey, me.body.is_fresh], [person.email, true, true])
  })

  it('that are removed take along the sessions in which one was used, but for the one that asks', async () => {
    const { person, key, passkeyId } = await withPasskey()
    const byPasskey = withCookie(
      node,
      person.email,
      cookieOf(await enter(node, key.sign(await optionsOf(node)))),
    )
    const byCode = await signIn(node, person.email)
    const statuses = async () =>
      Promise.all([person, byPasskey, byCode].map(async (one) => (await one.call('GET', '/me')).status))
    assert.equal((await person.call('DELETE', '/passkeys/psk_00000000000000000000000000')).status, 404)
    assert.deepEqual(await statuses(), [200, 200, 200])
    assert.equal((await person.call('DELETE', `/passkeys/${passkeyId}`)).status, 200)
    assert.deepEqual(await statuses(), [200, 401, 200])
  })

  it('answer a challenge once, of ten at once over two nodes', async () => {
    const { key } = await withPasskey()
    const credential = key.sign(await optionsOf(node))
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => enter(index % 2 ? node : other, credential)),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(403)])
  })

  it('answer no challenge that is over, is another’s, or was never given', async () => {
    const { person, key } = await withPasskey()
    const late = await optionsOf(node)
    await service.database.query('update passkey_challenges set expires_at = now()')
    assert.equal((await enter(node, key.sign(late))).status, 403)
    assert.equal((await enter(node, key.sign({ challenge: 'bmV2ZXItZ2l2ZW4' }))).status, 403)
    // A challenge for a proof in a session does not sign in, nor the other way round.
    const proof = (await person.call('POST', '/me/proof/passkey/options')).body.options
    assert.equal((await enter(node, key.sign(proof))).status, 403)
    const making = (await person.call('POST', '/passkeys/options')).body.options
    for (const given of [await optionsOf(node), making]) {
      const answer = await person.call('POST', '/me/proof/passkey', { credential: key.sign(given) })
      assert.equal(answer.status, 403)
    }
  })

  it('are taken from no other origin, for no other host, and not without the person’s finger or PIN', async () => {
    const { person, key } = await withPasskey()
    for (const circumstances of [
      { origin: 'http://evil.example' },
      { origin: 'http://localhost:81' },
      { rpId: 'evil.example' },
      { isVerified: false },
    ]) {
      assert.equal((await enter(node, key.sign(await optionsOf(node), circumstances))).status, 403)
      const made = await register(person, new SoftwarePasskey(origin), circumstances)
      assert.equal(made.status, 403, JSON.stringify(circumstances))
    }
    assert.equal((await enter(node, key.sign(await optionsOf(node)))).status, 200)
  })

  it('let nobody in as somebody else: a foreign handle, a foreign key, a forged signature', async () => {
    const [mine, theirs] = [await withPasskey(), await withPasskey()]
    const handle = theirs.key.userHandle
    assert.equal(
      (await enter(node, mine.key.sign(await optionsOf(node), { userHandle: handle }))).status,
      403,
    )
    assert.equal((await enter(node, mine.key.sign(await optionsOf(node), { userHandle: '' }))).status, 403)
    const options = await optionsOf(node)
    const forged = { ...mine.key.sign(options), id: theirs.key.sign({ challenge: 'x' }).id }
    assert.equal((await enter(node, { ...forged, rawId: forged.id })).status, 403)
    const proof = (await mine.person.call('POST', '/me/proof/passkey/options')).body.options
    const foreign = await mine.person.call('POST', '/me/proof/passkey', {
      credential: theirs.key.sign(proof),
    })
    assert.equal(foreign.status, 403)
    // Nor does somebody else's challenge for a registration work.
    const { body } = await theirs.person.call('POST', '/passkeys/options')
    const key = new SoftwarePasskey(origin)
    const stolen = { name: 'Mine', credential: key.make(body.options) }
    assert.equal((await mine.person.call('POST', '/passkeys', stolen)).status, 403)
  })

  it('whose counter goes backwards are not taken any more, and only the key itself can make it so', async () => {
    const { person, key } = await withPasskey()
    const [before] = (await person.call('GET', '/passkeys')).body.passkeys
    const forger = new SoftwarePasskey(origin)
    const forged = { ...forger.sign(await optionsOf(node), { counter: 0, userHandle: key.userHandle }) }
    const id = key.sign({ challenge: 'x' }).id
    assert.equal((await enter(node, { ...forged, id, rawId: id })).status, 403)
    assert.equal(before.is_suspect, false)
    assert.equal((await person.call('GET', '/passkeys')).body.passkeys[0].is_suspect, false)
    assert.equal((await enter(node, key.sign(await optionsOf(node)))).status, 200)
    assert.equal((await enter(node, key.sign(await optionsOf(node), { counter: 1 }))).status, 403)
    assert.equal((await person.call('GET', '/passkeys')).body.passkeys[0].is_suspect, true)
    assert.equal((await enter(node, key.sign(await optionsOf(node)))).status, 403)
  })

  it('are named, listed and removed by their person alone, and let nobody in afterwards', async () => {
    const [mine, theirs] = [await withPasskey(), await withPasskey()]
    const path = `/passkeys/${mine.passkeyId}`
    assert.equal((await theirs.person.call('PATCH', path, { name: 'Yours' })).status, 404)
    assert.equal((await theirs.person.call('DELETE', path)).status, 404)
    assert.equal((await mine.person.call('PATCH', path, { name: 'Phone' })).body.name, 'Phone')
    assert.equal((await mine.person.call('DELETE', path)).status, 200)
    assert.deepEqual((await mine.person.call('GET', '/passkeys')).body.passkeys, [])
    assert.equal((await enter(node, mine.key.sign(await optionsOf(node)))).status, 403)
  })

  it('are added and removed, once there is one, only with it or with a link: the mailbox alone will not do', async () => {
    const person = await joinCompany(node, tenant.companyId, 'developer')
    const byCode = await signIn(node, person.email)
    const early = (await byCode.call('POST', '/passkeys/options')).body
    const key = new SoftwarePasskey(origin)
    const passkeyId = (await register(person, key)).body.passkey_id
    const late = { name: 'Theirs', credential: new SoftwarePasskey(origin).make(early.options) }
    assert.equal(typeOf(await byCode.call('POST', '/passkeys', late)), 'PasskeyNeededError')
    assert.equal((await person.call('GET', '/passkeys')).body.passkeys.length, 1)
    assert.equal(typeOf(await byCode.call('POST', '/passkeys/options')), 'PasskeyNeededError')
    assert.equal(typeOf(await byCode.call('DELETE', `/passkeys/${passkeyId}`)), 'PasskeyNeededError')
    const { options } = (await byCode.call('POST', '/me/proof/passkey/options')).body
    assert.equal(
      (await byCode.call('POST', '/me/proof/passkey', { credential: key.sign(options) })).status,
      200,
    )
    assert.equal((await register(byCode)).status, 201)
    const token = await makeSignInLink(node.app, person.email, 'members')
    const opened = await node.call('POST', '/manage/v1/sign-in/link', { body: { token } })
    const byLink = withCookie(node, person.email, cookieOf(opened))
    assert.equal((await byLink.call('DELETE', `/passkeys/${passkeyId}`)).status, 200)
  })

  it('make a session fresh again', async () => {
    const { person, key } = await withPasskey()
    await service.database.query(`update sessions set proven_at = now() - interval '11 minutes'`)
    const make = () => person.call('POST', `/apps/${tenant.appId}/keys`, { kind: 'server' })
    assert.equal(typeOf(await make()), 'FreshSignInNeededError')
    const { options } = (await person.call('POST', '/me/proof/passkey/options')).body
    assert.equal(options.allowCredentials.length, 1)
    assert.equal(
      (await person.call('POST', '/me/proof/passkey', { credential: key.sign(options) })).status,
      200,
    )
    const [entry] = (await node.manage('GET', '/audit')).body.entries
    assert.deepEqual(
      [entry.action, entry.outcome, entry.actor.email],
      ['proveWithPasskey', 'done', person.email],
    )
    assert.equal((await make()).status, 201)
  })

  it('that were refused are in the trail', async () => {
    const { key } = await withPasskey()
    await enter(node, key.sign(await optionsOf(node), { origin: 'http://evil.example' }))
    const [entry] = (await node.manage('GET', '/audit')).body.entries
    assert.deepEqual(
      [entry.action, entry.actor.kind, entry.outcome],
      ['signInWithPasskey', 'stranger', 'refused'],
    )
  })

  describe('where a company asks for them', () => {
    const require = (person: Signed, companyId: string, isRequired = true) =>
      person.call('PUT', `/companies/${companyId}/sign-in-rules`, { passkey_required: isRequired })

    it('are asked for by an owner who has used one, and by nobody else', async () => {
      const { companyId } = await createTenant(node)
      const owner = await joinCompany(node, companyId, 'owner')
      const developer = await joinCompany(node, companyId, 'developer')
      assert.equal(typeOf(await require(owner, companyId)), 'PasskeyNeededError')
      assert.equal((await register(owner)).status, 201)
      assert.equal((await register(developer)).status, 201)
      assert.equal((await require(developer, companyId)).status, 403)
      assert.deepEqual((await require(owner, companyId)).body, { passkey_required: true })
      assert.equal((await require(owner, companyId, false)).status, 200)
    })

    it('hide the company from a member until they have made one or used theirs, in this session', async () => {
      const { companyId, appId } = await createTenant(node)
      const owner = await joinCompany(node, companyId, 'owner')
      await register(owner)
      const member = await joinCompany(node, companyId, 'developer')
      assert.equal((await member.call('GET', `/apps/${appId}`)).status, 200)
      await require(owner, companyId)
      for (const [method, path, body] of [
        ['GET', `/companies/${companyId}`],
        ['GET', `/apps/${appId}`],
        ['PATCH', `/apps/${appId}`, { name: 'Mine' }],
        ['GET', `/companies/${companyId}/members`],
      ] as const) {
        const refused = await member.call(method, path, body)
        assert.deepEqual([refused.status, typeOf(refused)], [403, 'PasskeyNeededError'], path)
      }
      assert.deepEqual((await member.call('GET', '/companies')).body.companies, [])
      assert.equal((await member.call('GET', '/me')).body.companies[0].needs_passkey, true)
      const key = new SoftwarePasskey(origin)
      assert.equal((await register(member, key)).status, 201)
      assert.equal((await member.call('GET', `/apps/${appId}`)).status, 200)
      assert.equal((await member.call('GET', '/me')).body.companies[0].needs_passkey, false)

      const byCode = await signIn(node, member.email)
      assert.equal(typeOf(await byCode.call('GET', `/apps/${appId}`)), 'PasskeyNeededError')
      const byPasskey = withCookie(
        node,
        member.email,
        cookieOf(await enter(node, key.sign(await optionsOf(node)))),
      )
      assert.equal((await byPasskey.call('GET', `/apps/${appId}`)).status, 200)

      const earlier = node.capture.to(member.email).length
      const { otp_id } = (await byPasskey.call('POST', '/me/proof')).body
      const { code } = await message(node, member.email, earlier)
      assert.equal((await byPasskey.call('POST', '/me/proof/code', { otp_id, code })).body.matched, true)
      const after = await byPasskey.call('GET', `/apps/${appId}`)
      assert.equal(after.status, 200, 'a code that is proven later takes nothing back')
    })

    it('are asked neither of operators nor of the token', async () => {
      const { companyId, appId } = await createTenant(node)
      assert.equal(
        (await node.manage('PUT', `/companies/${companyId}/sign-in-rules`, { passkey_required: true }))
          .status,
        200,
      )
      const operator = await signInAsOperator(node)
      assert.equal((await operator.call('GET', `/apps/${appId}`)).status, 200)
      assert.equal((await operator.call('PATCH', `/apps/${appId}`, { name: 'Renamed' })).status, 200)
    })
  })
})
