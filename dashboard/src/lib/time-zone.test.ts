import assert from 'node:assert/strict'
import { it } from 'node:test'
import { formatDate, formatExact } from './format.ts'
import { chooseZone } from './time-zone.ts'

it('times are shown in the zone that was chosen, and in the browser’s when none is or there is no such one', () => {
  const stored = new Map<string, string>()
  Object.defineProperty(globalThis, 'localStorage', {
    value: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    },
    configurable: true,
  })
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
})
