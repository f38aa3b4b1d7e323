import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sayDaysLeft, sayHeld, sayLate, sayRoom, sayWaiting } from './words.ts'

describe('a sentence with a number', () => {
  const waiting = (count: number) => ({ count, ageSeconds: count * 90 })
  const sentences: readonly ((number: number) => string)[] = [
    sayRoom,
    sayWaiting,
    sayDaysLeft,
    (number) => sayLate(waiting(number)),
    (number) => sayHeld(number, waiting(number)),
  ]
  const ofMany = /\b1 (?:more |other )?(?:days|messages|others|are|have|wait|stay)\b/
  const ofOne = /\b[02] (?:more )?(?:day|message|other|is|has|waits|stays)\b/

  it('says of one what is said of one, and of none and of two what is said of many', () => {
    for (const say of sentences) {
      assert.doesNotMatch(say(1), ofMany)
      for (const number of [0, 2]) assert.doesNotMatch(say(number), ofOne)
    }
    assert.equal(sayRoom(1), 'There is room for 1 more day')
    assert.equal(sayLate(waiting(1)), '1 message waits, for 2 minutes.')
    assert.equal(
      sayHeld(1, waiting(2)),
      '1 is held for paused endpoints; 2 others wait, the oldest for 3 minutes.',
    )
    assert.equal(sayRoom(-3), 'There is room for 0 more days')
  })
})
