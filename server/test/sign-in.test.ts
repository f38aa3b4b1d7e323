import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { makeSignInLink } from '../src/domain/members/index.ts'
import { createTenant, freshEmail, message, type Tenant, wrongCode } from './harness/fixtures.ts'
import type { Node } from './harness/node.ts'
import {
  cookieOf,
  invite,
  joinCompany,
  signIn,
  signInAsOperator,
  signInWithCode,
  startSignIn,
  withCookie,
} from './harness/people.ts'
import { type Service, startService } from './harness/service.ts'

describe('signing in', () => {
  let service: Service
  let node: Node
  let tenant: Tenant
  const openLink = (token: string) =>
    node.call('POST', '/manage/v1/sign-in/link', { body: { token }, headers: { origin: node.baseUrl } })
  const age = (interval: string) =>
    service.database.query(
      `update sessions set rotated_at = rotated_at - interval '${interval}', last_used_at = last_used_at - interval '${interval}'`,
    )

  before(async () => {
    service = await startService()
    node = service.node
    tenant = await createTenant(node)
  })
  after(() => service.close())

  it('answers a member and a stranger alike, and lets the stranger in nowhere', async () => {
    const member = await joinCompany(node, tenant.companyId, 'viewer')
    const stranger = freshEmail()
    const answers = [await startSignIn(node, member.email), await startSignIn(node, stranger)]
    assert.deepEqual(
      answers.map(({ status, body }) => [status, Object.keys(body)]),
      [200, 200].map((status) => [status, ['otp_id', 'masked_recipient', 'expires_at']]),
    )
    const { code } = await message(node, stranger)
    const refused = await signInWithCode(node, answers[1]?.body.otp_id, code)
    assert.equal(refused.status, 403)
    assert.equal(refused.headers.get('set-cookie'), null)
  })

  it('takes the right code once, and counts wrong ones as every verification does', async () => {
    const email = freshEmail()
    await invite(node, tenant.companyId, email, 'viewer')
    const { otp_id } = (await startSignIn(node, email)).body
    const { code } = await message(node, email)
    const wrong = await signInWithCode(node, otp_id, wrongCode(code))
    assert.deepEqual([wrong.status, wrong.body], [200, { matched: false, attempts_remaining: 4 }])
    assert.equal(wrong.headers.get('set-cookie'), null)
    const answers = await Promise.all(Array.from({ length: 10 }, () => signInWithCode(node, otp_id, code)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
    assert.equal(answers.filter(({ headers }) => headers.get('set-cookie')).length, 1)
  })

  it('leaves wrong codes, unknown links and strangers in the trail, without the code or the whole address', async () => {
    const email = freshEmail()
    const { body } = await startSignIn(node, email)
    const { code } = await message(node, email)
    const guess = wrongCode(code)
    await signInWithCode(node, body.otp_id, guess)
    await signInWithCode(node, body.otp_id, code)
    await openLink('cs_link_nonsense')
    const { entries } = (await node.manage('GET', '/audit')).body
    const seen = entries.slice(0, 3).reverse()
    assert.deepEqual(
      seen.map((entry: Record<string, unknown>) => [entry.action, entry.error_type, entry.changes]),
      [
        ['signInWithCode', 'WrongCode', { email: 'p****@example.com' }],
        ['signInWithCode', 'ForbiddenError', { email: 'p****@example.com' }],
        ['signInWithLink', 'TokenNotFound', {}],
      ],
    )
    assert.equal(seen[0].address, '127.0.0.1')
    const text = JSON.stringify(entries)
    for (const secret of [email, code, guess, 'nonsense']) assert.ok(!text.includes(secret), secret)
  })

  it('takes no verification of another app for its own', async () => {
    const { body } = await node.call('POST', '/api/v1/otp/send', {
      key: tenant.serverKey,
      body: { recipient: freshEmail() },
    })
    assert.equal((await signInWithCode(node, body.otp_id, '123456')).status, 404)
  })

  it('opens a link once, of fifty at once', async () => {
    const token = await makeSignInLink(node.app, freshEmail(), 'new')
    const answers = await Promise.all(Array.from({ length: 50 }, () => openLink(token)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(49).fill(404)])
    assert.equal((await openLink('cs_link_nonsense')).status, 404)
  })

  it('opens no link that is over', async () => {
    const token = await makeSignInLink(node.app, freshEmail(), 'new')
    await service.database.query(`update sign_in_links set expires_at = now()`)
    assert.equal((await openLink(token)).status, 404)
  })

  it('with a link from the command line makes nobody an operator who is not meant to become one', async () => {
    const operator = await signInAsOperator(node)
    assert.equal((await operator.call('GET', '/me')).body.is_operator, true)
    await assert.rejects(makeSignInLink(node.app, freshEmail(), 'operators'), /With --new the person becomes/)
    await assert.rejects(makeSignInLink(node.app, freshEmail(), 'members'), /Invite them first/)
    const viewer = await joinCompany(node, tenant.companyId, 'viewer')
    const again = await openLink(await makeSignInLink(node.app, viewer.email, 'members'))
    const me = await withCookie(node, viewer.email, cookieOf(again)).call('GET', '/me')
    assert.deepEqual([me.body.is_operator, me.body.companies[0].role], [false, 'viewer'])
  })

  it('with a link from the command line gives an invited person the role of their invitation', async () => {
    const email = freshEmail()
    await invite(node, tenant.companyId, email, 'viewer')
    const token = await makeSignInLink(node.app, email, 'members')
    const emails = async (what: 'members' | 'invitations') =>
      (await node.manage('GET', `/companies/${tenant.companyId}/members`)).body[what].map(
        (one: { email: string }) => one.email,
      )
    assert.ok(!(await emails('members')).includes(email), 'not before it is used')
    assert.ok((await emails('invitations')).includes(email))
    const opened = await openLink(token)
    const me = await withCookie(node, email, cookieOf(opened)).call('GET', '/me')
    assert.deepEqual([me.body.is_operator, me.body.companies[0].role], [false, 'viewer'])
  })

  it('gives a cookie that scripts cannot read and other sites cannot send', async () => {
    const answer = await openLink(await makeSignInLink(node.app, freshEmail(), 'new'))
    const [session = '', known = ''] = answer.headers.getSetCookie()
    assert.match(
      session,
      /^countersign_session=cs_session_\w{52}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    )
    assert.match(known, /^countersign_known=[\w-]+; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict$/)
  })

  it('refuses changes that come from a page of another origin, or do not say where from', async () => {
    const operator = await signInAsOperator(node)
    const change = (headers: Record<string, string>) =>
      node.call('PATCH', '/manage/v1/me', {
        body: { name: 'Ada' },
        headers: { cookie: operator.cookie, ...headers },
      })
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'null' }]) {
      assert.equal((await change(headers)).status, 403, JSON.stringify(headers))
    }
    assert.equal((await change({ origin: node.baseUrl })).status, 200)
    assert.equal((await change({ origin: 'http://localhost' })).status, 200, 'the public address')
    const foreign = await node.call('POST', '/manage/v1/sign-in', {
      body: { email: freshEmail() },
      headers: { origin: 'https://evil.example' },
    })
    assert.equal(foreign.status, 403)
  })

  it('keeps a session whose cookie a page of another origin makes the browser send', async () => {
    const operator = await signInAsOperator(node)
    await age('16 minutes')
    const foreign = await operator.call('PATCH', '/me', { name: 'Eve' }, { origin: 'https://evil.example' })
    assert.equal(foreign.status, 403)
    await age('11 minutes')
    assert.equal((await operator.call('GET', '/me')).status, 200)
  })

  it('lets nobody in whose entry in the trail cannot be written, and leaves them their link', async () => {
    const token = await makeSignInLink(node.app, freshEmail(), 'new')
    const countSessions = async () => (await service.database.query('select 1 from sessions')).length
    const before = await countSessions()
    await service.database.query('alter table audit_entries rename to away')
    const answer = await openLink(token)
    await service.database.query('alter table away rename to audit_entries')
    assert.ok(answer.status >= 500, String(answer.status))
    assert.equal(answer.headers.get('set-cookie'), null)
    assert.equal(await countSessions(), before)
    assert.equal((await openLink(token)).status, 200)
  })

  it('lists sessions, and ends one at once', async () => {
    const email = freshEmail()
    await invite(node, tenant.companyId, email, 'viewer')
    const [first, second] = [await signIn(node, email), await signIn(node, email)]
    const { sessions } = (await first.call('GET', '/sessions')).body
    assert.deepEqual(sessions.map((session: { is_current: boolean }) => session.is_current).sort(), [
      false,
      true,
    ])
    const other = sessions.find((session: { is_current: boolean }) => !session.is_current)
    assert.equal((await first.call('DELETE', `/sessions/${other.session_id}`)).status, 200)
    assert.equal((await second.call('GET', '/me')).status, 401)
    assert.equal((await first.call('GET', '/me')).status, 200)
    const stranger = await signInAsOperator(node)
    const mine = sessions.find((session: { is_current: boolean }) => session.is_current)
    assert.equal((await stranger.call('DELETE', `/sessions/${mine.session_id}`)).status, 404)
    const ended = await first.call('DELETE', `/sessions/${mine.session_id}`)
    assert.match(ended.headers.get('set-cookie') ?? '', /^countersign_session=; Path=\/; Max-Age=0/)
    assert.equal((await first.call('GET', '/me')).status, 401)
  })

  it('ends all sessions of a person but the one that asks, and says so in the trail', async () => {
    const email = freshEmail()
    await invite(node, tenant.companyId, email, 'viewer')
    const [stranger, here] = [await signInAsOperator(node), await signIn(node, email)]
    const others = [await signIn(node, email), await signIn(node, email)]
    assert.deepEqual((await here.call('DELETE', '/sessions')).body, { ended: 2 })
    for (const other of others) assert.equal((await other.call('GET', '/me')).status, 401)
    for (const kept of [here, stranger]) assert.equal((await kept.call('GET', '/me')).status, 200)
    const [entry] = (await node.manage('GET', '/audit')).body.entries
    assert.deepEqual([entry.action, entry.outcome, entry.actor.email], ['endOtherSessions', 'done', email])
    assert.deepEqual((await here.call('DELETE', '/sessions')).body, { ended: 0 })
  })

  it('changes the token of a session that is in use, whatever calls are under way', async () => {
    const operator = await signInAsOperator(node)
    await age('16 minutes')
    const answers = await Promise.all(Array.from({ length: 20 }, () => operator.call('GET', '/me')))
    assert.ok(answers.every(({ status }) => status === 200))
    const renewed = answers.map(cookieOf).filter((cookie) => cookie !== '')
    assert.equal(renewed.length, 1)
    const next = withCookie(node, operator.email, renewed[0] ?? '')
    assert.equal((await next.call('GET', '/me')).status, 200)
    await age('11 minutes')
    assert.equal((await operator.call('GET', '/me')).status, 401, 'the token before is over')
    assert.equal((await next.call('GET', '/me')).status, 200)
  })

  it('keeps a browser signed in that never got its new token', async () => {
    const operator = await signInAsOperator(node)
    await age('16 minutes')
    await operator.call('GET', '/me')
    await age('2 minutes')
    const answer = await operator.call('GET', '/me')
    assert.equal(answer.status, 200)
    assert.equal((await withCookie(node, operator.email, cookieOf(answer)).call('GET', '/me')).status, 200)
  })

  it('ends with a day unused, and after thirty days in any case', async () => {
    const operator = await signInAsOperator(node)
    await service.database.query(`update sessions set created_at = now() - interval '29 days 23 hours'`)
    await age('2 minutes')
    await operator.call('GET', '/me')
    const [session] = await service.database.query<{ hours: number }>(
      `select extract(epoch from expires_at - now())::float8 / 3600 as hours from sessions order by session_id desc limit 1`,
    )
    assert.ok((session?.hours ?? 9) <= 1.01, `${session?.hours} hours`)
    await service.database.query(`update sessions set expires_at = now()`)
    assert.equal((await operator.call('GET', '/me')).status, 401)
  })

  it('keeps no address and no token in the database that could be read there', async () => {
    const person = await joinCompany(node, tenant.companyId, 'owner')
    const link = await makeSignInLink(node.app, freshEmail(), 'new')
    const rows = await Promise.all(
      ['people', 'members', 'invitations', 'sessions', 'sign_in_links', 'audit_entries', 'verifications'].map(
        (table) => service.database.query(`select t::text as row from ${table} t`),
      ),
    )
    const dump = JSON.stringify(rows)
    const token = person.cookie.split('=')[1] ?? ''
    for (const secret of [person.email, Buffer.from(person.email).toString('hex'), token, link]) {
      assert.ok(!dump.includes(secret), secret)
    }
  })
})
