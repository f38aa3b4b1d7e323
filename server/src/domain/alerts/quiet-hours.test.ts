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

const nights: readonly [string, string, string, string, string][] = [
  [
    'a night that clocks make longer',
    '07:00',
    'Europe/Berlin',
    '2026-10-24T20:00:10Z',
    '2026-10-25T06:00:00Z',
  ],
  [
    'a night that clocks make shorter',
    '07:00',
    'Europe/Berlin',
    '2026-03-28T21:00:10Z',
    '2026-03-29T05:00:00Z',
  ],
  [
    'a change of half an hour',
    '07:00',
    'Australia/Lord_Howe',
    '2026-04-04T11:00:00Z',
    '2026-04-04T20:30:00Z',
  ],
  [
    'an hour before midnight that comes twice',
    '00:00',
    'Africa/Cairo',
    '2026-10-29T19:30:00Z',
    '2026-10-29T22:00:00Z',
  ],
  ['an end that clocks show twice', '02:30', 'Europe/Berlin', '2026-10-24T20:00:00Z', '2026-10-25T00:30:00Z'],
  ['an end that clocks skip', '02:30', 'Europe/Berlin', '2026-03-29T00:00:00Z', '2026-03-29T01:30:00Z'],
]
for (const [which, to, time_zone, time, end] of nights) {
  test(`after ${which} it is told when the clock there shows the end, and not before`, () => {
    const quiet = { from: '22:00', to, time_zone }
    const endMs = Date.parse(time) + quietForMs(quiet, Date.parse(time))
    assert.equal(new Date(endMs).toISOString(), new Date(end).toISOString())
    assert.equal(quietForMs(quiet, endMs), 0)
  })
}
test('without quiet hours nothing waits', () => assert.equal(quietForMs(null, at('03:00:00')), 0))
