import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CompanyId } from '../../platform/ids.ts'
import { Slots } from './slots.ts'

const line = (company: string, provider: string) => ({
  companyId: company as CompanyId,
  providerId: provider,
})

/** The bounds of an account that is not known yet. */
const atOnceAtFirst = 50
const inHandAtFirst = 175

/** Fills the slots: every line has more to send than there is room for. */
function fill(slots: Slots, lines: ReturnType<typeof line>[]): void {
  for (;;) {
    const { rooms } = slots.shareOut(lines, 50)
    if (rooms.length === 0) return
    for (const { room, ...taken } of rooms) for (let count = 0; count < room; count++) slots.take(taken)
  }
}

describe('slots', () => {
  it('a company with much to do gets half of them, and whoever comes next finds room', () => {
    const slots = new Slots(500)
    const hog = Array.from({ length: 40 }, (_, index) => line('hog', `account-${index}`))
    fill(slots, hog)
    assert.equal(slots.held, 250)
    const { rooms } = slots.shareOut([...hog, line('newcomer', 'another')], 50)
    assert.deepEqual(rooms, [{ ...line('newcomer', 'another'), room: 50 }])
  })

  it('two such companies get a third each', () => {
    const slots = new Slots(500)
    const lines = ['one', 'two'].flatMap((company) =>
      Array.from({ length: 40 }, (_, index) => line(company, `${company}-${index}`)),
    )
    fill(slots, lines)
    assert.ok(Math.abs(slots.held - 333) <= 1, `${slots.held}`)
  })

  it('an account has no more than it takes in a moment, whoever uses it, and who has least of it comes first', () => {
    const slots = new Slots(5_000)
    fill(slots, [line('one', 'shared')])
    assert.equal(slots.held, inHandAtFirst)
    const full = slots.shareOut([line('one', 'shared'), line('two', 'shared')], 50)
    assert.deepEqual(full, { rooms: [], lacksSlots: true })
    assert.equal(slots.tryTake(line('two', 'shared')), null)
    const other = new Slots(5_000)
    const held = Array.from({ length: inHandAtFirst }, () => other.take(line('one', 'shared')))
    held[0]?.release()
    const { rooms } = other.shareOut([line('one', 'shared'), line('two', 'shared')], 50)
    assert.deepEqual(rooms, [{ ...line('two', 'shared'), room: 1 }])
  })

  it('a slot moves to another account only where that one has room, and is given back there', async () => {
    const slots = new Slots(5_000)
    const moving = slots.take(line('one', 'dead'))
    assert.equal(await moving.enter('next'), true)
    for (let count = 1; count < inHandAtFirst; count++) slots.take(line('two', 'next'))
    assert.equal(await slots.take(line('one', 'dead')).enter('next'), false)
    moving.release()
    assert.deepEqual(slots.shareOut([line('two', 'next')], 50).rooms, [{ ...line('two', 'next'), room: 1 }])
  })

  it('a message enters its own account although that has no more room, and leaves its turn to another', async () => {
    const slots = new Slots(5_000)
    const taken = Array.from({ length: inHandAtFirst }, () => slots.take(line('one', 'shared')))
    const [first, ...others] = taken
    for (const slot of others.slice(0, atOnceAtFirst - 1)) assert.ok(await slot.enter('shared'))
    assert.equal(await first?.enter('shared'), true)
    const waiting = others[atOnceAtFirst]?.enter('shared')
    first?.release()
    assert.equal(await waiting, true)
  })

  it('an account that is quick when it is full gets more at once', async () => {
    const slots = new Slots(5_000)
    const taken = Array.from({ length: atOnceAtFirst + 2 }, () => slots.take(line('one', 'shared')))
    for (const slot of taken.slice(0, atOnceAtFirst)) assert.ok(await slot.enter('shared'))
    const [more, stillMore] = taken.slice(atOnceAtFirst).map((slot) => slot.enter('shared'))
    taken[0]?.leave({ latencyMs: 200 })
    assert.deepEqual([await more, await stillMore], [true, true])
  })

  it('a company that waits for two accounts gets as much for each', () => {
    const { rooms } = new Slots(500).shareOut([line('one', 'a'), line('one', 'b')], 10)
    assert.deepEqual(
      rooms.map(({ room }) => room),
      [5, 5],
    )
  })

  it('messages wait for their turn at an account, and companies take turns', async () => {
    const slots = new Slots(5_000)
    const under = Array.from({ length: atOnceAtFirst }, () => slots.take(line('one', 'shared')))
    for (const slot of under) assert.equal(await slot.enter('shared'), true)
    const entered: string[] = []
    for (const company of ['one', 'one', 'two']) {
      void slots
        .take(line(company, 'shared'))
        .enter('shared')
        .then((isIn) => entered.push(`${company} ${isIn}`))
    }
    under[0]?.leave('unasked')
    under[1]?.leave('unasked')
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(entered, ['one true', 'two true'])
    slots.close()
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(entered, ['one true', 'two true', 'one false'])
    assert.equal(await slots.take(line('one', 'another')).enter('another'), false)
  })

  it('what is accepted is taken in hand as long as its company leaves room for others', () => {
    const slots = new Slots(100)
    for (let count = 0; count < 50; count++) assert.ok(slots.tryTake(line('hog', `account-${count}`)))
    assert.equal(slots.tryTake(line('hog', 'another')), null)
    assert.ok(slots.tryTake(line('newcomer', 'another')))
  })

  it('says whether somebody got less than they may have wanted', () => {
    const slots = new Slots(500)
    assert.equal(slots.shareOut([line('one', 'a')], 10).lacksSlots, false)
    assert.equal(slots.shareOut([line('one', 'a')], 200).lacksSlots, true)
  })

  it('an account that is gone is forgotten in the end, and one that has messages in hand is not', async () => {
    const slots = new Slots(5_000)
    for (const account of ['gone', 'in use']) {
      const slot = slots.take(line('one', account))
      assert.ok(await slot.enter(account))
      slot.leave('erred')
      if (account === 'gone') slot.release()
    }
    for (let index = 0; index < 10_000; index++) slots.take(line('two', `removed ${index}`)).release()
    const roomOf = (account: string) => slots.shareOut([line('three', account)], 1_000).rooms[0]?.room ?? 0
    assert.equal(roomOf('gone'), inHandAtFirst)
    const left = roomOf('in use')
    assert.ok(left > 0 && left < inHandAtFirst - 1, `it has erred: ${left}`)
  })
})
