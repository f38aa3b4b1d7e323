import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quietForMs } from './quiet-hours.ts'

const at = (time: string) => Date.parse(`2026-01-15T${time}Z`)
const minutes = (count: number) => count * 60_000

const cases: readonly [string, string, string, string, string, number][] = [
  ['before a night', '22:00', '07:00', 'UTC', '21:59:00', 0],
  ['at its first minute', '22:00', '07:00', 'UTC', '22:00:00', minutes(540)],
  ['within it, after midnight', '22:00', '07:00', 'UTC', '06:30:30', minutes(29.5)],
  ['at its end', '22:00', '07:00', 'UTC', '07:00:00', 0],
  ['within hours of one day', '12:00', '13:00', 'UTC', '12:15:00', minutes(45)],
  ['by the clock of another place', '22:00', '07:00', 'Asia/Tokyo', '13:00:00', minutes(540)],
]

for (const [when, from, to, time_zone, time, ms] of cases) {
  test(`${when} it is quiet for ${ms / 60_000} minutes`, () => {
    assert.equal(quietForMs({ from, to, time_zone }, at(time)), ms)
  })
}
test('without quiet hours nothing waits', () => assert.equal(quietForMs(null, at('03:00:00')), 0))
