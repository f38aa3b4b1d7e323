import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hourMs, minuteMs, Play, spread } from '../../../../../test/harness/play.ts'
import { countApproval } from './count-fit.ts'
import { noFit } from './fit.ts'
import { busynessAt, countInHours, type Hours, noHours } from './hours.ts'

const dayMs = 24 * hourMs
const firstMs = 20_000 * dayMs
const morningMs = 7 * hourMs

/** Codes used on one day: `each` in every half hour from one hour to the other. */
function used(before: Hours, day: number, each: number, fromHour = 0, toHour = 24): Hours {
  let hours = before
  for (let atMs = fromHour * hourMs; atMs < toHour * hourMs; atMs += 30 * minuteMs)
    for (let count = 0; count < each; count++)
      hours = countInHours(hours, firstMs + day * dayMs + atMs + (count * 29 * minuteMs) / each)
  return hours
}
const days = (count: number, usedOn: (hours: Hours, day: number) => Hours) =>
  Array.from({ length: count }, (_, day) => day).reduce(usedOn, noHours)
const busyness = (hours: Hours, day: number, hour: number) =>
  busynessAt(hours, firstMs + day * dayMs + hour * hourMs)

describe('the time of the day', () => {
  it('explains as many people as come at that time every day, and ten minutes around it', () => {
    const hours = used(
      days(14, (before, day) => used(before, day, 300, 7, 8)),
      14,
      1,
    )
    assert.ok(busyness(hours, 14, 7.25) > 20 && busyness(hours, 14, 7.25) < 24)
    assert.equal(busyness(hours, 14, 8.1), busyness(hours, 14, 7.25))
    assert.equal(busyness(hours, 14, 8.25), 1)
    assert.equal(busyness(hours, 14, 6.75), 1)
  })

  it('explains nothing after one day, and after three hardly less than after two weeks', () => {
    const after = (count: number) =>
      busyness(
        used(
          days(count, (before, day) => used(before, day, 300, 7, 8)),
          count,
          1,
          0,
          1,
        ),
        count,
        7.25,
      )
    assert.equal(after(1), 1)
    assert.ok(after(3) > 0.8 * after(14))
  })

  it('explains nobody where people come all day', () => {
    const hours = used(
      days(14, (before, day) => used(used(before, day, 5, 0, 10), day, 9, 10, 24)),
      14,
      1,
      0,
      1,
    )
    for (let hour = 0; hour < 24; hour += 0.5) assert.equal(busyness(hours, 14, hour), 1)
  })

  it('explains no crowd that came on one day only, however large', () => {
    const usual = days(14, (before, day) => used(before, day, 6))
    const hours = used(used(usual, 14, 5_000, 3, 3.5), 15, 6)
    assert.equal(busyness(hours, 15, 3.25), 1)
  })

  it('is not forgotten over quiet weekends, on which some come', () => {
    const hours = days(15, (before, day) => used(before, day, day % 7 < 5 ? 300 : 20, 7, 8))
    const monday = used(hours, 15, 1, 0, 1)
    // On average over all days fewer come than on a working day, and that many more times as many in the morning.
    assert.ok(busyness(monday, 15, 7.25) > 24)
  })

  it('is learnt anew after a long pause', () => {
    const hours = days(14, (before, day) => used(before, day, 300, 7, 8))
    assert.equal(busyness(used(hours, 40, 1), 40, 7.25), 1)
  })

  it('is not learnt from tests over the simulator beside real messages', () => {
    const sent = {
      place: { region: 'GB' },
      atMs: firstMs,
      isKnown: true,
      isHome: true,
      isScout: false,
      isNarrow: false,
      isApart: true,
    }
    const fit = { ...noFit, atMs: firstMs }
    assert.deepEqual(countApproval(fit, { ...sent, isSimulated: true }).hours, noHours)
    assert.notDeepEqual(countApproval(fit, { ...sent, isSimulated: false }).hours, noHours)
  })
})

describe('people who all come at the same time of the day', () => {
  const people = spread('+447', 400, 9)
  /** All of them within half an hour, each `every`-th without using the code. Returns how many were held. */
  function held(play: Play, every: number): number {
    return people.filter((number, index) => {
      play.wait((30 * minuteMs) / people.length)
      const isSent = play.send(number, 'GB')
      if (isSent && index % every > 0) play.approveLater(number, 20_000)
      return !isSent
    }).length
  }
  /** Five days on which they use nearly all codes, up to the time of the next. */
  function learnt(): Play {
    const play = new Play({ declaredCountries: ['GB'] })
    play.wait(morningMs)
    for (let day = 0; day < 5; day++) {
      assert.equal(held(play, 20), 0)
      play.wait(dayMs - 30 * minuteMs)
    }
    return play
  }

  it('are not held in a morning on which every second code is lost', () => {
    assert.equal(held(learnt(), 2), 0)
  })

  it('are held if they ask at another time and use none', () => {
    const play = learnt()
    play.wait(8 * hourMs)
    assert.ok(held(play, 1) > people.length / 2)
  })

  it('are held if far more than ever ask at their time and use none', () => {
    const play = learnt()
    const stopped = spread('+4477', 3_000, 8).filter((number) => {
      play.wait((30 * minuteMs) / 3_000)
      return !play.send(number, 'GB')
    })
    assert.ok(stopped.length > 2_500, String(stopped.length))
  })
})
