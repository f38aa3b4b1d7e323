import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decimalsOf, trimAmount } from './amount.ts'

describe('amounts as people type them', () => {
  it('lose the zeros that say nothing, and no others', () => {
    assert.deepEqual(['0.050000', '10.000000', '100'].map(trimAmount), ['0.05', '10', '100'])
  })

  it('share so many decimals that none is cut', () => {
    assert.equal(decimalsOf(['10', '0.0305', '0.1']), 4)
    assert.equal(decimalsOf([]), 2)
  })
})
