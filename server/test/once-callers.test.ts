/** Who gets the answer of a change again, for how long, and what becomes of one that was cut short. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { createTenant, freshEmail, message, type Tenant, until } from './harness/fixtures.ts'
import { adminToken, type Node } from './harness/node.ts'
import { joinCompany, type Signed } from './harness/people.ts'
import { dumpRows } from './harness/records.ts'
import { type Service, startService } from './harness/service.ts'
import { freshKey, withKey } from './once-support.ts'

describe('the answer of a change with an idempotency key', () => {
  let service: Service
  let node: Node
  let tenant: Tenant
  before(async () => {
    service = await startService()
    node = service.node
  })
  after(() => service.close())
  beforeEach(async () => {
    tenant = await createTenant(node)
  })

  const credit = (amount: string, headers: Record<string, string>) =>
    node.call('POST', `/manage/v1/companies/${tenant.companyId}/credits`, {
      key: adminToken,
      body: { amount },
      headers,
    })
  const creditWith = (amount: string, key: string) => credit(amount, { 'idempotency-key': key })
  const credits = async () => {
    const rows = await service.database.query<{ amount_micros: string }>(
      `select amount_micros from ledger where company_id = $1 and kind = 'credit' and note is null`,
      [tenant.companyId],
    )
    return rows.map((row) => Number(row.amount_micros) / 1_000_000)
  }
  const makeKey = (person: Signed, key: string) =>
    person.call('POST', `/apps/${tenant.appId}/keys`, { kind: 'server' }, { 'idempotency-key': key })

  it('is not given to another person of the company, whose call is one of its own', async () => {
    const [first, second] = [
      await joinCompany(node, tenant.companyId, 'owner'),
      await joinCompany(node, tenant.companyId, 'owner'),
    ]
    const key = freshKey()
    const made = await makeKey(first, key)
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const others = [
      await makeKey(second, key),
      await withKey(
        node,
        { method: 'POST', path: `/apps/${tenant.appId}/keys`, body: { kind: 'server' } },
        key,
      ),
    ]
    for (const other of others) {
      assert.equal(other.status, 201)
      assert.notEqual(other.body.key_id, made.body.key_id)
      assert.notEqual(other.body.key, made.body.key)
    }
    assert.deepEqual((await makeKey(first, key)).body, made.body)
  })

  it('is not given to somebody who may no longer make the change', async () => {
    const person = await joinCompany(node, tenant.companyId, 'developer')
    const key = freshKey()
    assert.equal((await makeKey(person, key)).status, 201)
    await service.database.query(`update sessions set proven_at = now() - interval '1 hour'`)
    assert.equal((await makeKey(person, key)).body.error.type, 'FreshSignInNeededError')
    await service.database.query('update sessions set proven_at = now()')
    assert.equal((await makeKey(person, key)).status, 201)
    const { members } = (await node.manage('GET', `/companies/${tenant.companyId}/members`)).body
    const path = `/companies/${tenant.companyId}/members/${members[0].person_id}`
    await joinCompany(node, tenant.companyId, 'owner')
    assert.equal((await node.manage('PATCH', path, { role: 'viewer' })).status, 200)
    assert.equal((await makeKey(person, key)).status, 403)
    assert.equal((await node.manage('DELETE', path)).status, 200)
    assert.ok([401, 404].includes((await makeKey(person, key)).status))
  })

  it('is stored so that no dump of the database shows what is shown once', async () => {
    const headers = { 'idempotency-key': freshKey() }
    const made = await node.call('POST', `/manage/v1/apps/${tenant.appId}/keys`, {
      key: adminToken,
      body: { kind: 'server' },
      headers,
    })
    const hook = await node.call('POST', `/manage/v1/apps/${tenant.appId}/webhooks`, {
      key: adminToken,
      body: { url: 'http://127.0.0.1:9/' },
      headers,
    })
    const dump = (await dumpRows(service.database)).map(({ row }) => row).join('\n')
    assert.ok(dump.includes(made.body.key_id), 'the dump has what is no secret')
    for (const secret of [made.body.key, hook.body.signing_secret, headers['idempotency-key']])
      for (const form of [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret).toString('base64'),
      ])
        assert.ok(!dump.includes(form), `the dump has ${form}`)
  })

  it('moved to another key opens for nobody', async () => {
    const [mine, theirs] = [freshKey(), freshKey()]
    await creditWith('1', mine)
    await creditWith('1', theirs)
    await service.database.tamper(
      `update change_replays r set answer = (select answer from change_replays o where o.company_id = r.company_id and o.key_hash <> r.key_hash)
        where company_id = $1`,
      [tenant.companyId],
    )
    assert.equal((await creditWith('1', mine)).status, 500)
    assert.deepEqual(await credits(), [1, 1])
  })

  it('is given for 24 hours, and then the call acts again', async () => {
    const key = freshKey()
    const age = (hours: string) =>
      service.database.query(
        'update change_replays set expires_at = expires_at - $2::interval where company_id = $1',
        [tenant.companyId, hours],
      )
    const first = await creditWith('1', key)
    await age('23 hours 50 minutes')
    assert.deepEqual((await creditWith('1', key)).body, first.body)
    assert.deepEqual(await credits(), [1])
    await age('20 minutes')
    assert.equal((await creditWith('2', key)).status, 201)
    assert.deepEqual(await credits(), [1, 2])
    assert.equal((await creditWith('2', key)).status, 201)
    assert.deepEqual(await credits(), [1, 2])
  })

  it('needs a key of at most 128 characters, said once; an empty one is none', async () => {
    const longest = 'ü'.repeat(128)
    const bytes = (text: string) => Buffer.from(text).toString('latin1')
    assert.equal((await creditWith('1', bytes(longest))).status, 201)
    assert.equal((await creditWith('1', bytes(longest))).status, 201)
    assert.deepEqual(await credits(), [1])
    const tooLong = await creditWith('1', bytes(`${longest}x`))
    assert.deepEqual([tooLong.status, tooLong.body.error.type], [422, 'InvalidIdempotencyKeyError'])
    const twice = await credit('1', Object({ 'idempotency-key': ['a', 'b'] }))
    assert.deepEqual([twice.status, twice.body.error.details.fields[0].path], [422, 'idempotency-key'])
    assert.deepEqual(await credits(), [1])
    assert.equal((await creditWith('1', '')).status, 201)
    assert.equal((await creditWith('1', '')).status, 201)
    assert.deepEqual(await credits(), [1, 1, 1])
  })

  it('is none for a refusal: the key is free for a corrected call', async () => {
    const key = freshKey()
    assert.equal((await creditWith('999999999999', key)).status, 422)
    assert.equal((await creditWith('0', key)).status, 422)
    assert.deepEqual(await credits(), [])
    assert.equal((await creditWith('3', key)).status, 201)
    assert.deepEqual(await credits(), [3])
  })

  it('is none for a call that was cut short, whose repeat acts, once', async () => {
    const key = freshKey()
    const holder = new pg.Client({ connectionString: service.database.url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select 1 from companies where company_id = $1 for update', [tenant.companyId])
    const cutShort = creditWith('4', key)
    await until('it has taken its key and waits for the company', async () => {
      const ended = await service.database.query<{ ended: boolean }>(
        `select pg_terminate_backend(pid) as ended from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%update companies set balance%'`,
      )
      return ended.length > 0
    })
    assert.equal((await cutShort).status, 503)
    await holder.query('rollback')
    await holder.end()
    assert.deepEqual(await credits(), [])
    for (let repeat = 0; repeat < 3; repeat++)
      await until('the repeat is answered', async () => (await creditWith('4', key)).status === 201)
    assert.deepEqual(await credits(), [4])
  })

  it('is there with the change or not at all: what cannot keep the one does not make the other', async () => {
    const key = freshKey()
    await service.database.query(
      `create function refuse_answer() returns trigger language plpgsql as $$ begin raise 'no room'; end $$`,
    )
    await service.database.query(
      `create trigger refused before update on change_replays for each row
         when (new.company_id = '${tenant.companyId}') execute function refuse_answer()`,
    )
    assert.equal((await creditWith('6', key)).status, 500)
    assert.deepEqual(await credits(), [])
    await service.database.query('drop function refuse_answer cascade')
    assert.equal((await creditWith('6', key)).status, 201)
    assert.equal((await creditWith('6', key)).status, 201)
    assert.deepEqual(await credits(), [6])
  })

  it('stands in the audit trail once as done, and every repeat as repeated', async () => {
    const key = freshKey()
    const trail = async () => {
      const { entries } = (await node.manage('GET', `/companies/${tenant.companyId}/audit`)).body
      return entries
        .filter(({ action }: { action: string }) => action === 'creditCompany')
        .map(
          (entry: { outcome: string; error_type: string | null }) => `${entry.outcome} ${entry.error_type}`,
        )
    }
    const answers = await Promise.all(Array.from({ length: 8 }, () => creditWith('5', key)))
    for (const answer of answers) assert.equal(answer.status, 201, JSON.stringify(answer.body))
    const entries = await trail()
    assert.equal(entries.filter((entry: string) => entry === 'done null').length, 1)
    assert.ok(
      entries.every((entry: string) => ['done null', 'refused Repeated'].includes(entry)),
      `${entries}`,
    )
    await creditWith('5', key)
    assert.deepEqual(await trail(), ['refused Repeated', ...entries])
  })

  it('is done in the trail as soon as it is made, also if what follows it fails', async () => {
    const email = freshEmail()
    const body = { email, role: 'viewer', mail: true }
    const invite = { method: 'POST', path: `/companies/${tenant.companyId}/invitations`, body }
    await service.database.query(
      `create function refuse_mail() returns trigger language plpgsql as
         $$ begin raise exception 'no mail' using errcode = '57P01'; end $$;
       create trigger refuse_mail before insert on verifications for each row execute function refuse_mail()`,
    )
    const lost = await withKey(node, invite, 'lost mail').finally(() =>
      service.database.query('drop function refuse_mail cascade'),
    )
    assert.equal(lost.status, 503, JSON.stringify(lost.body))
    const { entries } = (await node.manage('GET', `/companies/${tenant.companyId}/audit`)).body
    assert.deepEqual([entries[0].action, entries[0].outcome], ['inviteMember', 'done'])
    const { invitations } = (await node.manage('GET', `/companies/${tenant.companyId}/members`)).body
    const made = invitations.find((invitation: { email: string }) => invitation.email === email)
    await node.manage('DELETE', `/companies/${tenant.companyId}/invitations/${made.invitation_id}`)
    const again = await withKey(node, invite, 'lost mail')
    assert.deepEqual([again.status, again.body.mailed], [201, false], 'nobody is invited any more')
  })

  it('brings an invited person one mail', async () => {
    const email = freshEmail()
    const invited = () =>
      withKey(
        node,
        {
          method: 'POST',
          path: `/companies/${tenant.companyId}/invitations`,
          body: { email, role: 'viewer', mail: true },
        },
        'mail',
      )
    const first = await invited()
    assert.deepEqual([first.status, first.body.mailed], [201, true])
    await message(node, email)
    assert.deepEqual((await invited()).body, first.body)
    const [mails] = await service.database.query<{ count: number }>(
      `select count(*)::integer as count from verifications where app_id = 'app_0000000000dashb0ard1nv1te0'`,
    )
    assert.equal(mails?.count, 1)
    assert.equal(node.capture.to(email).length, 1)
  })
})
