/** The query plans of the service's statements, on a database with thirty days of rows. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createTestDatabase, type TestDatabase } from './harness/database.ts'
import { makeMonth, recordLife, type Statement, touchedBy } from './plans-support.ts'

describe('with a month of partitions', () => {
  let database: TestDatabase
  let statements: Statement[] = []
  let onYoungDay: readonly string[] = []

  before(async () => {
    database = await createTestDatabase()
    statements = await recordLife(database)
    onYoungDay = (await touchedBy(database, named('judge-guesses'))).searchedBy
    await makeMonth(database)
  })

  after(() => database?.close())

  const isExplainable = (text: string) =>
    /^\s*(select|update|delete|with)\b/.test(text) &&
    /\b(verifications|deliveries|events|decisions)\b/.test(text)
  /** An insert finds its partition by the row itself, and its rows exist already, so it is not explained. */
  const inserts = (text: string) => /^\s*insert|insert into verifications|insert into deliveries/.test(text)
  const called = ({ name, text }: Statement) => name ?? text.trim().split('\n')[0]?.slice(0, 60) ?? ''

  /** Some names end with the name of the partition. */
  function named(name: string): Statement {
    const found = statements.find((statement) => statement.name?.split(' ')[0] === name)
    assert.ok(found, `${name} was not seen`)
    return found
  }

  it('what a caller waits for touches one partition of each table it reads', async () => {
    const wanted = [
      'find-verification',
      'lock-verification',
      'update-verification',
      'judge-guesses',
      'take-token',
      'find-link',
      'approve-inbound',
    ]
    for (const name of wanted) {
      const { byTable, scanned } = await touchedBy(database, named(name))
      for (const [table, partitions] of byTable)
        assert.ok(partitions.size <= 1, `${name}: ${table} ${[...partitions]}`)
      assert.ok(byTable.size > 0, name)
      assert.deepEqual(scanned, [], name)
    }
  })

  it('a guess is looked up by its whole key while PostgreSQL knows nothing of the day', () => {
    const lookups = onYoungDay.filter((condition) => condition.includes('otp_id ='))
    assert.ok(lookups.length > 0)
    for (const condition of lookups) assert.ok(condition.includes('app_id ='), condition)
  })

  it('what the worker finishes touches one partition of each table it writes', async () => {
    const lookUp = statements.find(({ text }) => text.includes('a receipt names the delivery alone'))
    assert.ok(lookUp)
    const finishing = ['mark-sent', 'postpone', 'mark-failed', 'deliver-by-receipt'].map(named)
    for (const statement of [...finishing, lookUp]) {
      const name = called(statement)
      const { byTable, scanned } = await touchedBy(database, statement)
      for (const [table, partitions] of byTable)
        assert.ok(partitions.size <= 1, `${name}: ${table} ${[...partitions]}`)
      assert.deepEqual(scanned, [], name)
    }
  })

  it('what is due is found by its time, not among all that waits', async () => {
    const due = statements.filter(({ text }) => /\band [a-z.]*next_attempt_at <=/.test(text))
    assert.ok(due.length >= 3, String(due.length))
    for (const statement of due) {
      const { searchedBy } = await touchedBy(database, statement)
      assert.ok(
        searchedBy.some((condition) => condition.includes('next_attempt_at <=')),
        called(statement),
      )
    }
  })

  it('what lists the parts of a verification touches the few days in which they can be', async () => {
    const lists = statements.filter(({ text }) =>
      /from (deliveries|decisions)\s+where company_id = \$1 and app_id = \$2 and otp_id = \$3/.test(text),
    )
    assert.equal(lists.length, 2)
    for (const statement of lists) {
      const { byTable, scanned } = await touchedBy(database, statement)
      for (const [table, partitions] of byTable)
        assert.ok(partitions.size <= 4, `${called(statement)}: ${table}`)
      assert.deepEqual(scanned, [])
    }
  })

  it('what people read of one verification touches one day of it', async () => {
    const statement = statements.find(({ text }) => text.includes('substr(otp_id, 5) = substr($1, 5)'))
    assert.ok(statement)
    const { byTable } = await touchedBy(database, statement)
    assert.equal(byTable.get('verifications')?.size, 1)
  })

  it('what follows an approval touches the few days in which its deliveries can be', async () => {
    const statement = statements.find(
      ({ text }) => /join deliveries d on/.test(text) && /order by d.delivery_id desc/.test(text),
    )
    assert.ok(statement)
    const { byTable } = await touchedBy(database, statement)
    assert.ok((byTable.get('deliveries')?.size ?? 0) <= 4, `${byTable.get('deliveries')?.size}`)
  })

  it('nothing at all reads a whole partition', async () => {
    let seen = 0
    for (const statement of statements) {
      if (!isExplainable(statement.text) || inserts(statement.text)) continue
      seen++
      const { scanned } = await touchedBy(database, statement)
      assert.deepEqual(scanned, [], called(statement))
    }
    assert.ok(seen >= 12, String(seen))
  })
})
