import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addAmounts, decimalsOf, trimAmount } from './amount.ts'

describe('amounts as people type them', () => {
  it('lose the zeros that say nothing, and no others', () => {
    assert.deepEqual(['0.050000', '10.000000', '100'].map(trimAmount), ['0.05', '10', '100'])
  })

  it('add up exactly, below zero too', () => {
    assert.equal(addAmounts('0.1', '0.2'), '0.300000')
    assert.equal(addAmounts('-0.05', '0.000001'), '-0.049999')
    assert.equal(addAmounts('999999999999.999999', '0.000001'), '1000000000000.000000')
  })

  it('share so many decimals that none is cut', () => {
    assert.equal(decimalsOf(['10', '0.0305', '0.1']), 4)
    assert.equal(decimalsOf([]), 2)
  })
})
