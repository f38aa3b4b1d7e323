import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hourMs, minuteMs, Play, passed, spread } from '../../../../test/harness/play.ts'
import { placeOf } from './place.ts'

const dayMs = 24 * hourMs

describe('conversion debt', () => {
  const bounds: readonly [string, readonly string[], number, readonly string[]][] = [
    ['a range of a hundred lets eight through', spread('+9945031122', 40, 2), 8, ['AZ']],
    ['a range of ten thousand lets sixteen through', spread('+99450311', 60, 4), 16, ['AZ']],
    ['a range of ten thousand of an unknown place lets three through', spread('+99450311', 60, 4), 3, []],
  ]
  for (const [name, numbers, expected, declaredCountries] of bounds) {
    it(`${name}, when nothing converts and all comes at once`, () => {
      assert.equal(passed(new Play({ declaredCountries, isSettled: true }), numbers), expected)
    })
  }

  it('closes a country that is new to an app after a dozen or two messages of which nothing came', () => {
    for (const everyMs of [0, 2_000, minuteMs, 10 * minuteMs]) {
      const play = new Play({ isSettled: true })
      const sent = spread('+99450', 80, 7).filter((number) => {
        play.wait(everyMs)
        return play.send(number)
      })
      assert.ok(sent.length >= 8 && sent.length <= 30, `every ${everyMs} ms: ${sent.length}`)
    }
  })

  it('closes each new country by itself: what is attacked closes, and sooner once others have', () => {
    const play = new Play({ isSettled: true })
    const regions = [
      ['AZ', '+99450'],
      ['UZ', '+99890'],
      ['LK', '+9477'],
    ] as const
    const sent = regions.map(([region, prefix]) =>
      spread(prefix, 60, 7).filter((number) => {
        play.wait(30_000)
        return play.send(number, region)
      }),
    )
    const [first = [], second = [], third = []] = sent
    assert.ok(
      second.length < first.length && third.length < first.length,
      sent.map(({ length }) => length).join(),
    )
    assert.ok(play.send('+525512345678', 'MX'))
  })

  it('goes by the region of a number, not by its calling code', () => {
    const at = (number: string, region: string) =>
      placeOf({ appId: 'app', number, region, ipKey: null }, (prefix) => prefix)
    assert.equal(at('+447781123456', 'GG').home.country.row, 'country:GG')
    assert.equal(at('+447400123456', 'GB').home.country.row, 'country:GB')
    assert.equal(at('+447400123456', 'GB').home.carrier.row, 'carrier:GB:740')
  })

  it('never names a place by so many digits that the last two complete a number', () => {
    const placed = { appId: 'app', number: '+447400123456', region: 'GB', ipKey: null }
    const { ranges } = placeOf(placed, () => 'hidden')
    for (const { label, row } of ranges) {
      assert.equal(label, '+44740012xxxx')
      assert.equal(row, 'range:hidden')
    }
  })

  it('holds a flagged address to half of what another may spend', () => {
    const from = (isFlagged: boolean) => {
      const play = new Play({ declaredCountries: ['AZ'], isFlagged, isSettled: true })
      return spread('+99450', 30, 7).filter((number) => play.send(number, 'AZ', '45.83.0.1')).length
    }
    assert.equal(from(true), 6)
    assert.equal(from(false), 12)
  })

  it('stays open for a range of numbers of which two in three convert', () => {
    const play = new Play({ declaredCountries: ['AZ'], isSettled: true })
    for (const [index, number] of spread('+99450311', 300, 4).entries()) {
      play.nowMs += 20_000
      assert.ok(play.send(number), `send ${index}`)
      if (index % 3 !== 2) play.approve(number)
    }
  })

  it('stops within two minutes traffic to sixty ranges of which two in five are faked, and keeps it stopped', () => {
    const play = new Play({ isSettled: true })
    const ranges = spread('+99450', 60, 3)
    let seed = 7
    const draw = (sides: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((seed / 2 ** 32) * sides)
    }
    let sent = 0
    for (const [index, tail] of spread('', 3_000, 7).entries()) {
      const number = `${ranges[draw(60)]}${tail.slice(1, 5)}`
      if (play.send(number)) {
        sent++
        if (draw(5) < 2) play.approveLater(number, 15_000)
      }
      play.wait(2_000)
      if (index === 60) assert.ok(sent < 61, 'none stopped within two minutes')
    }
    assert.ok(sent < 100, String(sent))
  })

  it('takes neighbours within a hundred numbers for a family, also where the app knows nobody', () => {
    const play = new Play()
    for (const family of spread('+99450', 12, 5)) {
      assert.equal(passed(play, [`${family}10`, `${family}11`]), 2)
      play.approveLater(`${family}10`, 20_000)
      play.wait(hourMs)
    }
  })

  it('lets whoever waits as long as told through, whatever has blocked', () => {
    const play = new Play({ isSettled: true })
    const numbers = spread('+99450311', 4_000, 4)
    for (let round = 0; round < 30; round++) {
      while (play.send(numbers.pop() ?? '')) play.nowMs += 1_500
      const number = numbers.pop() ?? ''
      const stop = play.attempt(number)
      assert.ok(stop)
      play.nowMs = stop.untilMs
      assert.ok(play.send(number), `round ${round}, ${stop.level}`)
    }
  })

  it('forgets: what was nearly a block is none two days later', () => {
    const play = new Play({ declaredCountries: ['AZ'], isSettled: true })
    passed(play, spread('+99450311', 7, 4))
    play.nowMs += 2 * dayMs
    assert.equal(passed(play, spread('+99450311', 20, 4).slice(7)), 13)
  })
})

describe('a number that asks again and again', () => {
  const number = '+447400123456'

  it('has five codes, then one after an hour, two, four, until one is typed', () => {
    const play = new Play({ isSettled: true, declaredCountries: ['GB'] })
    assert.equal(
      passed(
        play,
        Array.from({ length: 9 }, () => number),
        'GB',
      ),
      5,
    )
    const waits = [1, 2, 4].map(() => {
      const stop = play.attempt(number, 'GB')
      assert.equal(stop?.level, 'recipient')
      const ms = (stop?.untilMs ?? 0) - play.nowMs
      play.wait(ms)
      assert.ok(play.send(number, 'GB'))
      return Math.round(ms / hourMs)
    })
    assert.deepEqual(waits, [1, 2, 2])
    play.approve(number)
    assert.ok(play.send(number, 'GB'))
  })

  it('closes nothing but itself, however often it asks', () => {
    const play = new Play({ isSettled: true, declaredCountries: ['GB'] })
    const few = spread('+44740', 12, 7)
    for (let round = 0; round < 300; round++) {
      for (const each of few) play.send(each, 'GB')
      play.wait(minuteMs)
    }
    for (const other of spread('+4475', 10, 8)) assert.ok(play.send(other, 'GB'))
  })
})

describe('recipients whom the app has verified before', () => {
  /** Recipients verified some days ago, among people who come back and type three codes in four. */
  const people = spread('+4475', 400, 8)
  function grown(numbers: readonly string[]): Play {
    const play = new Play({ isSettled: true, declaredCountries: ['GB', 'AZ'] })
    for (const number of numbers) {
      play.send(number, 'AZ')
      play.approve(number)
      play.wait(minuteMs)
    }
    for (let round = 0; round < 2; round++)
      for (const [index, person] of people.entries()) {
        assert.ok(play.send(person, 'GB'), person)
        if (round === 0 || index % 4 !== 0) play.approveLater(person, 20_000)
        play.wait(10 * minuteMs)
      }
    return play
  }

  it('pass where strangers are held', () => {
    const [number = ''] = spread('+99450', 1, 7)
    const play = grown([number])
    for (const other of spread('+99450', 200, 7).slice(1)) play.send(other)
    assert.equal(play.send('+994509999999'), false)
    assert.ok(play.send(number))
  })

  it('are judged together once they stop typing as known people do, though every third code is typed', () => {
    const numbers = spread('+99450', 300, 7)
    const play = grown(numbers)
    let sent = 0
    const count = 3_000
    for (let index = 0; index < count; index++) {
      const number = numbers[(index * 7) % numbers.length] ?? ''
      if (play.send(number)) {
        sent++
        if (index % 3 === 2) play.approveLater(number, 15_000)
      }
      play.wait(2_000)
    }
    assert.ok(sent < 0.1 * count, String(sent))
    assert.ok(play.send('+447599999999', 'GB'), 'strangers elsewhere')
  })

  it('may come in a crowd and use half as many codes, when new people come in one too', () => {
    const play = grown([])
    for (const [index, number] of spread('+4475', 1_000, 8).slice(400).entries()) {
      assert.ok(play.send(number, 'GB'), `stranger ${index}`)
      if (index % 4 !== 0) play.approveLater(number, 5_000)
      const person = people[index % people.length] ?? ''
      assert.ok(play.send(person, 'GB'), `known person ${index}`)
      if (index % 5 < 2) play.approveLater(person, 15_000)
      play.wait(3_000)
    }
  })

  it('are not judged before the app is old enough to know what they do', () => {
    const play = new Play({ declaredCountries: ['GB'] })
    for (const person of people.slice(0, 200)) {
      play.send(person, 'GB')
      play.approve(person)
      play.wait(minuteMs)
    }
    for (let index = 0; index < 400; index++) {
      const person = people[(index * 7) % 200] ?? ''
      assert.ok(play.send(person, 'GB'), `the one after ${index}`)
      if (index % 3 === 2) play.approveLater(person, 15_000)
      play.wait(2_000)
    }
  })

  it('pass beside those of their country who ask all the time, once these are known', () => {
    const play = grown([])
    let asked = 0
    const attack = (minutes: number) => {
      for (let count = 0; count < 30 * minutes; count++) {
        const number = people[(asked++ * 7) % 60] ?? ''
        if (play.send(number, 'GB') && asked % 3 === 0) play.approveLater(number, 15_000)
        play.wait(2_000)
      }
    }
    attack(60)
    assert.equal(play.send(people[1] ?? '', 'GB'), false)
    const others = people.slice(100, 112)
    const served = others.filter((person) => {
      attack(5)
      const isSent = play.send(person, 'GB')
      if (isSent) play.approveLater(person, 15_000)
      return isSent
    })
    assert.ok(served.length >= others.length - 2, `${served.length} of ${others.length}`)
  })
})

describe('apps of one company', () => {
  it('share one trial, and what they know of a country where none of them has people', () => {
    const play = new Play({ isFresh: true })
    let sent = 0
    for (const [index, number] of spread('+99450', 140, 7).entries()) {
      if (play.send(number, 'AZ', null, `app ${Math.floor(index / 14)}`)) sent++
      play.wait(20_000)
    }
    assert.ok(sent <= 25, String(sent))
  })

  it('share what they know of ranges and addresses', () => {
    // At home nothing wider is shared.
    const play = new Play({ isSettled: true, declaredCountries: ['GB'] })
    passed(play, spread('+99450311', 60, 4))
    assert.equal(play.send('+994503119876', 'AZ', null, 'another'), false)
    for (const number of spread('+4474', 30, 8)) play.send(number, 'GB', '81.2.69.142')
    assert.equal(play.attempt('+447599999999', 'GB', '81.2.69.142', 'another')?.level, 'ip')
    assert.ok(play.send('+447599999998', 'GB', '81.2.69.143', 'another'))
  })
})
