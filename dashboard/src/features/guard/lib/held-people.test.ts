import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { HeldPeopleAnswer } from '@countersign/contract'
import { heldInWords, heldRange, wereMostlyPeople } from './held-people.ts'

const held = (
  held_sends: number,
  people: number,
  approved_later: number,
  is_complete = true,
): HeldPeopleAnswer => ({ from: '', to: '', held_sends, people, approved_later, is_complete })

describe('whom the guard held back', () => {
  for (const [figures, words] of [
    [held(0, 0, 0), 'Yesterday nobody was held back.'],
    [
      held(41, 12, 9),
      'Yesterday 41 messages to 12 numbers were held back. 9 of them were verified later or another way: they belong to people.',
    ],
    [
      held(41, 12, 1),
      'Yesterday 41 messages to 12 numbers were held back. 1 of them was verified later or another way: it belongs to a person.',
    ],
    [
      held(12, 12, 12),
      'Yesterday 12 messages to 12 numbers were held back. All of them were verified later or another way: they belong to people.',
    ],
    [
      held(1, 1, 1),
      'Yesterday 1 message to 1 number was held back. It was verified later or another way: it belongs to a person.',
    ],
    [
      held(7_200, 6_950, 0),
      'Yesterday 7,200 messages to 6,950 numbers were held back. None of them has been verified since.',
    ],
    [
      held(90_000, 2_000, 20, false),
      'Yesterday 90,000 messages to at least 2,000 numbers were held back. 20 of those that are known were verified later or another way: they belong to people.',
    ],
    [held(3, 0, 0), 'Yesterday 3 messages were held back. The recipients are no longer stored.'],
  ] as const)
    it(`is said: ${words}`, () => assert.equal(heldInWords('yesterday', figures), words))

  it('were mostly people where more than half were verified', () => {
    assert.equal(wereMostlyPeople(held(41, 12, 7)), true)
    for (const figures of [held(41, 12, 6), held(3, 0, 0), held(0, 0, 0)])
      assert.equal(wereMostlyPeople(figures), false)
  })

  it('is asked for by whole days of UTC, as the service counts them', () => {
    const now = Date.parse('2026-11-16T12:34:56Z')
    const day = (date: string) => `2026-${date}T00:00:00.000Z`
    assert.deepEqual(heldRange('today', now), { from: day('11-16'), to: day('11-17') })
    assert.deepEqual(heldRange('yesterday', now), { from: day('11-15'), to: day('11-16') })
    assert.deepEqual(heldRange('7d', now), { from: day('11-10'), to: day('11-17') })
    assert.deepEqual(heldRange('30d', now), { from: day('10-18'), to: day('11-17') })
  })
})
