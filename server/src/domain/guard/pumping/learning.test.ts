import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hourMs, minuteMs, Play, passed, spread } from '../../../../test/harness/play.ts'
import { decodeDebt, encodeDebt } from './codec.ts'
import { noDebt } from './debt.ts'
import { countLearning, learningMs, learningNumbers, learntAtMs } from './learning.ts'

const dayMs = 24 * hourMs
const home = (count: number, offset = 0) => spread('+4474', count + offset, 8).slice(offset)

/** As many people as end the learning, of whom this share of hundred uses the code, over so many days. */
function live(play: Play, percent: number, days = 4, numbers = home(learningNumbers + 1)): void {
  for (const [index, number] of numbers.entries()) {
    assert.ok(play.send(number, 'GB'), `send ${index}`)
    if ((index * 37) % 100 < percent) play.approveLater(number, 20_000)
    play.wait((days * dayMs) / numbers.length)
  }
}

describe('an app that learns', () => {
  it('holds nobody back by carrier, country or unfamiliarity, and says where it would have', () => {
    const play = new Play({ learns: true, isFresh: true })
    const numbers = spread('+99450', 300, 7)
    assert.equal(passed(play, numbers), numbers.length)
    assert.equal(play.watched?.by.level, 'carrier')
  })

  it('holds nobody back though hardly anybody uses the code, for weeks', () => {
    const play = new Play({ learns: true, isFresh: true })
    live(play, 5, 20, home(600))
  })

  it('closes a row of numbers, a small range and an address from which nobody uses the code', () => {
    const sequence = Array.from({ length: 200 }, (_, index) => `+99450311${String(index + 1_000)}`)
    const sequential = passed(new Play({ learns: true }), sequence)
    assert.ok(sequential <= 20, String(sequential))
    assert.equal(passed(new Play({ learns: true }), spread('+9945031122', 40, 2)), 8)
    const play = new Play({ learns: true })
    const sent = spread('+99450', 60, 7).filter((number) => play.send(number, 'AZ', '81.2.69.142'))
    assert.equal(sent.length, 12)
  })

  it('does not close a small range earlier because its carrier owes much', () => {
    const play = new Play({ learns: true })
    passed(play, spread('+99450', 200, 7))
    assert.equal(passed(play, spread('+9945031122', 40, 2)), 8)
  })

  it('has learnt with enough numbers and approvals over three days: then it holds back like any other', () => {
    const play = new Play({ learns: true, isFresh: true })
    live(play, 60)
    assert.equal(passed(play, spread('+99450', 300, 7)), 20)
  })

  it('has not learnt while it is younger than three days, or too few are approved', () => {
    const young = new Play({ learns: true, isFresh: true })
    live(young, 60, 2)
    assert.equal(passed(young, spread('+99450', 100, 7)), 100)
    const poor = new Play({ learns: true, isFresh: true })
    live(poor, 30)
    assert.equal(passed(poor, spread('+99450', 100, 7)), 100)
  })

  it('closes nothing, once it has learnt, for what was owed before', () => {
    const play = new Play({ learns: true, isFresh: true })
    for (const number of spread('+99450', 60, 7)) assert.ok(play.send(number))
    live(play, 70, 4, home(2 * learningNumbers))
    play.wait(minuteMs)
    assert.ok(play.send('+994509999999'))
    assert.equal(play.watched, null)
  })

  it('still learns after an attack in its first days, once people come again', () => {
    const play = new Play({ learns: true, isFresh: true })
    passed(play, spread('+99450', 5_000, 7))
    live(play, 70, 4, home(4 * learningNumbers))
    assert.ok(passed(play, spread('+99890', 300, 7), 'UZ') < 50)
  })

  it('does not learn again, whatever comes', () => {
    let state = { ...noDebt, atMs: 1 }
    for (let index = 0; index < learningNumbers; index++) {
      const counted = countLearning(state, 1 + index * (learningMs / (learningNumbers - 1)))
      state = { ...counted, approved: counted.approved + 1 }
    }
    const endedAtMs = learntAtMs(state)
    assert.ok(endedAtMs > learningMs)
    assert.equal(learntAtMs(decodeDebt(encodeDebt('learning', state))), endedAtMs)
  })
})
