import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { minuteMs, Play, passed, spread } from '../../../../../test/harness/play.ts'
import { noDebt } from '../debt/debt.ts'
import { placeOf } from '../place.ts'
import { Book } from './book.ts'
import { countsIn, forgetTests } from './simulated.ts'

const office = '81.2.69.142'
const test = spread('+99450', 60, 7)
const people = spread('+99451', 5, 7)

function loadTest(play: Play, app?: string): void {
  play.isSimulated = true
  const sent = test.filter((number) => play.send(number, 'AZ', office, app))
  assert.ok(sent.length < test.length / 2, `${sent.length} of ${test.length}`)
  play.wait(minuteMs)
  play.isSimulated = false
}

describe('a load test over the simulator', () => {
  for (const isStored of [false, true])
    it(`closes no address and no country to people afterwards${isStored ? ', as stored' : ''}`, () => {
      const play = new Play({ isStored })
      loadTest(play)
      for (const number of people) assert.equal(play.attempt(number, 'AZ', office), null, number)
    })

  it('closes nothing to people of another app of the company', () => {
    const play = new Play({ isSettled: true })
    loadTest(play, 'staging')
    for (const number of people) assert.equal(play.attempt(number, 'AZ', office), null, number)
  })

  it('does not use up the numbers that a new company may try with a carrier', () => {
    const play = new Play({ isFresh: true })
    loadTest(play)
    assert.equal(passed(play, spread('+99455', 15, 7)), 15)
  })

  it('is not charged to a place that real messages were sent to, and pays nothing back there', () => {
    const play = new Play({ isSettled: true })
    assert.ok(passed(play, spread('+99450', 40, 7)) < 40)
    play.wait(25 * minuteMs)
    play.isSimulated = true
    const [tester = '', ...others] = spread('+99455', 3, 7)
    assert.ok(play.send(tester))
    play.approve(tester)
    play.isSimulated = false
    // The scout is still to go, and it is the only one.
    assert.deepEqual(
      others.map((number) => play.send(number)),
      [true, false],
    )
  })

  it('is forgotten in every place, except that somebody has lifted a block there', () => {
    const nowMs = 1_800_000_000_000
    const place = placeOf(
      { appId: 'app', number: people[0] ?? '', region: 'AZ', ipKey: office },
      (prefix) => prefix,
    )
    const { ranges, ip, trial, unfamiliar, home, abroad, known } = place
    const parents = [home, abroad, known].flatMap(({ carrier, country }) => [carrier, country])
    const keys = [...ranges, ...(ip ? [ip] : []), trial, unfamiliar, ...parents]
    const book = new Book(new Map(), nowMs)
    const left = { ...noDebt, atMs: nowMs, debt: 3, isSimulated: true, liftedUntilMs: nowMs + minuteMs }
    for (const key of keys) book.put(key, left)
    forgetTests(book, place, nowMs)
    for (const key of keys)
      assert.deepEqual(
        book.at(key, nowMs),
        { ...noDebt, atMs: nowMs, liftedUntilMs: nowMs + minuteMs },
        key.name,
      )
  })

  it('counts where nothing real was ever charged, not where that was long ago', () => {
    assert.ok(countsIn(noDebt, true))
    assert.ok(!countsIn({ ...noDebt, usualNumbers: 5 }, true))
  })
})
