import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Door } from './door.ts'

/** Calls that leave one after the other, each so long after the one before, while `inside` are in the house. */
function doorAt(everyMs: number, inside: number) {
  let nowMs = 0
  const door = new Door(() => nowMs)
  const leaving = Array.from({ length: inside }, () => door.enter('busy'))
  for (let count = 0; count < 2_000; count++) {
    nowMs += everyMs
    leaving.shift()?.()
    leaving.push(door.enter('busy'))
  }
  const passMs = (ms: number) => {
    nowMs += ms
  }
  return {
    door,
    passMs,
    leaveAll: () => {
      for (const leave of leaving.splice(0)) leave()
    },
  }
}

describe('the door', () => {
  it('is open while calls are quick, however many there are', () => {
    assert.ok(doorAt(0.1, 3_000).door.hasRoom('busy'))
  })

  it('lets in what can be answered in two seconds, and of one company half of that', () => {
    // 250 leave in a second, so 500 are answered in two.
    assert.ok(doorAt(4, 240).door.hasRoom('busy'))
    assert.ok(!doorAt(4, 260).door.hasRoom('busy'))
  })

  it('has room for others where one company has taken its part', () => {
    const { door } = doorAt(4, 260)
    assert.ok(door.hasRoom('quiet'))
  })

  it('is never closed to a few, however slow they are', () => {
    assert.ok(doorAt(500, 90).door.hasRoom('busy'))
    assert.ok(!doorAt(500, 110).door.hasRoom('busy'))
  })

  it('is open again when the flood is over', () => {
    const { door, leaveAll, passMs } = doorAt(4, 260)
    leaveAll()
    assert.ok(door.hasRoom('busy'))
    passMs(60_000)
    const burst = Array.from({ length: 2_000 }, () => door.enter('busy'))
    assert.ok(door.hasRoom('busy'), 'what was slow long ago bounds no burst')
    for (const leave of burst) leave()
  })
})
