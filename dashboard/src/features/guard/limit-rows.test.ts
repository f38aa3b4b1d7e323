import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isSame, limitWords, newRow, rowInWords, rowProblem, rowsOf, windowsOf } from './limit-rows.ts'

const address = limitWords.find(({ name }) => name === 'ip')
assert.ok(address)

describe('the windows of a limit', () => {
  it('come back as they went in, in the largest unit that fits', () => {
    const windows = [
      { max: 20, window_s: 600 },
      { max: 50, window_s: 86_400 },
      { max: 3, window_s: 90 },
    ]
    const rows = rowsOf(windows)
    assert.deepEqual(
      rows.map(({ count, unit }) => `${count} ${unit}`),
      ['10 min', '24 h', '90 s'],
    )
    assert.deepEqual(windowsOf(rows), windows)
    assert.ok(isSame(rows, rowsOf(windows)))
  })

  it('are said in plain words', () => {
    assert.equal(rowInWords(newRow('20', '10', 'min'), address), '20 sends in 10 minutes from one address')
    assert.equal(rowInWords(newRow('1', '1', 'h'), address), '1 send in an hour from one address')
  })

  it('keep to their bounds', () => {
    assert.equal(rowProblem(newRow('20', '10', 'min'), address), undefined)
    assert.match(rowProblem(newRow('1000001', '10', 'min'), address) ?? '', /1 to 1,000,000/)
    assert.match(rowProblem(newRow('', '10', 'min'), address) ?? '', /1 to 1,000,000/)
    assert.match(rowProblem(newRow('20', '25', 'h'), address) ?? '', /24 hours/)
  })
})
