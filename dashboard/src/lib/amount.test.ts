import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { amountProblem, decimalsOf, positiveAmountProblem, trimAmount } from './amount.ts'

describe('amounts as people type them', () => {
  it('are decimals with at most six places', () => {
    for (const right of ['0', '12', '12.5', '0.000001']) assert.equal(amountProblem(right), undefined)
    for (const wrong of ['', '.', '1.', '1.2.3', '-1', '0.0000001']) assert.ok(amountProblem(wrong))
  })

  it('are above zero where nothing would be meant by zero', () => {
    assert.ok(positiveAmountProblem('0.00'))
    assert.equal(positiveAmountProblem('0.01'), undefined)
  })

  it('lose the zeros that say nothing, and no others', () => {
    assert.deepEqual(['0.050000', '10.000000', '100'].map(trimAmount), ['0.05', '10', '100'])
  })

  it('share so many decimals that none is cut', () => {
    assert.equal(decimalsOf(['10', '0.0305', '0.1']), 4)
    assert.equal(decimalsOf([]), 2)
  })
})
