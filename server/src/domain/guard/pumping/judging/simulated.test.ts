import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { minuteMs, Play, passed, spread } from '../../../../../test/harness/play.ts'

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
})
