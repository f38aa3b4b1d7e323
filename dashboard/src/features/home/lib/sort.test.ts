import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CompanyRow, type SortColumn, sorted } from './sort.ts'

const row = (name: string, sends: number, balance: string, conversion: number | null): CompanyRow => ({
  company_id: name,
  name,
  metered: true,
  balance,
  apps: 1,
  sends,
  approvals: 0,
  conversion,
  refusals: 0,
  cost: '0.000000',
  alerts: 0,
})
const rows = [
  row('Acme', 5, '9.000000', null),
  row('Beta', 50, '10.000000', 0.5),
  row('Core', 7, '-1.500000', 0.9),
]
const cases: readonly [SortColumn, boolean, string][] = [
  ['name', false, 'Acme Beta Core'],
  ['name', true, 'Core Beta Acme'],
  ['sends', false, 'Beta Core Acme'],
  ['balance', false, 'Beta Acme Core'],
  ['balance', true, 'Core Acme Beta'],
  ['conversion', false, 'Core Beta Acme'],
]

for (const [by, isUp, order] of cases) {
  test(`companies by ${by}${isUp ? ', the least first' : ''} are ${order}`, () => {
    assert.equal(
      sorted(rows, by, isUp)
        .map(({ name }) => name)
        .join(' '),
      order,
    )
  })
}
