import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsBySpan } from './counts-by-span.ts'

const hours = [
  { starts_at: '2026-11-15T10:00:00.000Z', status: 422, type: 'ValidationError', count: 3 },
  { starts_at: '2026-11-15T10:00:00.000Z', status: 503, type: 'UnavailableError', count: 1 },
  { starts_at: '2026-11-15T09:00:00.000Z', status: 404, type: 'OtpNotFoundError', count: 2 },
  { starts_at: '2026-11-13T09:00:00.000Z', status: 404, type: 'OtpNotFoundError', count: 9 },
]

test('errors are put together by the hour, those of the call apart from those of the service', () => {
  const keys = ['2026-11-15T09:00:00.000Z', '2026-11-15T10:00:00.000Z']
  assert.deepEqual(
    [...countsBySpan(hours, { by: 'hour', keys })],
    [
      ['2026-11-15T10:00:00.000Z', { calls: 3, service: 1 }],
      ['2026-11-15T09:00:00.000Z', { calls: 2, service: 0 }],
    ],
  )
})

test('and by the day, without what is outside of it', () => {
  const keys = ['2026-11-14T00:00:00.000Z', '2026-11-15T00:00:00.000Z']
  assert.deepEqual(
    [...countsBySpan(hours, { by: 'day', keys })],
    [['2026-11-15T00:00:00.000Z', { calls: 5, service: 1 }]],
  )
})
