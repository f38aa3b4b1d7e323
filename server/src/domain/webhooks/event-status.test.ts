import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ListedEventStatus } from '@countersign/contract'
import { type Destination, nextAttemptOf, statusOf } from './event-status.ts'

const at = (status: ListedEventStatus, more: Partial<Destination> = {}): Destination => ({
  endpointId: 'end_1',
  url: 'https://example.com',
  status,
  nextAttemptAt: null,
  ...more,
})
const gone = (status: ListedEventStatus) => at(status, { url: null })

describe('the status of an event', () => {
  const cases: readonly (readonly [string, readonly Destination[], ListedEventStatus])[] = [
    ['at one endpoint is that of the endpoint', [at('failed')], 'failed'],
    ['is delivered once all have taken it', [at('delivered'), at('delivered')], 'delivered'],
    ['is failed if one has not', [at('delivered'), at('failed')], 'failed'],
    ['is waiting while one waits, whatever failed', [at('failed'), at('waiting')], 'waiting'],
    ['is held where all that is left is held', [at('delivered'), at('held')], 'held'],
    ['does not go by an endpoint that is gone', [gone('failed'), at('delivered')], 'delivered'],
    ['goes by it where there is no other', [gone('delivered')], 'delivered'],
    ['that nobody took is skipped', [], 'skipped'],
  ]
  for (const [name, destinations, expected] of cases) {
    it(name, () => assert.equal(statusOf(destinations), expected))
  }

  it('has the earliest next attempt of all endpoints', () => {
    const [early, late] = [new Date(1_000), new Date(2_000)]
    const destinations = [at('waiting', { nextAttemptAt: late }), at('waiting', { nextAttemptAt: early })]
    assert.equal(nextAttemptOf(destinations), early)
    assert.equal(nextAttemptOf([at('held')]), null)
  })
})
