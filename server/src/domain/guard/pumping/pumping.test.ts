import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hourMs, Play, passed, spread } from '../../../../test/harness/play.ts'
import { placeOf } from './place.ts'

describe('conversion debt', () => {
  const bounds: readonly [string, readonly string[], number, readonly string[]][] = [
    ['a range of a hundred lets eight through', spread('+9945031122', 40, 2), 8, []],
    ['a range of ten thousand lets sixteen through', spread('+99450311', 60, 4), 16, ['AZ']],
    ['a range of ten thousand of an unknown place lets six through', spread('+99450311', 60, 4), 6, []],
    ['a carrier that is new to the app lets twenty through', spread('+99450', 60, 7), 20, []],
  ]
  for (const [name, numbers, expected, declaredCountries] of bounds) {
    it(`${name}, when nothing converts and all comes at once`, () => {
      assert.equal(passed(new Play({ declaredCountries }), numbers), expected)
    })
  }

  it('lets twenty through to all carriers together that the app does not know, and no such bound where it declares them', () => {
    const regions = [
      ['AZ', '+99450'],
      ['UZ', '+99890'],
      ['LK', '+9477'],
      ['UG', '+25677'],
    ] as const
    const play = (declared: readonly string[]) => {
      const made = new Play({ declaredCountries: declared })
      return spread('', 40, 7).filter((tail, index) => {
        const [region, prefix] = regions[index % 4] ?? regions[0]
        return made.send(`${prefix}${tail}`, region)
      }).length
    }
    assert.equal(play([]), 20)
    assert.equal(play(['AZ', 'UZ', 'LK', 'UG']), 40)
  })

  it('goes by the region of a number, not by its calling code', () => {
    const guernsey = placeOf({ number: '+447781123456', region: 'GG', ipKey: null }, (prefix) => prefix)
    const britain = placeOf({ number: '+447400123456', region: 'GB', ipKey: null }, (prefix) => prefix)
    assert.equal(guernsey.country.row, 'country:GG')
    assert.equal(britain.country.row, 'country:GB')
    assert.equal(britain.carrier.row, 'carrier:GB:740')
  })

  it('never names a place by so many digits that the last two complete a number', () => {
    const { ranges } = placeOf({ number: '+447400123456', region: 'GB', ipKey: null }, () => 'hidden')
    for (const { label, row } of ranges) {
      assert.equal(label, '+44740012xxxx')
      assert.equal(row, 'range:hidden')
    }
  })

  it('charges a repeat within the hour once for nothing, and then like a stranger', () => {
    const play = new Play()
    const number = '+994503112233'
    const results = Array.from({ length: 12 }, () => play.send(number))
    assert.equal(results.filter(Boolean).length, 9)
  })

  it('holds a flagged address to half of what another may spend', () => {
    const from = (isFlagged: boolean) => {
      const play = new Play({ declaredCountries: ['AZ'], isFlagged })
      return spread('+99450', 30, 7).filter((number) => play.send(number, 'AZ', '45.83.0.1')).length
    }
    assert.equal(from(true), 6)
    assert.equal(from(false), 12)
  })

  it('stays open for a range of numbers of which two in three convert', () => {
    const play = new Play({ declaredCountries: ['AZ'] })
    for (const [index, number] of spread('+99450311', 300, 4).entries()) {
      play.nowMs += 20_000
      assert.ok(play.send(number), `send ${index}`)
      if (index % 3 !== 2) play.approve(number)
    }
  })

  it('stops traffic of which two in five are faked', () => {
    const play = new Play()
    let sent = 0
    for (const [index, number] of spread('+99450', 3_000, 7).entries()) {
      play.nowMs += 2_000
      if (!play.send(number)) continue
      sent++
      if (index % 5 < 2) play.approve(number)
    }
    assert.ok(sent < 500, String(sent))
  })

  it('stops within a minute traffic to sixty ranges of which two in five are faked', () => {
    const play = new Play()
    const ranges = spread('+99450', 60, 3)
    for (const [index, tail] of spread('', 31, 7).entries()) {
      const number = `${ranges[Number(tail) % 60]}${tail.slice(1, 5)}`
      if (!play.send(number)) return
      if (index % 5 < 2) play.approveLater(number, 15_000)
      play.wait(2_000)
    }
    assert.fail('never stopped')
  })

  it('takes neighbours within a hundred numbers for a family, also where the app knows nobody', () => {
    const play = new Play()
    for (const family of spread('+99450', 12, 5)) {
      assert.equal(passed(play, [`${family}10`, `${family}11`]), 2)
      play.approveLater(`${family}10`, 20_000)
      play.wait(hourMs)
    }
  })

  it('spends the trust of a verified recipient after three sends without an approval', () => {
    const play = new Play()
    assert.ok(play.send('+994503110001'))
    play.approve('+994503110001')
    passed(play, spread('+99450311', 60, 4))
    assert.equal(play.send('+994503119999'), false)
    assert.deepEqual(
      Array.from({ length: 4 }, () => play.send('+994503110001')),
      [true, true, true, false],
    )
  })

  it('lets whoever waits as long as told through, whatever has blocked', () => {
    const play = new Play()
    const numbers = spread('+99450311', 4_000, 4)
    for (let round = 0; round < 60; round++) {
      while (play.send(numbers.pop() ?? '')) play.nowMs += 1_500
      const number = numbers.pop() ?? ''
      const stop = play.attempt(number)
      assert.ok(stop)
      play.nowMs = stop.untilMs
      assert.ok(play.send(number), `round ${round}`)
    }
  })

  it('forgets: what was nearly a block is none two days later', () => {
    const play = new Play({ declaredCountries: ['AZ'] })
    passed(play, spread('+99450311', 7, 4))
    play.nowMs += 48 * hourMs
    assert.equal(passed(play, spread('+99450311', 20, 4).slice(7)), 13)
  })
})
