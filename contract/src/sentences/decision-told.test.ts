import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toldOf, whyOf } from './decision-words.ts'

const cap = {
  cap_name: 'day_by_country',
  spent: '0.150000',
  cap: '0.100000',
  source: 'set',
  is_over: true,
} as const

describe('what a rule found', () => {
  it('is told to a refused caller without amounts and numbers, which are the app’s', () => {
    const reached = { cap_name: 'day_by_country', retry_after: 7_200 } as const
    const counted = { because: 'counted' as const, country: 'GB', caps: [cap], excuse: null }
    assert.equal(
      toldOf({ rule: 'spend', outcome: 'refuse', facts: { ...counted, reached } }),
      'This would be more than what this app may spend in a day for GB (scope spend). Try again in 2 hours.',
    )
    const hour = { ...reached, cap_name: 'hour_unverified' } as const
    assert.equal(
      toldOf({ rule: 'spend', outcome: 'refuse', facts: { ...counted, reached: hour } }),
      'This would be more than what this app may spend in an hour on verifications that are not approved (scope spend). Try again in 2 hours.',
    )
    const repeated = { because: 'repeated', sends: 9, excuse: null, otherwise: 'refuse' } as const
    const told = toldOf({ rule: 'pumping', outcome: 'refuse', facts: { ...repeated, retry_after: 60 } })
    assert.match(told, /\(scope pumping\): try again in a minute, see the evidence with/)
    assert.doesNotMatch(told, /9/)
  })

  it('is told as it is said where it has nothing to hide', () => {
    const decided = { rule: 'cooldown', outcome: 'refuse', facts: { retry_after: 9 } } as const
    assert.equal(toldOf(decided), whyOf(decided))
  })
})
