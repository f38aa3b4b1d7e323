/** What a company can create is bounded, and parallel calls cannot exceed the bound. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { providerKinds } from '../src/channels/index.ts'
import { createTenant, freshEmail, freshPhone } from './harness/fixtures.ts'
import type { Answer, Node } from './harness/node.ts'
import { type Service, startService } from './harness/service.ts'

describe('bounds', () => {
  let service: Service
  let node: Node

  before(async () => {
    service = await startService({ kinds: new Map(Object.entries(providerKinds)) })
    node = service.node
  })
  after(() => service.close())

  const count = async (text: string) => {
    const [row] = await service.database.query<{ count: string }>(`select count(*) as count from ${text}`)
    return Number(row?.count)
  }

  /** Makes parallel calls from `left` below the bound, enough to exceed it by `over`. */
  async function fill(
    bound: number,
    left: number,
    insert: () => Promise<unknown>,
    make: () => Promise<Answer>,
  ) {
    await insert()
    const answers = await Promise.all(Array.from({ length: left + 10 }, make))
    assert.equal(answers.filter(({ status }) => status === 201).length, left)
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assert.equal(answer.status, 409, JSON.stringify(answer.body))
      assert.equal(answer.body.error.type, 'LimitReachedError')
      assert.deepEqual(Object.keys(answer.body.error.details), ['fields', 'limit'])
      assert.equal(answer.body.error.details.limit, bound)
      assert.match(answer.body.error.message, new RegExp(`has ${bound} .*\\. [A-Z].*\\.$`))
    }
  }

  it('a company has at most 100 apps', async () => {
    const { companyId } = await createTenant(node)
    await fill(
      100,
      5,
      () =>
        service.database.query(
          `insert into apps (app_id, company_id, name, settings)
           select 'app_made_' || n, '${companyId}', 'Made', '{}' from generate_series(1, 94) n`,
        ),
      () => node.manage('POST', `/companies/${companyId}/apps`, { name: 'One more' }),
    )
    assert.equal(await count(`apps where company_id = '${companyId}'`), 100)
    // One that is deleted is still a row for a while, and counts no more.
    assert.equal((await node.manage('DELETE', '/apps/app_made_1')).status, 200)
    assert.equal((await node.manage('POST', `/companies/${companyId}/apps`, { name: 'Instead' })).status, 201)
    assert.equal((await node.manage('POST', `/companies/${companyId}/apps`, { name: 'Beyond' })).status, 409)
  })

  it('an app has at most 50 keys that are not revoked', async () => {
    const { companyId, appId } = await createTenant(node)
    const path = `/apps/${appId}/keys`
    const live = `keys where app_id = '${appId}' and revoked_at is null`
    const before = await count(live)
    await fill(
      50,
      5,
      () =>
        service.database.query(
          `insert into keys (company_id, app_id, key_id, kind, key_hash, first_characters, last_characters)
           select '${companyId}', '${appId}', 'key_made_' || n, 'server', n::text::bytea, '', '' from generate_series(1, ${45 - before}) n`,
        ),
      () => node.manage('POST', path, { kind: 'server' }),
    )
    assert.equal(await count(live), 50)
    const { body } = await node.manage('GET', path)
    const [first] = body.keys
    assert.equal((await node.manage('DELETE', `/keys/${first.key_id}`)).status, 200)
    assert.equal((await node.manage('POST', path, { kind: 'server' })).status, 201)
    assert.equal((await node.manage('POST', path, { kind: 'server' })).status, 409)
  })

  it('a company has at most 200 members and open invitations together', async () => {
    const { companyId } = await createTenant(node)
    const path = `/companies/${companyId}/invitations`
    const first = freshEmail()
    await node.manage('POST', path, { email: first, role: 'viewer' })
    await fill(
      200,
      5,
      async () => {
        await service.database.query(
          `insert into people (person_id, email_hash, email, is_operator)
           select 'usr_made_' || n, ('made' || n)::bytea, 'sealed', false from generate_series(1, 100) n`,
        )
        await service.database.query(
          `insert into members (company_id, person_id, role)
           select '${companyId}', 'usr_made_' || n, 'viewer' from generate_series(1, 100) n`,
        )
        await service.database.query(
          `insert into invitations (company_id, invitation_id, email_hash, email, role, expires_at)
           select '${companyId}', 'inv_made_' || n, ('made' || n)::bytea, 'sealed', 'viewer',
                  now() + (case when n <= 94 then 1 else -1 end) * interval '1 day'
             from generate_series(1, 120) n`,
        )
      },
      () => node.manage('POST', path, { email: freshEmail(), role: 'viewer' }),
    )
    // A person who is already invited can be invited again, with another role.
    assert.equal((await node.manage('POST', path, { email: first, role: 'owner' })).status, 201)
  })

  const account = { channel: 'telegram', kind: 'telegram', settings: { token: 'x' }, enabled: false }
  const madeAccounts = (owner: string, most: number) =>
    service.database.query(
      `insert into providers (company_id, provider_id, channel, kind, settings, secrets, enabled)
       select '${owner}', 'prv_made_${owner}_' || n, 'telegram', 'telegram', '{}', '', false from generate_series(1, ${most}) n`,
    )

  it('a company has at most 50 provider accounts', async () => {
    const { companyId } = await createTenant(node)
    await fill(
      50,
      5,
      () => madeAccounts(companyId, 45),
      () => node.manage('POST', '/providers', { ...account, company_id: companyId }),
    )
    assert.equal(await count(`providers where company_id = '${companyId}'`), 50)
    const other = await createTenant(node)
    const theirs = await node.manage('POST', '/providers', { ...account, company_id: other.companyId })
    assert.equal(theirs.status, 201)
  })

  it('a company has at most 1000 recipients that are blocked or allowed, and may change each of them', async () => {
    const { companyId } = await createTenant(node)
    const path = `/companies/${companyId}/exceptions`
    const first = freshPhone()
    await node.manage('POST', path, { recipient: first, kind: 'blocked' })
    await fill(
      1_000,
      5,
      () =>
        service.database.query(
          `insert into exceptions (company_id, recipient_hash, exception_id, kind, masked_recipient, created_at)
           select '${companyId}', convert_to('made ' || n, 'UTF8'), 'exc_made_' || n, 'blocked', '****', now() from generate_series(1, 994) n`,
        ),
      () => node.manage('POST', path, { recipient: freshPhone(), kind: 'blocked' }),
    )
    assert.equal(await count(`exceptions where company_id = '${companyId}'`), 1_000)
    assert.equal((await node.manage('POST', path, { recipient: first, kind: 'allowed' })).status, 201)
  })

  it('the operator has at most 500 provider accounts of their own', async () => {
    await fill(
      500,
      5,
      () => madeAccounts('operator', 495),
      () => node.manage('POST', '/providers', account),
    )
    const { body } = await node.manage('GET', '/providers')
    const owners = body.providers.map(({ company_id }: { company_id: string | null }) => company_id)
    assert.equal(owners.lastIndexOf(null), 499, 'the operator’s come first')
  })
})
