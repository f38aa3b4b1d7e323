import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { changeRole, demoteOperator, removeMember } from '../src/domain/members/index.ts'
import { parseId } from '../src/platform/ids.ts'
import { createTenant, freshEmail, type Tenant, until } from './harness/fixtures.ts'
import type { Answer } from './harness/node.ts'
import { invite, joinCompany, type Signed, signIn, signInAsOperator } from './harness/people.ts'
import { startService } from './harness/service.ts'

const { database, node, close } = await startService()
after(close)

/** Starts a call, lets it wait for a locked row, and commits what happens meanwhile before it. */
async function whileItWaits(
  row: { readonly table: 'audit_chains' | 'companies'; readonly companyId: string },
  call: () => Promise<Answer>,
  happen: (holder: pg.Client) => Promise<unknown>,
): Promise<Answer> {
  return (await whileTheyWait(row, [call], happen))[0] as Answer
}

async function whileTheyWait(
  row: { readonly table: 'audit_chains' | 'companies'; readonly companyId: string },
  calls: readonly (() => Promise<Answer>)[],
  happen: (holder: pg.Client) => Promise<unknown>,
): Promise<Answer[]> {
  const holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query(`select 1 from ${row.table} where company_id = $1 for no key update`, [row.companyId])
    const answers = Promise.all(calls.map((call) => call()))
    await until('the calls to wait', async () => {
      const waiting = await database.query(
        `select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like $1`,
        [`%${row.table}%`],
      )
      return waiting.length === calls.length
    })
    await happen(holder)
    await holder.query('commit')
    return await answers
  } finally {
    await holder.end()
  }
}

const idOf = async (person: Signed): Promise<string> => (await person.call('GET', '/me')).body.person_id

describe('a change that waits', () => {
  type Happen = (person: Signed, tenant: Tenant) => Promise<() => Promise<unknown>>
  const member = ({ companyId }: Tenant) => joinCompany(node, companyId, 'developer')
  const cases: readonly {
    readonly who: string
    readonly as: (tenant: Tenant) => Promise<Signed>
    readonly meanwhile: Happen
    /** The status, and the error in the audit trail. */
    readonly answered: readonly [number, string]
  }[] = [
    {
      who: 'somebody whose session is ended',
      as: member,
      meanwhile: async (person) => {
        const { session_id } = (await person.call('GET', '/me')).body
        const elsewhere = await signIn(node, person.email)
        return () => elsewhere.call('DELETE', `/sessions/${session_id}`)
      },
      answered: [401, 'Unauthorized'],
    },
    {
      who: 'a member who is removed and is one elsewhere',
      as: member,
      meanwhile: async (person, { companyId }) => {
        await invite(node, (await createTenant(node)).companyId, person.email, 'owner')
        await signIn(node, person.email)
        const personId = await idOf(person)
        return () => removeMember(node.app, idOfCompany(companyId), personId)
      },
      answered: [404, 'NotFoundError'],
    },
    {
      who: 'a member whose role is lowered',
      as: member,
      meanwhile: async (person, { companyId }) => {
        const personId = await idOf(person)
        return () => changeRole(node.app, idOfCompany(companyId), personId, 'viewer')
      },
      answered: [403, 'ForbiddenError'],
    },
    {
      who: 'an operator who is demoted and a viewer there',
      as: async ({ companyId }) => {
        await signInAsOperator(node)
        const operator = await signInAsOperator(node)
        await invite(node, companyId, operator.email, 'viewer')
        await signIn(node, operator.email)
        return operator
      },
      meanwhile: async (person) => {
        const personId = await idOf(person)
        return () => demoteOperator(node.app, personId)
      },
      answered: [403, 'ForbiddenError'],
    },
  ]

  for (const { who, as, meanwhile, answered } of cases) {
    it(`is refused to ${who}, and written down as refused`, async () => {
      const tenant = await createTenant(node)
      const person = await as(tenant)
      const personId = await idOf(person)
      const answer = await whileItWaits(
        { table: 'audit_chains', companyId: tenant.companyId },
        () => person.call('PATCH', `/apps/${tenant.appId}`, { name: 'Mine' }),
        await meanwhile(person, tenant),
      )
      assert.notEqual((await node.manage('GET', `/apps/${tenant.appId}`)).body.name, 'Mine')
      const { entries } = (await node.manage('GET', `/companies/${tenant.companyId}/audit`)).body
      const entry = entries.find((one: { action: string }) => one.action === 'updateApp')
      assert.deepEqual(
        [answer.status, entry.error_type, entry.outcome, entry.actor.person_id],
        [...answered, 'refused', personId],
      )
    })
  }

  it('is done for whoever may still do it', async () => {
    const tenant = await createTenant(node)
    const person = await member(tenant)
    const answer = await whileItWaits(
      { table: 'audit_chains', companyId: tenant.companyId },
      () => person.call('PATCH', `/apps/${tenant.appId}`, { name: 'Mine' }),
      async () => {},
    )
    assert.deepEqual([answer.status, answer.body.name], [200, 'Mine'])
  })

  it('is queued behind two others of the same person, and holds nobody else up', async () => {
    const [held, free] = [await createTenant(node), await createTenant(node)]
    const busy = await joinCompany(node, held.companyId, 'developer')
    await invite(node, free.companyId, busy.email, 'developer')
    await signIn(node, busy.email)
    const other = await joinCompany(node, free.companyId, 'developer')
    const rename =
      (person: Signed, { appId }: Tenant, name: string) =>
      () =>
        person.call('PATCH', `/apps/${appId}`, { name })
    let third: Promise<Answer> | undefined
    const two = ['One', 'Two'].map((name) => rename(busy, held, name))
    const answers = await whileTheyWait(
      { table: 'audit_chains', companyId: held.companyId },
      two,
      async () => {
        third = rename(busy, free, 'Mine')()
        assert.equal((await rename(other, free, 'Theirs')()).status, 200)
      },
    )
    const statuses = [...answers, await third].map((answer) => answer?.status)
    assert.deepEqual(statuses, [200, 200, 200])
    const { entries } = (await node.manage('GET', `/companies/${free.companyId}/audit`)).body
    const renamed = entries.filter((one: { action: string }) => one.action === 'updateApp')
    assert.deepEqual(
      renamed.map(({ changes }: { changes: { name: string } }) => changes.name),
      ['Mine', 'Theirs'],
    )
  })

  it('invites nobody to a company that is closed meanwhile', async () => {
    const { companyId } = await createTenant(node)
    const answer = await whileItWaits(
      { table: 'companies', companyId },
      () =>
        node.manage('POST', `/companies/${companyId}/invitations`, { email: freshEmail(), role: 'owner' }),
      (closer) => closer.query('update companies set closed_at = now() where company_id = $1', [companyId]),
    )
    assert.deepEqual([answer.status, answer.body.error?.type], [404, 'NotFoundError'])
    assert.deepEqual(await database.query('select 1 from invitations where company_id = $1', [companyId]), [])
  })

  it('invites nobody who has joined meanwhile', async () => {
    const { companyId } = await createTenant(node)
    const email = freshEmail()
    await invite(node, companyId, email, 'viewer')
    const answer = await whileItWaits(
      { table: 'companies', companyId },
      () => node.manage('POST', `/companies/${companyId}/invitations`, { email, role: 'owner' }),
      // This accepts the invitation.
      () => signIn(node, email),
    )
    assert.deepEqual([answer.status, answer.body.error?.type], [409, 'ConflictError'])
    const team = (await node.manage('GET', `/companies/${companyId}/members`)).body
    assert.deepEqual(
      [team.members.map(({ role }: { role: string }) => role), team.invitations],
      [['viewer'], []],
    )
  })
})

function idOfCompany(text: string) {
  const companyId = parseId('company', text)
  assert.ok(companyId)
  return companyId
}
