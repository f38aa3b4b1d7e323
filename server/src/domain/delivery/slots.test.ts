import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CompanyId } from '../../platform/ids.ts'
import { Slots } from './slots.ts'

const line = (company: string, provider: string) => ({
  companyId: company as CompanyId,
  providerId: provider,
})

/** Everybody who waits has more to do than there is room. */
function fill(slots: Slots, lines: ReturnType<typeof line>[]): void {
  for (;;) {
    const { rooms } = slots.shareOut(lines, 50)
    if (rooms.length === 0) return
    for (const { room, ...taken } of rooms) for (let count = 0; count < room; count++) slots.take(taken)
  }
}

describe('slots', () => {
  it('a company with much to do gets half of them, and whoever comes next finds room', () => {
    const slots = new Slots(500, 25)
    const hog = Array.from({ length: 40 }, (_, index) => line('hog', `account-${index}`))
    fill(slots, hog)
    assert.equal(slots.held, 250)
    const { rooms } = slots.shareOut([...hog, line('newcomer', 'another')], 50)
    assert.deepEqual(rooms, [{ ...line('newcomer', 'another'), room: 25 }])
  })

  it('two such companies get a third each', () => {
    const slots = new Slots(500, 25)
    const lines = ['one', 'two'].flatMap((company) =>
      Array.from({ length: 40 }, (_, index) => line(company, `${company}-${index}`)),
    )
    fill(slots, lines)
    assert.ok(Math.abs(slots.held - 333) <= 1, `${slots.held}`)
  })

  it('an account has no more than its bound, whoever uses it, and who has least of it comes first', () => {
    const slots = new Slots(500, 25)
    fill(slots, [line('one', 'shared')])
    assert.equal(slots.held, 25)
    const full = slots.shareOut([line('one', 'shared'), line('two', 'shared')], 50)
    assert.deepEqual(full, { rooms: [], isShort: true })
    const other = new Slots(500, 25)
    const held = Array.from({ length: 25 }, () => other.take(line('one', 'shared')))
    held[0]?.release()
    const { rooms } = other.shareOut([line('one', 'shared'), line('two', 'shared')], 50)
    assert.deepEqual(rooms, [{ ...line('two', 'shared'), room: 1 }])
  })

  it('a slot moves to another account only where that one has room, and is given back there', () => {
    const slots = new Slots(500, 2)
    const moving = slots.take(line('one', 'dead'))
    assert.equal(moving.moveTo('next'), true)
    slots.take(line('two', 'next'))
    assert.equal(slots.take(line('one', 'dead')).moveTo('next'), false)
    moving.release()
    assert.deepEqual(slots.shareOut([line('two', 'next')], 50).rooms, [{ ...line('two', 'next'), room: 1 }])
  })

  it('says whether somebody got less than they may have wanted', () => {
    const slots = new Slots(500, 25)
    assert.equal(slots.shareOut([line('one', 'a')], 10).isShort, false)
    assert.equal(slots.shareOut([line('one', 'a')], 50).isShort, true)
  })
})
