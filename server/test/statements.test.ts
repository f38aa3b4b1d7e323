/** The second line of defence: no statement reaches rows of more than one company without saying why. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newId } from '../src/platform/ids.ts'
import { heldCompanies, makeQueryable, type Statement } from '../src/platform/tenant.ts'
import { findUnheld } from './harness/statements.ts'

const companyId = newId('company', 0)

function recording() {
  const run: Statement[] = []
  const queryable = makeQueryable(async (statement) => {
    run.push(statement)
    return { rows: [], rowCount: 0, command: '', oid: 0, fields: [] }
  })
  return { run, queryable }
}

describe('a statement', () => {
  it('of one company gets it as its first parameter, whatever else is said', async () => {
    const { run, queryable } = recording()
    const text = 'select 1 from apps where company_id = $1 and app_id = $2'
    await queryable.of(companyId).query({ text, values: ['app_x'] })
    assert.deepEqual(run, [{ text, values: [companyId, 'app_x'] }])
  })

  for (const text of [
    'select * from apps where app_id = $1',
    'update verifications_20261115 set status = $1',
    'delete from keys',
    'insert into ledger (entry_id) values ($1)',
    'with gone as (delete from limits returning 1) select 1',
    'select 1 from people join members on true',
  ]) {
    it(`on tenants’ rows is not run without a company: ${text}`, () => {
      const { run, queryable } = recording()
      assert.throws(() => queryable.query({ text }), /does not say why it looks at every company/)
      assert.deepEqual(run, [])
    })
  }

  it('of one company that does not name it is not run', () => {
    const { run, queryable } = recording()
    const tenant = queryable.of(companyId)
    assert.throws(
      () => tenant.query({ text: 'select * from apps where app_id = $2' }),
      /does not name its company/,
    )
    assert.deepEqual(run, [])
  })

  it('of a transaction that holds companies names each by its place, and no other', async () => {
    const { run, queryable } = recording()
    const [one, other] = [newId('company', 1), newId('company', 2)]
    const held = queryable.holding([one, other])
    assert.deepEqual([held.positionOf(one), held.positionOf(other)], [1, 2])
    assert.throws(() => held.positionOf(companyId), /does not hold/)
    assert.throws(
      () => held.query({ text: 'select 1 from limits where company_id = $1' }),
      /does not keep to the companies that are held/,
    )
    await held.query({ text: `select 1 from limits where company_id = (${heldCompanies})[1]` })
    assert.equal(run.length, 1)
  })

  it('that looks at all companies says why', async () => {
    const { run, queryable } = recording()
    await queryable.query({ text: 'select 1 from companies /* every company: upkeep */' })
    await queryable.query({ text: 'select revision from changes' })
    assert.equal(run.length, 2)
  })
})

describe('reading a statement finds tables that it does not hold to the company', () => {
  const held = [
    'select * from apps where company_id = $1 and app_id = $2',
    'select 1 from apps a join keys k on k.company_id = a.company_id where a.company_id = $1',
    'insert into apps (company_id, app_id) values ($1, $2)',
    'with done as (update deliveries_20261115 set status = $2 where company_id = $1 returning company_id, otp_id) insert into ledger (company_id, entry_id) select company_id, otp_id from done',
    'select exists (select 1 from webhook_endpoints w where w.company_id = $1 and w.app_id = $2)',
    'select 1 from people',
  ]
  for (const text of held) it(`none in: ${text}`, async () => assert.deepEqual(await findUnheld(text), []))

  const unheld: readonly (readonly [string, string[]])[] = [
    ['select * from apps where app_id = $2', ['apps']],
    ['select * from apps where company_id = $2', ['apps']],
    ['select * from apps where company_id = $1 or app_id = $2', ['apps']],
    ['select 1 from apps a join keys k on k.app_id = a.app_id where a.company_id = $1', ['keys k']],
    ['update events_20261115 e set status = $2 where e.event_id = $3', ['events_20261115 e']],
    ['insert into ledger (entry_id) select $2 where $1 <> $3', ['ledger']],
    ['insert into people (person_id) select app_id from apps', ['apps']],
    ['select 1 from apps where company_id = $1 and exists (select 1 from keys where key_id = $2)', ['keys']],
    ['select 1 from apps where company_id = $1 union all select 1 from keys', ['keys']],
    ['with gone as (delete from tokens where app_id = $2 returning 1) select 1 from gone', ['tokens']],
  ]
  for (const [text, tables] of unheld) {
    it(`${tables} in: ${text}`, async () => assert.deepEqual([...new Set(await findUnheld(text))], tables))
  }
})
