/** What is known of a country where the app has its people: how many codes are used there, and how soon. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { hourMs, minuteMs, Play, spread } from '../../../../../test/harness/play.ts'

const carriers = ['740', '741', '742', '743', '746', '747', '751', '753', '754', '755', '771', '772', '773']
const numbers = spread('', 20_000, 7).map((tail, index) => `+44${carriers[index % carriers.length]}${tail}`)
const everyMs = 5 * minuteMs
const secondsToUse = [8, 14, 19, 24, 31, 47]

/** Three days with people of the app's own country, of whom three in four use their code. */
function settled(): { play: Play; next: () => string } {
  const play = new Play()
  let index = 0
  const next = () => numbers[index++] ?? ''
  for (let time = 0; time < 72 * hourMs; time += everyMs) person(play, next(), index)
  return { play, next }
}

function person(play: Play, number: string, index: number, restMs = everyMs): boolean {
  const isSent = play.send(number, 'GB')
  if (isSent && index % 4 !== 0) play.approveLater(number, (secondsToUse[index % 6] ?? 0) * 1000)
  play.wait(restMs)
  return isSent
}

/** Sends thirty messages a minute, whose codes are never used, until the first is stopped. */
function attackUntilStopped(
  play: Play,
  next: () => string,
): { sent: number; seconds: number; level: string } {
  const startMs = play.nowMs
  for (let sent = 0; sent < 500; sent++) {
    const stop = play.attempt(next(), 'GB')
    if (stop) return { sent, seconds: (play.nowMs - startMs) / 1000, level: stop.level }
    play.wait(2_000)
  }
  throw new Error('never stopped')
}

describe('a country where the app has its people', () => {
  let home: ReturnType<typeof settled>
  before(() => {
    home = settled()
  })

  it('is held within a minute and a half when thirty numbers a minute use no code', () => {
    const { seconds, level } = attackUntilStopped(home.play, home.next)
    assert.ok(seconds <= 90, String(seconds))
    assert.equal(level, 'country')
  })

  it('is blocked by the first send after the hold, if others asked meanwhile and no code was used', () => {
    for (let asked = 0; asked < 59; asked++) {
      assert.equal(home.play.send(home.next(), 'GB'), false, `the one after ${asked}`)
      home.play.wait(2_000)
    }
    const { sent } = attackUntilStopped(home.play, home.next)
    assert.ok(sent <= 1, String(sent))
    const stop = home.play.attempt(home.next(), 'GB')
    assert.ok(stop && !stop.isHold)
  })

  it('stays blocked, but for scouts now and then, while the attack lasts', () => {
    let sent = 0
    for (let count = 0; count < 3_600; count++) {
      if (home.play.send(home.next(), 'GB')) sent++
      home.play.wait(2_000)
    }
    assert.ok(sent <= 20, String(sent))
  })

  it('is open again soon after the attack, for its people use their codes', () => {
    const hour = Array.from({ length: 60 }, (_, index) => person(home.play, home.next(), index, minuteMs))
    assert.ok(hour.slice(40).every(Boolean), hour.map(Number).join(''))
  })

  it('is never held because many come at once who use their codes', () => {
    const { play, next } = settled()
    for (let count = 0; count < 600; count++) assert.ok(person(play, next(), count, 500), `person ${count}`)
  })

  it('keeps its other carriers open when one of them is attacked', () => {
    const { play, next } = settled()
    let index = 0
    const tail = () => String((index++ * 7_907_919 + 5_003) % 10_000_000).padStart(7, '0')
    const { seconds, level } = attackUntilStopped(play, () => `+44740${tail()}`)
    assert.equal(level, 'carrier')
    assert.ok(seconds <= 60, String(seconds))
    for (let count = 0; count < 200; count++) {
      play.send(`+44740${tail()}`, 'GB')
      const number = next()
      if (number.startsWith('+44740')) continue
      assert.ok(person(play, number, count, 3_000), `person ${count}`)
    }
  })
})

describe('several countries where the app has its people', () => {
  const germans = spread('+4915', 20_000, 9)
  const two = (play: Play, index: number, isUsed: boolean) =>
    [
      [numbers[index], 'GB'],
      [germans[index], 'DE'],
    ].map(([number = '', region = '']) => {
      const isSent = play.send(number, region)
      if (isSent && isUsed) play.approveLater(number, (secondsToUse[index % 6] ?? 0) * 1000)
      return isSent
    })

  it('may have a crowd all at once, of which half give up', () => {
    const play = new Play()
    let index = 0
    for (let time = 0; time < 72 * hourMs; time += everyMs, index++) {
      two(play, index, index % 4 !== 0)
      play.wait(everyMs)
    }
    for (let count = 0; count < 1_200; count++, index++) {
      assert.deepEqual(two(play, index, count % 8 < 3), [true, true], `the ${count}th of each`)
      play.wait(1_000)
    }
  })
})

describe('a country that is held because codes are missing', () => {
  it('is open after the hold if nobody asked meanwhile', () => {
    const { play, next } = settled()
    attackUntilStopped(play, next)
    play.wait(2 * minuteMs)
    for (let index = 1; index <= 10; index++)
      assert.ok(person(play, next(), index, 30_000), `person ${index}`)
  })
})

describe('a carrier at home that is attacked in some of its ranges', () => {
  it('lets people of its other ranges through, once the ranges of the attack are known', () => {
    const { play } = settled()
    const ranges = spread('+44740', 40, 3)
    const attack = () => {
      for (let count = 0; count < 15; count++) {
        const range = ranges[(play.nowMs / 2_000 + count * 7) % ranges.length]
        play.send(`${range}${String((play.nowMs / 1_000 + count * 613) % 10_000).padStart(4, '0')}`, 'GB')
        play.wait(2_000)
      }
    }
    for (let count = 0; count < 60; count++) attack()
    const people = spread('+447405', 12, 6).filter(
      (number) => !ranges.some((range) => number.startsWith(range)),
    )
    const served = people.filter((number) => {
      for (let count = 0; count < 40; count++) attack()
      const isSent = play.send(number, 'GB')
      if (isSent) play.approveLater(number, 20_000)
      return isSent
    })
    assert.ok(
      people.length >= 8 && served.length >= people.length - 2,
      `${served.length} of ${people.length}`,
    )
  })
})

describe('a range of ten thousand numbers at home', () => {
  it('is held for the second stranger within a minute, and only while unfamiliar places are attacked', () => {
    const { play } = settled()
    const tries = (range: string) =>
      ['0011', '4711', '8155'].map((tail) => {
        play.wait(2_000)
        return play.send(`+44${range}${tail}`, 'GB')
      })
    assert.deepEqual(tries('740777'), [true, true, true])
    for (const tail of spread('', 40, 7)) {
      play.send(`+99450${tail}`, 'AZ')
      play.send(`+99890${tail}`, 'UZ')
    }
    assert.deepEqual(tries('741777'), [true, false, false])
    play.wait(2 * minuteMs)
    assert.ok(play.send('+447417774711', 'GB'), 'who comes back')
  })
})

describe('a small carrier at home that is attacked in all its prefixes', () => {
  it('is closed as a whole, and none of the prefixes', () => {
    const { play } = settled()
    const ranges = ['74409', '75588', '77000', '78722', '79245', '79782', '79783']
    let index = 0
    const next = () => `+44${ranges[index % 7]}${String(10_000 + index++ * 7_919).slice(-5)}`
    const { level, sent } = attackUntilStopped(play, next)
    assert.deepEqual({ level, isSoon: sent < 60 }, { level: 'carrier', isSoon: true })
    for (let count = 0; count < 300; count++) {
      play.send(next(), 'GB')
      play.wait(2_000)
    }
    assert.ok(ranges.every((range) => !play.send(`+44${range}99999`, 'GB')))
    assert.ok(ranges.every((range) => play.send(`+44${range.slice(0, 3)}3400000`, 'GB')))
  })
})

describe('a country that is new to the app', () => {
  it('is not held to an attack on others, once some of its people have used their codes', () => {
    const play = new Play()
    const people = spread('+52551', 100, 7)
    for (const [index, number] of people.slice(0, 6).entries()) {
      assert.ok(play.send(number, 'MX'))
      if (index % 3 !== 2) play.approveLater(number, 20_000)
      play.wait(minuteMs)
    }
    for (const [index, tail] of spread('', 60, 7).entries()) {
      play.send(index % 2 === 0 ? `+99450${tail}` : `+99890${tail}`, index % 2 === 0 ? 'AZ' : 'UZ')
      play.wait(2_000)
    }
    assert.equal(play.send('+994501234567', 'AZ'), false)
    for (const [index, number] of people.slice(6, 40).entries()) {
      assert.ok(play.send(number, 'MX'), `person ${index}`)
      if (index % 3 !== 2) play.approveLater(number, 20_000)
      play.wait(minuteMs)
    }
  })

  for (const [name, scoutsAnHour, minutes] of [
    ['twenty minutes, which is three in the first hour', undefined, 20],
    ['a minute, if the budget pays for sixty', 60, 1],
    ['an hour, if it pays for one', 1, 60],
  ] as const) {
    it(`lets its first scout go after ${name}`, () => {
      const play = new Play({ isSettled: true, ...(scoutsAnHour ? { scoutsAnHour } : {}) })
      const numbers = spread('+99450', 300, 7)
      for (;;) {
        const stop = play.attempt(numbers.pop() ?? assert.fail('never blocked'))
        if (stop && !stop.isHold) {
          assert.equal(stop.untilMs - play.nowMs, minutes * minuteMs)
          break
        }
        if (stop) play.wait(minuteMs)
      }
    })
  }
})
