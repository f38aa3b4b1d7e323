import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatRelative, formatSeconds, formatShare, plural } from './format.ts'

describe('figures and times as people read them', () => {
  it('a duration has two units at most', () => {
    assert.equal(formatSeconds(0.42), '0.4 s')
    assert.equal(formatSeconds(59.4), '59 s')
    assert.equal(formatSeconds(95), '1 min 35 s')
    assert.equal(formatSeconds(3_600), '1 h')
    assert.equal(formatSeconds(90_061), '1 d 1 h')
  })

  it('a time of the last week is told by its age, an older one by its date', () => {
    const now = Date.parse('2026-11-15T12:00:00.000Z')
    assert.equal(formatRelative('2026-11-15T11:59:30.000Z', now), 'just now')
    assert.match(formatRelative('2026-11-15T11:57:00.000Z', now), /^3 min\. ago$/)
    assert.match(formatRelative('2026-11-14T11:00:00.000Z', now), /yesterday/)
    assert.equal(formatRelative('2026-11-22T11:59:50.000Z', now), 'in 7 days')
    // Noon where the machine is: dates are those of the browser's own time zone.
    assert.equal(formatRelative(new Date(2026, 9, 1, 12).toISOString(), now), '1 Oct 2026')
  })

  it('a share of nothing is no figure', () => {
    assert.equal(formatShare(null), '—')
    assert.equal(formatShare(0.825), '82.5%')
    assert.equal(plural(1, 'try', 'tries'), '1 try')
    assert.equal(plural(1_200, 'try', 'tries'), '1,200 tries')
  })
})
