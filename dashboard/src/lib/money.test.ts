import assert from 'node:assert/strict'
import { it } from 'node:test'
import { formatMoney } from './money.ts'

it('an amount that is not nothing never reads as nothing', () => {
  const short = (amount: string) => formatMoney(amount, 'EUR', 'short')
  assert.deepEqual(['0', '0.001317', '-0.0004', '0.01', '12.3456'].map(short), [
    '€0.00',
    '€0.0013',
    '-€0.0004',
    '€0.01',
    '€12.35',
  ])
  assert.equal(formatMoney('0.001', 'EUR'), '€0.001')
})
