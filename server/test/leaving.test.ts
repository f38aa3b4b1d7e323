import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { makeSignInLink } from '../src/domain/members/index.ts'
import { SoftwarePasskey } from './harness/authenticator.ts'
import { createTenant, freshEmail, until } from './harness/fixtures.ts'
import {
  cookieOf,
  invite,
  joinCompany,
  type Signed,
  signIn,
  signInAsOperator,
  withCookie,
} from './harness/people.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService()
after(close)

const headers = { origin: node.baseUrl }

async function idOf(person: Signed): Promise<string> {
  return (await person.call('GET', '/me')).body.person_id
}

/** Gives a person every way to sign in. */
async function equip(person: Signed) {
  const personId = await idOf(person)
  const key = new SoftwarePasskey('http://localhost')
  const { body } = await person.call('POST', '/passkeys/options')
  const made = await person.call('POST', '/passkeys', { name: 'Laptop', credential: key.make(body.options) })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const links = [
    await makeSignInLink(node.app, person.email, 'members'),
    await makeSignInLink(node.app, person.email, 'members'),
  ]
  await person.call('POST', '/me/proof/passkey/options')
  return {
    personId,
    /** Tries session, passkey and link; also counts the challenges that wait for their passkey. */
    waysIn: async () => {
      const { options } = (await node.call('POST', '/manage/v1/sign-in/passkey/options', { headers })).body
      const body = { credential: key.sign(options) }
      const byPasskey = await node.call('POST', '/manage/v1/sign-in/passkey', { body, headers })
      const byLink = await node.call('POST', '/manage/v1/sign-in/link', { body: { token: links.pop() } })
      const challenges = await database.query('select 1 from passkey_challenges where person_id = $1', [
        personId,
      ])
      return [
        (await person.call('GET', '/me')).status,
        byPasskey.status,
        byLink.status,
        challenges.length,
      ] as const
    },
  }
}

/** Holds these locks until `act` has returned; calls that it started may go on afterwards. */
async function whileHeld<Begun>(
  lock: string,
  values: readonly unknown[],
  act: (holder: pg.Client, isWaiting: (calls: number) => Promise<unknown>) => Promise<Begun>,
): Promise<Begun> {
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  const isWaiting = (calls: number) =>
    until('the calls to wait', async () => {
      const waiting = await database.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return waiting.length === calls
    })
  try {
    await holder.query('begin')
    await holder.query(lock, [...values])
    const begun = await act(holder, isWaiting)
    await holder.query('commit')
    return begun
  } finally {
    await holder.end()
  }
}

async function remove(remover: pg.Client, personId: string): Promise<void> {
  for (const table of ['members', 'sessions'])
    await remover.query(`delete from ${table} where person_id = $1`, [personId])
}

const open = [200, 200, 200, 1]
const shut = [401, 403, 404, 0]

describe('whoever leaves', () => {
  /** Each returns a function that makes the person leave. */
  const ways = {
    'removed from their only company': async () => {
      const { companyId } = await createTenant(node)
      const person = await joinCompany(node, companyId, 'viewer')
      const path = `/companies/${companyId}/members/${await idOf(person)}`
      return { person, leave: () => node.manage('DELETE', path) }
    },
    'a member of a company that is closed': async () => {
      const { companyId } = await createTenant(node)
      const person = await joinCompany(node, companyId, 'owner')
      return { person, leave: () => node.manage('DELETE', `/companies/${companyId}`) }
    },
    'an operator who is demoted and in no company': async () => {
      await signInAsOperator(node)
      const person = await signInAsOperator(node)
      const path = `/operators/${await idOf(person)}/demote`
      return { person, leave: () => node.manage('POST', path) }
    },
  }

  for (const [who, begin] of Object.entries(ways)) {
    it(`as ${who} has no way in left when the address is invited again`, async () => {
      const { person, leave } = await begin()
      const { waysIn } = await equip(person)
      assert.deepEqual(await waysIn(), open)
      assert.equal((await leave()).status, 200)
      const next = await createTenant(node)
      await invite(node, next.companyId, person.email, 'owner')
      assert.deepEqual(await waysIn(), shut)
      // Anybody who has the mailbox now.
      const holder = await signIn(node, person.email)
      const { companies, has_passkey } = (await holder.call('GET', '/me')).body
      assert.deepEqual([companies.length, has_passkey], [1, false])
    })
  }

  it('one of two companies keeps every way into the other', async () => {
    const [left, kept] = [await createTenant(node), await createTenant(node)]
    const person = await joinCompany(node, left.companyId, 'viewer')
    await invite(node, kept.companyId, person.email, 'viewer')
    await signIn(node, person.email)
    const { personId, waysIn } = await equip(person)
    await node.manage('DELETE', `/companies/${left.companyId}/members/${personId}`)
    assert.deepEqual(await waysIn(), open)
  })

  it('both of two companies at once has no way in left', async () => {
    for (let round = 0; round < 5; round++) {
      const companies = [await createTenant(node), await createTenant(node)]
      const person = await joinCompany(node, companies[0]?.companyId ?? '', 'viewer')
      await invite(node, companies[1]?.companyId ?? '', person.email, 'viewer')
      await signIn(node, person.email)
      const personId = await idOf(person)
      const answers = await Promise.all(
        companies.map(({ companyId }) =>
          node.manage('DELETE', `/companies/${companyId}/members/${personId}`),
        ),
      )
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      )
      assert.equal((await person.call('GET', '/me')).status, 401)
    }
  })

  it('keeps the invitation of another company, and none of the one that they left', async () => {
    const [left, other] = [await createTenant(node), await createTenant(node)]
    const person = await joinCompany(node, left.companyId, 'viewer')
    await invite(node, other.companyId, person.email, 'developer')
    // As if written by a call that was decided before they joined.
    await database.query(
      `insert into invitations (company_id, invitation_id, email_hash, email, role, expires_at)
       select $1, 'inv_left', email_hash, email, 'owner', expires_at from invitations where company_id = $2`,
      [left.companyId, other.companyId],
    )
    await node.manage('DELETE', `/companies/${left.companyId}/members/${await idOf(person)}`)
    const { companies } = (await (await signIn(node, person.email)).call('GET', '/me')).body
    assert.deepEqual(
      companies.map((one: { company_id: string }) => one.company_id),
      [other.companyId],
    )
  })

  it('gets no session by a sign-in that was under way', async () => {
    const { companyId } = await createTenant(node)
    const person = await joinCompany(node, companyId, 'viewer')
    const personId = await idOf(person)
    const token = await makeSignInLink(node.app, person.email, 'members')
    const { entering } = await whileHeld(
      'select 1 from people where person_id = $1 for no key update',
      [personId],
      async (remover, isWaiting) => {
        const entering = node.call('POST', '/manage/v1/sign-in/link', { body: { token } })
        await isWaiting(1)
        await remove(remover, personId)
        return { entering }
      },
    )
    assert.equal((await entering).status, 403)
    assert.deepEqual(await database.query('select 1 from sessions where person_id = $1', [personId]), [])
  })

  it('keeps no passkey that was being made', async () => {
    const { companyId } = await createTenant(node)
    const person = await joinCompany(node, companyId, 'viewer')
    const personId = await idOf(person)
    const { options } = (await person.call('POST', '/passkeys/options')).body
    const credential = new SoftwarePasskey('http://localhost').make(options)
    const { making } = await whileHeld(
      'select 1 from people where person_id = $1 for no key update',
      [personId],
      async (remover, isWaiting) => {
        const making = person.call('POST', '/passkeys', { name: 'Laptop', credential })
        await isWaiting(1)
        await remove(remover, personId)
        return { making }
      },
    )
    assert.equal((await making).status, 401)
    assert.deepEqual(await database.query('select 1 from passkeys where person_id = $1', [personId]), [])
  })

  it('a company that is closed while they join it is in none, and signed out', async () => {
    const { companyId } = await createTenant(node)
    const email = freshEmail()
    await invite(node, companyId, email, 'owner')
    const token = await makeSignInLink(node.app, email, 'members')
    // The last lock that a sign-in waits for: it has accepted the invitation by then, and committed nothing.
    const { joining, closing } = await whileHeld(
      `select 1 from audit_chains where company_id = '' for no key update`,
      [],
      async (_, isWaiting) => {
        const joining = node.call('POST', '/manage/v1/sign-in/link', { body: { token } })
        await isWaiting(1)
        const closing = node.manage('DELETE', `/companies/${companyId}`)
        await isWaiting(2)
        return { joining, closing }
      },
    )
    const joined = await joining
    assert.deepEqual([joined.status, (await closing).status], [200, 200])
    assert.deepEqual(await database.query('select 1 from members where company_id = $1', [companyId]), [])
    assert.equal((await withCookie(node, email, cookieOf(joined)).call('GET', '/me')).status, 401)
  })
})
