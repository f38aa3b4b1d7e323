import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isSameLimit, limitWords, newRow, rewordLimit, rowInWords, rowsOf, windowsOf } from './limit-rows.ts'

const noLimits = {
  recipient: [],
  recipient_failures: [],
  ip: [],
  flagged_ip: [],
  app: [],
  app_without_ip: [],
}
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
      rows.map(({ window_s: { count, unit } }) => `${count} ${unit}`),
      ['10 min', '24 h', '90 s'],
    )
    assert.deepEqual(windowsOf(rows), windows)
    assert.ok(isSameLimit(rows, rowsOf(windows)))
  })

  it('are said in plain words, once they are whole', () => {
    assert.equal(rowInWords(newRow(20, 10, 'min'), address), '20 sends in 10 minutes from one address')
    assert.equal(rowInWords(newRow(1, 1, 'h'), address), '1 send in an hour from one address')
    assert.equal(rowInWords(newRow(null, 1, 'h'), address), '')
  })

  it('are refused in words of the page: by their bounds, in hours, and by the labels of other limits', () => {
    const limits = { ...noLimits, ip: [newRow(0, 25, 'h'), newRow(null, null)] }
    const said = (path: string, message: string) => rewordLimit({ path, message }, { limits }).message
    assert.equal(said('limits.ip.0.max', 'must be at most 1000000'), 'must be from 1 to 1,000,000')
    assert.equal(said('limits.ip.0.window_s', 'must be at most 86400'), 'must be from 1 second to 24 hours')
    assert.equal(said('limits.ip.1.max', 'is required'), 'is required')
    assert.equal(said('limits.ip.1.window_s', 'is required'), 'is required')
    assert.equal(
      said('limits.flagged_ip', 'must be below `limits.ip`'),
      '“One flagged address” must be below “One address”',
    )
  })
})
