import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hourMs, minuteMs, Play, passed, spread } from '../../../../../test/harness/play.ts'
import { noDebt } from '../debt/debt.ts'
import { learningMs, learningNumbers, longestTrial } from '../levels.ts'
import { Pumping } from '../pumping.ts'
import { advanceFit, countApproval, countScout, doubted } from './count-fit.ts'
import { fitsSinceMs, isLearning, noFit } from './fit.ts'
import { none } from './tally.ts'

const dayMs = 24 * hourMs
const home = (count: number, offset = 0) => spread('+4474', count + offset, 8).slice(offset)

/** Sends to as many people as end the learning, over so many days; this percentage of them uses the code. */
function live(play: Play, percent: number, days = 4, numbers = home(learningNumbers + 20)): void {
  for (const [index, number] of numbers.entries()) {
    assert.ok(play.send(number, 'GB'), `send ${index}`)
    if ((index * 37) % 100 < percent) play.approveLater(number, 20_000)
    play.wait((days * dayMs) / numbers.length)
  }
}

describe('what is normal for an app', () => {
  for (const percent of [20, 26, 37, 45, 60, 80])
    it(`holds nobody back where ${percent} % type their code, from the first send on`, () => {
      live(new Play({ isFresh: true }), percent, 5, home(3_000))
    })

  it('still stops what converts far below it', () => {
    for (const percent of [20, 45, 80]) {
      const play = new Play({ isFresh: true })
      live(play, percent, 5, home(3_000))
      const attack = spread('+99450', 1_000, 7).filter((number) => {
        play.wait(2_000)
        return play.send(number)
      })
      assert.ok(attack.length < 150, `${percent} %: ${attack.length}`)
    }
  })

  it('is what its people do at home, in an app of six new people a day too', () => {
    const play = new Play({ isFresh: true })
    live(play, 75, 14, home(80))
    const attack = spread('+4475', 360, 8).filter((number) => {
      play.wait(40_000)
      return play.send(number, 'GB')
    })
    assert.ok(attack.length < 150, `${attack.length}`)
  })

  it('is what the operator says, until the app has shown it', () => {
    const sent = (declaredConversion: number) => {
      const play = new Play({ declaredConversion, declaredCountries: ['GB'] })
      return home(400).filter((number) => {
        play.wait(30_000)
        return play.send(number, 'GB')
      }).length
    }
    assert.ok(sent(0.8) < sent(0.2), `${sent(0.8)} ${sent(0.2)}`)
  })
})

describe('a guard that does not fit', () => {
  const seen = (numbers: number, approved: number) => {
    let fit = advanceFit({ ...noFit, strangers: { numbers: 1_000, approved: 500 }, learntAtMs: 1 }, dayMs)
    for (let count = 0; count < numbers; count++) fit = countScout(fit)
    const sent = {
      place: { region: 'GB' },
      atMs: dayMs,
      isKnown: false,
      isHome: true,
      isScout: true,
      isNarrow: false,
      isApart: true,
      isSimulated: false,
    }
    for (let count = 0; count < approved; count++) fit = countApproval(fit, sent)
    return fit
  }

  /** Four of five people of the app use their codes. Those whom it held were people too, as it has just found. */
  const learningAnew = (atMs: number) => {
    const misfit = { by: 'passed', numbers: 20, approved: 18, expected: 0.8 } as const
    const strangers = { numbers: 4_000, approved: 3_300 }
    const fit = { ...noFit, atMs, sinceMs: atMs - 30 * dayMs, strangers, misfitAtMs: atMs, misfit }
    const trial = { name: ' trial/', debt: { ...noDebt, numbers: longestTrial } }
    return new Pumping({ debts: [trial], fits: [{ appId: 'app', fit }], acquaintances: [], approvals: [] })
  }

  it('learns anew when those whom it let through closed places type their codes as people do', () => {
    const fit = seen(20, 9)
    assert.ok(isLearning(fit, false, dayMs))
    assert.equal(isLearning(fit, false, 5 * dayMs), false)
  })

  for (const [share, then] of [
    [3, 'learns anew when most of those whom it sent another way are approved there'],
    [0, 'goes on when none of them is'],
  ] as const) {
    it(then, () => {
      const play = new Play({ isSettled: true, hasLink: true })
      const numbers = spread('+99450', 48, 7)
      passed(play, numbers.slice(0, 18))
      for (const [index, number] of numbers.slice(18).entries()) {
        play.wait(minuteMs)
        if (!play.send(number) && index % 4 < share) play.approve(number)
      }
      assert.equal(play.send('+994501234567'), share > 0)
    })
  }

  for (const [every, most, what] of [
    [0, 100, 'closes a country, while it learns anew, of which nobody uses a code'],
    [20, 150, 'closes a country, while it learns anew, of which one in twenty uses the code'],
    [2, 400, 'holds nobody back, while it learns anew, where every second uses the code'],
  ] as const)
    it(what, () => {
      const play = new Play()
      play.pumping = learningAnew(play.nowMs)
      const sent = spread('+99450', 400, 7).filter((number, index) => {
        play.wait(2_000)
        if (every > 0 && index % every === 0) play.approveLater(number, 20_000)
        return play.send(number)
      })
      assert.ok(every === 2 ? sent.length === most : sent.length < most, String(sent.length))
    })

  it('stays as it is while they do not', () => {
    assert.equal(isLearning(seen(40, 8), false, dayMs), false)
    assert.equal(isLearning(seen(10, 9), false, dayMs), false)
  })
})

describe('a guard that has refused people', () => {
  /** An app where half of the new people type the code. */
  const usual = advanceFit(
    {
      ...noFit,
      strangers: { numbers: 1_000, approved: 500 },
      scouts: { numbers: 3, approved: 1 },
      learntAtMs: 1,
    },
    dayMs,
  )

  for (const [what, people, approvedLater, used, unseen, isMisfit] of [
    ['twenty, of whom nine came back and typed their code', 20, 9, 9, 0, false],
    ['fifty, of whom twenty did', 50, 20, 20, 0, true],
    ['fifty-five, of whom twenty did, which may be chance', 55, 20, 20, 0, false],
    ['nineteen, who all came back', 19, 19, 19, 0, false],
    ['twenty, who all came back', 20, 20, 20, 0, true],
    ['two hundred, of whom a third came back', 200, 66, 66, 0, false],
    ['two hundred, of whom two fifths did', 200, 80, 80, 0, true],
    ['an attack, and twenty people of whom all came back', 500, 20, 20, 0, false],
    ['an attack of which nobody typed a code', 500, 0, 0, 0, false],
    ['thirty numbers that each type one of three codes', 30, 30, 10, 0, false],
    ['thirty numbers, of which ten type one code of many', 30, 10, 1, 0, false],
    ['a flood, of which the few who show all came back', 40, 40, 40, 400, false],
    ['so few who do not show that they change nothing', 40, 40, 40, 20, true],
    ['none who show', 0, 0, 0, 30, false],
  ] as const) {
    it(`${isMisfit ? 'learns anew' : 'goes on'} after ${what}`, () => {
      const fit = doubted(usual, { people, approvedLater, used, unseen })
      if (!isMisfit) {
        assert.equal(fit, usual)
        return
      }
      assert.deepEqual([fit.learntAtMs, fit.misfitAtMs, fit.scouts], [0, dayMs, none])
      const expected = fit.misfit?.expected ?? 0
      assert.deepEqual(fit.misfit, { by: 'refused', numbers: people, approved: approvedLater, expected })
      assert.ok(expected > 0.47 && expected < 0.5, String(expected))
      assert.ok(isLearning(fit, false, dayMs))
    })
  }

  it('counts nobody who was refused before it last began to act', () => {
    const sinceMs = 2 * dayMs
    assert.equal(fitsSinceMs({ ...noFit, sinceMs }), sinceMs)
    assert.equal(fitsSinceMs({ ...noFit, sinceMs, learntAtMs: 5 * dayMs }), 5 * dayMs)
    assert.equal(fitsSinceMs({ ...noFit, sinceMs, misfitAtMs: 6 * dayMs }), 6 * dayMs + learningMs)
    const learntAgain = { ...noFit, sinceMs, misfitAtMs: 6 * dayMs, learntAtMs: 12 * dayMs }
    assert.equal(fitsSinceMs(learntAgain), 12 * dayMs)
  })
})

describe('an app that learns', () => {
  it('holds nobody back by carrier or country while some type their code, and says where it would have', () => {
    const play = new Play({ learns: true, isFresh: true })
    live(play, 50, 0.1, home(20))
    const numbers = spread('+99450', 300, 7)
    assert.equal(passed(play, numbers), numbers.length)
    assert.ok(play.watched?.by.level === 'carrier' || play.watched?.by.level === 'country')
  })

  it('holds nobody back though hardly anybody uses the code, for weeks', () => {
    live(new Play({ learns: true, isFresh: true }), 5, 20, home(600))
  })

  it('closes a country where after dozens of messages nobody has ever typed a code', () => {
    const play = new Play({ learns: true, isFresh: true })
    const sent = spread('+99450', 300, 7).filter((number) => {
      play.wait(20_000)
      return play.send(number)
    })
    assert.ok(sent.length > 30 && sent.length < 80, String(sent.length))
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

  it('has learnt after two hundred numbers and three days, however many of its people type the code', () => {
    for (const percent of [20, 60]) {
      const play = new Play({ learns: true, isFresh: true })
      live(play, percent, 4, home(2 * learningNumbers))
      const sent = spread('+99450', 600, 7).filter((number) => {
        play.wait(5_000)
        return play.send(number)
      })
      assert.ok(sent.length < 150, `${percent} %: ${sent.length}`)
    }
  })

  it('has not learnt while it is younger than three days, or fewer than one in ten types the code', () => {
    const young = new Play({ learns: true, isFresh: true })
    live(young, 60, 2)
    assert.equal(passed(young, spread('+99450', 100, 7)), 100)
    const poor = new Play({ learns: true, isFresh: true })
    live(poor, 5)
    assert.equal(passed(poor, spread('+99450', 100, 7)), 100)
  })

  it('begins anew with the first message that the simulator does not carry, and learns of no other since', () => {
    const play = new Play({ learns: true, isFresh: true })
    play.isSimulated = true
    live(play, 100, 4, home(2 * learningNumbers))
    play.isSimulated = false
    live(play, 50, 0.1, home(20, 2 * learningNumbers))
    play.isSimulated = true
    live(play, 100, 4, home(2 * learningNumbers, 3 * learningNumbers))
    play.isSimulated = false
    const attack = spread('+99450', 100, 7)
    assert.equal(passed(play, attack), attack.length)
    const { numbers, approved } = play.pumping.changedFits()[0]?.fit.strangers ?? none
    assert.ok(numbers > 110 && numbers <= 120, String(numbers))
    assert.ok(approved > 5 && approved <= 11, String(approved))
  })

  it('closes nothing, once it has learnt, for what was owed before', () => {
    const play = new Play({ learns: true, isFresh: true })
    live(play, 70, 2.9, home(2 * learningNumbers))
    for (const number of spread('+99450', 60, 7)) assert.ok(play.send(number))
    live(play, 70, 0.15, home(10, 2 * learningNumbers))
    play.wait(minuteMs)
    // A place that owed its threshold would let one through, as the last.
    assert.equal(passed(play, ['+994509999999', '+994518888888', '+994507777777']), 3)
    assert.equal(play.watched, null)
  })

  it('still learns after an attack in its first days, once people come again', () => {
    const play = new Play({ learns: true, isFresh: true })
    live(play, 70, 0.2, home(20))
    passed(play, spread('+99450', 2_000, 7))
    live(play, 70, 6, home(4 * learningNumbers, 20))
    const sent = spread('+99890', 600, 7).filter((number) => {
      play.wait(5_000)
      return play.send(number, 'UZ')
    })
    assert.ok(sent.length < 200, String(sent.length))
  })
})
