import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Gate } from './gate.ts'

/** Calls that leave one after the other, each so long after the one before, while `inside` are in the house. */
function gateAt(everyMs: number, inside: number) {
  let nowMs = 0
  const gate = new Gate(() => nowMs)
  const leaving = Array.from({ length: inside }, () => gate.enter('busy'))
  for (let count = 0; count < 6_000; count++) {
    nowMs += everyMs
    leaving.shift()?.()
    leaving.push(gate.enter('busy'))
  }
  const passMs = (ms: number) => {
    nowMs += ms
  }
  return {
    gate,
    passMs,
    leaveAll: () => {
      for (const leave of leaving.splice(0)) leave()
    },
  }
}

describe('the gate', () => {
  it('is open while calls are quick, however many there are', () => {
    assert.ok(gateAt(0.1, 4_500).gate.hasRoom('busy'))
  })

  it('lets in what can be answered in two seconds, and of one company half of that', () => {
    // 4,000 leave in a second, so 8,000 are answered in two.
    assert.ok(gateAt(0.25, 3_960).gate.hasRoom('busy'))
    assert.ok(!gateAt(0.25, 4_040).gate.hasRoom('busy'))
  })

  it('has room for others where one company has taken its part', () => {
    const { gate } = gateAt(0.25, 4_040)
    assert.ok(gate.hasRoom('quiet'))
  })

  it('is never closed to a burst, however slow it is', () => {
    assert.ok(gateAt(500, 1_990).gate.hasRoom('busy'))
    assert.ok(!gateAt(500, 2_010).gate.hasRoom('busy'))
  })

  it('is open again when the flood is over', () => {
    const { gate, leaveAll, passMs } = gateAt(0.25, 4_040)
    leaveAll()
    assert.ok(gate.hasRoom('busy'))
    passMs(60_000)
    const burst = Array.from({ length: 5_000 }, () => gate.enter('busy'))
    assert.ok(gate.hasRoom('busy'), 'what was slow long ago bounds no burst')
    for (const leave of burst) leave()
  })
})
