import assert from 'node:assert/strict'
import { it } from 'node:test'
import { formatDate, formatExact } from './format.ts'
import { withStorage } from './storage-support.ts'
import { chooseZone, clockAt, dayOf, momentOf } from './time-zone.ts'

it('times are shown in the zone that was chosen, and in the browser’s when none is or there is no such one', () =>
  withStorage(() => {
    const time = '2026-01-01T23:30:00.000Z'
    const byBrowser = formatExact(time)
    chooseZone('Asia/Tokyo')
    assert.equal(formatExact(time), '2 Jan 2026, 08:30:00 GMT+9')
    assert.equal(formatDate(time), '2 Jan 2026')
    chooseZone('UTC')
    assert.equal(formatExact(time), '1 Jan 2026, 23:30:00 UTC')
    chooseZone('Nowhere/Land')
    assert.equal(formatExact(time), byBrowser)
    chooseZone(null)
    assert.equal(formatExact(time), byBrowser)
  }))

it('what is typed is meant in the zone that was chosen, also beside a change of the clocks', () =>
  withStorage(() => {
    const moment = (clock: string) => new Date(momentOf(clock)).toISOString()
    chooseZone('Asia/Tokyo')
    assert.equal(moment('2026-01-02T00:00:00'), '2026-01-01T15:00:00.000Z')
    assert.equal(clockAt(Date.parse('2026-01-01T15:00:00.000Z')), '2026-01-02T00:00:00')
    chooseZone('America/New_York')
    for (const [clock, at] of [
      ['2026-03-08T00:00:00', '2026-03-08T05:00:00.000Z'],
      ['2026-03-09T00:00:00', '2026-03-09T04:00:00.000Z'],
      ['2026-11-01T00:00:00', '2026-11-01T04:00:00.000Z'],
      ['2026-11-02T00:00', '2026-11-02T05:00:00.000Z'],
    ] as const)
      assert.equal(moment(clock), at)
    assert.ok(Number.isNaN(momentOf('')))
    // In Santiago the clocks go forward at midnight, so this day begins at one.
    chooseZone('America/Santiago')
    assert.equal(moment('2026-09-06T00:00:00'), '2026-09-06T04:00:00.000Z')
    chooseZone('Africa/Cairo')
    assert.equal(moment('2026-04-24T00:00:00'), '2026-04-23T22:00:00.000Z')
    chooseZone(null)
  }))

it('a filter that begins with the day of a moment leaves nothing out that came after it', () =>
  withStorage(() => {
    const midnight = '2026-11-18T00:00:00.000Z'
    for (const [zone, day] of [
      ['UTC', '2026-11-18'],
      ['America/New_York', '2026-11-17'],
      ['Asia/Tokyo', '2026-11-18'],
    ] as const) {
      chooseZone(zone)
      assert.equal(dayOf(midnight), day)
      assert.ok(momentOf(`${day}T00:00:00`) <= Date.parse(midnight))
    }
    chooseZone(null)
  }))
