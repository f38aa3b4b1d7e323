import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Grace } from './grace.ts'

const graceMs = 15_000

for (const [why, lose] of [
  ['without the database', (grace: Grace) => grace.noteNoDatabase()],
  ['late in saying that it lives', (_: Grace, pulse: { isOut: boolean }) => (pulse.isOut = true)],
] as const)
  test(`who was ${why} hears the others before it takes over from them`, () => {
    const pulse = { isOut: false }
    const grace = new Grace({ isLate: () => pulse.isOut })
    grace.noteDatabase(0)
    assert.ok(grace.isOver(0))
    lose(grace, pulse)
    grace.noteDatabase(1_000)
    pulse.isOut = false
    grace.noteDatabase(2_000)
    assert.ok(!grace.isOver(1_000 + graceMs - 1))
    assert.ok(grace.isOver(1_000 + graceMs))
  })
