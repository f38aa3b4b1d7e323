import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { charge, noDebt } from '../debt/debt.ts'
import type { Level } from '../levels.ts'
import { placeOf } from '../place.ts'
import { Book } from './book.ts'
import { isOnlyWatched } from './judge.ts'
import { heldByPair } from './pair.ts'
import type { Situation } from './situation.ts'

const nowMs = 1_800_000_000_000
const number = '+447400123456'
const place = placeOf({ appId: 'app', number, region: 'GB', ipKey: null }, (prefix) => prefix)
const rangeOf = (level: Level) =>
  place.ranges.find((key) => key.level === level) ?? assert.fail(`there is no ${level}`)
const [hundred, tenThousand] = [rangeOf('r100'), rangeOf('r10k')]

describe('while unfamiliar places are attacked', () => {
  /** Somebody in the same ten thousand numbers has a code and has not used it yet. */
  function isHeld({
    situation = {},
    range = {},
    owed = 10,
    isNear = false,
  }: {
    situation?: Partial<Situation>
    range?: object
    owed?: number
    isNear?: boolean
  }): boolean {
    const book = new Book(new Map(), nowMs)
    book.put(place.unfamiliar, { ...noDebt, atMs: nowMs, debt: owed })
    book.put(tenThousand, { ...charge({ ...noDebt, atMs: nowMs }, nowMs, 1, 0), ...range })
    if (isNear) book.put(hundred, charge({ ...noDebt, atMs: nowMs }, nowMs, 1, 0))
    const circumstances = { isFlagged: false, declaredCountries: [], nowMs }
    const usual = { place, isHome: true, isKnown: false, isLearning: false, isOnTrial: false, circumstances }
    return heldByPair(book, { ...usual, ...situation } as Situation) !== null
  }

  it('a range at home is held before the second of a pair', () => {
    assert.ok(isHeld({}))
    assert.ok(!isHeld({ owed: 0 }), 'nothing is attacked')
    assert.ok(!isHeld({ isNear: true }), 'it may be a family')
  })

  it('a range is not held that somebody has lifted, or in which a code was used', () => {
    assert.ok(!isHeld({ range: { liftedUntilMs: nowMs + 1 } }))
    assert.ok(!isHeld({ range: { approved: 1 } }))
  })

  it('nobody is held by it who was verified before, in an app that learns or tries, or abroad', () => {
    for (const situation of [{ isKnown: true }, { isLearning: true }, { isOnTrial: true }, { isHome: false }])
      assert.ok(!isHeld({ situation }), JSON.stringify(situation))
  })
})

it('a place keeps the name by which it was decided on, also when an approval without names is booked', () => {
  const book = new Book(new Map(), nowMs)
  const { country } = place.home
  book.put(country, noDebt)
  book.put({ ...country, label: '' }, noDebt)
  assert.deepEqual(
    book.takeChanged().map(({ key }) => key.label),
    ['GB'],
  )
})

it('until anybody has typed a code, a carrier or country is closed and no range of ten thousand', () => {
  const unproven = { isLearning: true, isUnproven: true, expectedAgain: null }
  const seen = (level: 'r10k' | 'carrier' | 'country', approved = 0) =>
    isOnlyWatched({ level }, { numbers: 60, approved }, unproven)
  assert.deepEqual([seen('r10k'), seen('carrier'), seen('country')], [true, false, false])
  assert.ok(seen('carrier', 1))
})
