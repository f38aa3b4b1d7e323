import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { minuteMs, Play, spread } from '../../../../test/harness/play.ts'

const neighbours = (count: number) => Array.from({ length: count }, (_, index) => `+4474001234${index + 10}`)
const abroad = (count: number) =>
  spread('', count, 7).map((tail, index) => {
    const places = [
      ['GB', '+44740'],
      ['AZ', '+99450'],
      ['UZ', '+99890'],
      ['LK', '+9477'],
    ] as const
    const [region, prefix] = places[index % 4] ?? places[0]
    return { region, number: `${prefix}${tail}` }
  })

describe('trying a new app out', () => {
  it('lets fifteen numbers through though no code is used, next to each other and from one address', () => {
    const play = new Play({ isFresh: true, isFlagged: true })
    for (const number of neighbours(15)) {
      assert.ok(play.send(number, 'GB', '81.2.69.142'), number)
      play.wait(2 * minuteMs)
    }
  })

  it('lets fifteen numbers of several countries through though no code is used', () => {
    const play = new Play({ isFresh: true })
    for (const { region, number } of abroad(15)) {
      assert.ok(play.send(number, region))
      play.wait(2 * minuteMs)
    }
  })

  it('goes on for whoever uses a code now and then', () => {
    const play = new Play({ isFresh: true })
    for (const [index, number] of neighbours(50).entries()) {
      assert.ok(play.send(number, 'GB'), `send ${index}`)
      if (index % 4 === 0) play.approveLater(number, 20_000)
      play.wait(minuteMs)
    }
  })

  it('ends: the debt that it made counts from the sixteenth number on', () => {
    const play = new Play({ isFresh: true })
    const sent = neighbours(40).filter((number) => play.send(number, 'GB')).length
    assert.equal(sent, 16)
  })

  it('does not go on for an attack on an app whose first people used their codes', () => {
    const play = new Play({ isFresh: true })
    for (const number of spread('+4474', 12, 8)) {
      assert.ok(play.send(number, 'GB'))
      play.approveLater(number, 20_000)
      play.wait(5 * minuteMs)
    }
    const numbers = spread('+99450', 31, 7)
    const stopped = numbers.findIndex((number) => {
      play.wait(2_000)
      return !play.send(number)
    })
    assert.ok(stopped > 0, 'a first stop within thirty sends')
  })
})
