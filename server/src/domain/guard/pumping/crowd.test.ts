import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hourMs, minuteMs, Play, spread } from '../../../../test/harness/play.ts'
import { placeOf } from './place.ts'

const hall = '81.2.69.142'

describe('a crowd behind one address', () => {
  /** Each asks once, in turn; those who are held ask again after the hold. Returns how many got no code in the end. */
  function leftOver(play: Play, people: readonly string[], everyMs: number, typedAfterMs = 20_000): number {
    const held = people.filter((number) => {
      play.wait(everyMs)
      const isSent = play.send(number, 'GB', hall)
      if (isSent) play.approveLater(number, typedAfterMs)
      return !isSent
    })
    play.wait(2 * minuteMs)
    const isOver = held.length === people.length || held.length === 0
    return isOver ? held.length : leftOver(play, held, everyMs, typedAfterMs)
  }

  it('waits for two minutes at most, if its people type their codes', () => {
    const play = new Play({ isSettled: true, declaredCountries: ['GB'], isStored: true })
    const startMs = play.nowMs
    assert.equal(leftOver(play, spread('+4474', 150, 8), 600), 0)
    assert.ok(play.nowMs - startMs < 10 * minuteMs)
  })

  it('is held once more and not closed, if they come faster than they type', () => {
    const play = new Play({ isSettled: true, declaredCountries: ['GB'], isStored: true })
    const startMs = play.nowMs
    assert.equal(leftOver(play, spread('+4474', 300, 8), 300, 50_000), 0)
    assert.ok(play.nowMs - startMs < 15 * minuteMs)
  })

  it('is held after a dozen messages and closed after one more, if nobody types a code', () => {
    const play = new Play({ isSettled: true, declaredCountries: ['GB'], isStored: true })
    const stops = spread('+4474', 60, 8).map((number) => {
      play.wait(5_000)
      return play.attempt(number, 'GB', hall)
    })
    assert.ok(stops.filter((stop) => stop === null).length <= 14)
    assert.deepEqual(
      [stops[20]?.isHold, stops.at(-1)?.isHold].map((isHold) => isHold ?? null),
      [true, false],
    )
  })

  it('is closed after one hold, if nobody types a code, also where the guard only watches', () => {
    const { pumping, nowMs: startMs } = new Play({ isSettled: true, declaredCountries: ['GB'] })
    const stops = spread('+4474', 600, 8).map((number, index) => {
      const nowMs = startMs + index * 300
      const place = placeOf({ appId: 'app', number, region: 'GB', ipKey: hall }, (prefix) => prefix)
      const circumstances = { isFlagged: false, declaredCountries: ['GB'], nowMs }
      const assessment = pumping.assess('app', number, place, circumstances)
      pumping.record('app', number, assessment, nowMs)
      return assessment.kind === 'verdict' ? assessment.verdict.stop : null
    })
    assert.equal(stops.at(-1)?.by.level, 'ip')
    assert.equal(stops.at(-1)?.isHold, false)
  })

  it('is not held where codes are used minutes later, as in a call centre, and most are', () => {
    const play = new Play({ isSettled: true, declaredCountries: ['GB'], isStored: true })
    const typedAfterMs = 8 * minuteMs
    // How long they take at this address is learnt from some hundreds of them.
    const learnt = 300
    for (const [index, number] of spread('+447', learnt + 100, 9).entries()) {
      play.wait(index < learnt ? 10 * minuteMs : 30_000)
      assert.equal(play.attempt(number, 'GB', hall), null, `caller ${index}`)
      if (index % 5 > 0) play.approveLater(number, typedAfterMs)
    }
  })

  it('has no more than a minute from codes that were typed before, if nobody types them any more', () => {
    const play = new Play({ isSettled: true, declaredCountries: ['GB'], isStored: true })
    const [first, then] = [spread('+4474', 12, 8), spread('+4475', 200, 8)]
    for (const number of first) {
      assert.ok(play.send(number, 'GB', hall))
      play.approve(number)
    }
    play.wait(minuteMs)
    const sent = then.filter((number) => {
      play.wait(1_000)
      return play.send(number, 'GB', hall)
    })
    assert.ok(sent.length < 90, String(sent.length))
  })
})

describe('a crowd in a country that is new to an app', () => {
  /** How many of a day's sends there went out. */
  function sent(play: Play, everyMs: number, typedOneOf: number): number {
    const numbers = spread('+99450', Math.min(3_000, (6 * hourMs) / everyMs), 7)
    return numbers.filter((number, index) => {
      play.wait(everyMs)
      const isSent = play.send(number)
      if (isSent && index % typedOneOf === 0) play.approveLater(number, 15_000)
      return isSent
    }).length
  }

  it('is stopped if it types every fifth code, where people type four of five', () => {
    const passed = sent(new Play({ isSettled: true }), 2_000, 5)
    assert.ok(passed < 600, String(passed))
  })

  it('is a poor market, if it is no larger than the app', () => {
    assert.equal(sent(new Play({ isSettled: true }), 10 * minuteMs, 5), 36)
  })
})
