/** How long it lasts what lets people in, what becomes of it when it is over, and what is kept of a sign-in. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { makeSignInLink } from '../src/domain/members/index.ts'
import { SoftwarePasskey } from './harness/authenticator.ts'
import { createTenant, freshEmail, message } from './harness/fixtures.ts'
import {
  cookieOf,
  invite,
  joinCompany,
  signIn,
  signInAsOperator,
  startSignIn,
  withCookie,
} from './harness/people.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService()
after(close)

/** How long the newest row of a table lasts, by the database's clock. */
async function minutesLeft(table: string): Promise<number> {
  const [row] = await database.query<{ minutes: number }>(
    `select extract(epoch from expires_at - now())::float8 / 60 as minutes from ${table}
      order by created_at desc limit 1`,
  )
  return row?.minutes ?? 0
}

/** A busy machine takes a while between the two looks at the clock. */
function assertLasts(minutes: number, expected: number): void {
  assert.ok(minutes <= expected && minutes > expected - 2, `${minutes} minutes, not ${expected}`)
}

const endNow = (table: string) => database.query(`update ${table} set expires_at = now()`)

describe('a link from the command line', () => {
  const listed = async (email: string) =>
    (await node.manage('GET', '/sign-in-links')).body.links.find(
      (one: { email: string }) => one.email === email,
    )

  it('lasts an hour, and is then neither listed nor revoked', async () => {
    const email = freshEmail()
    await makeSignInLink(node.app, email, 'new')
    assertLasts(await minutesLeft('sign_in_links'), 60)
    const { link_id } = await listed(email)
    await endNow('sign_in_links')
    assert.equal(await listed(email), undefined)
    assert.equal((await node.manage('DELETE', `/sign-in-links/${link_id}`)).status, 404)
  })

  it('that makes an operator goes with the operator, and one that signs in a member stays', async () => {
    await signInAsOperator(node)
    const operator = await signInAsOperator(node)
    const { companyId } = await createTenant(node)
    await invite(node, companyId, operator.email, 'viewer')
    const { person_id } = (await (await signIn(node, operator.email)).call('GET', '/me')).body
    const token = await makeSignInLink(node.app, operator.email, 'members')
    assert.equal((await listed(operator.email)).is_operator, true)
    assert.equal((await node.manage('POST', `/operators/${person_id}/demote`)).status, 200)
    assert.equal((await listed(operator.email)).is_operator, false)
    assert.equal((await node.call('POST', '/manage/v1/sign-in/link', { body: { token } })).status, 200)
  })

  it('is not made for somebody whose invitation is over, or who has left', async () => {
    const { companyId } = await createTenant(node)
    const email = freshEmail()
    await invite(node, companyId, email, 'viewer')
    await endNow('invitations')
    await assert.rejects(makeSignInLink(node.app, email, 'members'), /Invite them first/)
    const member = await joinCompany(node, companyId, 'viewer')
    const { person_id } = (await member.call('GET', '/me')).body
    await node.manage('DELETE', `/companies/${companyId}/members/${person_id}`)
    await assert.rejects(makeSignInLink(node.app, member.email, 'members'), /Invite them first/)
  })
})

describe('an invitation', () => {
  const invitationsOf = async (companyId: string) =>
    (await node.manage('GET', `/companies/${companyId}/members`)).body.invitations

  it('lasts seven days, and is then neither listed nor withdrawn', async () => {
    const { companyId } = await createTenant(node)
    await invite(node, companyId, freshEmail(), 'viewer')
    assertLasts(await minutesLeft('invitations'), 7 * 1_440)
    const [{ invitation_id }] = await invitationsOf(companyId)
    await endNow('invitations')
    assert.deepEqual(await invitationsOf(companyId), [])
    const path = `/companies/${companyId}/invitations/${invitation_id}`
    assert.equal((await node.manage('DELETE', path)).status, 404)
  })

  it('that follows another to the same address takes its place: its role, and its seven days', async () => {
    const { companyId } = await createTenant(node)
    const email = freshEmail()
    await invite(node, companyId, email, 'owner')
    await endNow('invitations')
    await invite(node, companyId, email, 'viewer')
    assertLasts(await minutesLeft('invitations'), 7 * 1_440)
    assert.equal((await invitationsOf(companyId)).length, 1)
    const { companies } = (await (await signIn(node, email)).call('GET', '/me')).body
    assert.equal(companies[0].role, 'viewer')
  })
})

describe('a passkey', () => {
  it('answers a challenge within five minutes', async () => {
    const path = '/manage/v1/sign-in/passkey/options'
    assert.equal((await node.call('POST', path, { headers: { origin: node.baseUrl } })).status, 200)
    const [row] = await database.query<{ minutes: number }>(
      'select extract(epoch from max(expires_at) - now())::float8 / 60 as minutes from passkey_challenges',
    )
    assertLasts(row?.minutes ?? 0, 5)
  })

  it('is one of at most twenty of a person', async () => {
    const operator = await signInAsOperator(node)
    const { person_id } = (await operator.call('GET', '/me')).body
    const make = (from: number, to: number) =>
      database.query(
        `insert into passkeys (person_id, passkey_id, credential_id, public_key, counter, transports, name, is_backed_up)
         select $1, 'psk_' || n, ($1 || n)::bytea, '', 0, '{}', 'Made', false from generate_series($2::integer, $3) n`,
        [person_id, from, to],
      )
    await make(1, 17)
    const offers = await Promise.all(
      Array.from({ length: 5 }, () => operator.call('POST', '/passkeys/options')),
    )
    const added = await Promise.all(
      offers.map(({ body }) =>
        operator.call('POST', '/passkeys', {
          name: 'Added',
          credential: new SoftwarePasskey('http://localhost').make(body.options),
        }),
      ),
    )
    assert.deepEqual(added.map(({ status }) => status).sort(), [201, 201, 201, 409, 409])
    const refused = await operator.call('POST', '/passkeys/options')
    assert.deepEqual([refused.status, refused.body.error.type], [409, 'ConflictError'])
  })
})

describe('a session', () => {
  it('lasts a day after its last use, and is then neither listed nor ended', async () => {
    const operator = await signInAsOperator(node)
    assertLasts(await minutesLeft('sessions'), 1_440)
    await database.query(
      `update sessions set last_used_at = now() - interval '1 hour', expires_at = expires_at - interval '1 hour'`,
    )
    const { sessions } = (await operator.call('GET', '/sessions')).body
    assertLasts(await minutesLeft('sessions'), 1_440)
    await endNow('sessions')
    const opened = await node.call('POST', '/manage/v1/sign-in/link', {
      body: { token: await makeSignInLink(node.app, operator.email, 'operators') },
    })
    const again = withCookie(node, operator.email, cookieOf(opened))
    assert.equal((await again.call('GET', '/sessions')).body.sessions.length, 1)
    assert.equal((await again.call('DELETE', `/sessions/${sessions[0].session_id}`)).status, 404)
    assert.deepEqual((await again.call('DELETE', '/sessions')).body, { ended: 0 })
  })

  it('says from which browser and address it was opened, of a long name the first 300 characters', async () => {
    const { email } = await signInAsOperator(node)
    const token = await makeSignInLink(node.app, email, 'operators')
    const userAgent = `Browser/${'x'.repeat(400)}`
    const opened = await node.call('POST', '/manage/v1/sign-in/link', {
      body: { token },
      headers: { 'user-agent': userAgent },
    })
    const { sessions } = (await withCookie(node, email, cookieOf(opened)).call('GET', '/sessions')).body
    const current = sessions.find(({ is_current }: { is_current: boolean }) => is_current)
    assert.deepEqual([current.user_agent, current.address], [userAgent.slice(0, 300), '127.0.0.1'])
  })
})

describe('a sign-in', () => {
  it('is the last one of its person, in the lists of members and of operators', async () => {
    const { companyId } = await createTenant(node)
    const [member, operator] = [await joinCompany(node, companyId, 'viewer'), await signInAsOperator(node)]
    await database.query(`update people set last_sign_in_at = last_sign_in_at - interval '1 day'`)
    const { members } = (await node.manage('GET', `/companies/${companyId}/members`)).body
    const { operators } = (await node.manage('GET', '/operators')).body
    const before = members[0].last_sign_in_at
    assert.ok(operators.find(({ email }: { email: string }) => email === operator.email).last_sign_in_at)
    await signIn(node, member.email)
    const [now] = (await node.manage('GET', `/companies/${companyId}/members`)).body.members
    assert.ok(Date.parse(now.last_sign_in_at) - Date.parse(before) > 12 * 3_600_000)
  })

  it('is written in the first language that the browser asks for', async () => {
    for (const asked of ['de-AT,de;q=0.9,en;q=0.5', 'fr;q=0.8']) {
      const email = freshEmail()
      await node.call('POST', '/manage/v1/sign-in', {
        body: { email },
        headers: { origin: node.baseUrl, 'accept-language': asked },
      })
      assert.equal((await message(node, email)).locale.slice(0, 2), asked.slice(0, 2))
    }
    const email = freshEmail()
    assert.equal((await startSignIn(node, email)).status, 200)
    assert.equal((await message(node, email)).locale, 'en')
  })
})
