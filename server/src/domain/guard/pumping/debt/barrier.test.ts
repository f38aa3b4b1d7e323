import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Level } from '../levels.ts'
import { barrierAt, type Finding, raise } from './barrier.ts'
import { type Debt, noDebt } from './debt.ts'

const startMs = 1_800_000_000_000
const hourMs = 3_600_000
const reached = {
  threshold: 20,
  isReached: true,
  missesApprovals: false,
  mayWaitAgain: false,
  firstGapMs: hourMs / 3,
}

/** How many hours each of the next barriers stands, if the threshold is reached again whenever one ends. */
function lengths(level: Level, count: number, finding: Finding = reached): number[] {
  let state: Debt = { ...noDebt, atMs: startMs, debt: 100 }
  let nowMs = startMs
  return Array.from({ length: count }, () => {
    state = raise({ ...state, debt: 100 }, level, finding, nowMs)
    const untilMs = Math.max(state.heldUntilMs, state.blockedUntilMs)
    const hours = (untilMs - nowMs) / hourMs
    nowMs = untilMs
    return hours
  })
}

describe('how long a place stays closed', () => {
  it('holds a range of numbers for two minutes, then closes it for six hours, doubling to seventy-two', () => {
    for (const level of ['r100', 'r1k', 'r10k'] as const)
      assert.deepEqual(lengths(level, 7), [2 / 60, 6, 12, 24, 48, 72, 72])
  })

  it('holds carriers and countries likewise, then closes them for an hour, doubling to a day', () => {
    for (const level of ['carrier', 'country', 'known_carrier', 'known_country'] as const)
      assert.deepEqual(lengths(level, 7), [2 / 60, 1, 2, 4, 8, 16, 24])
  })

  it('holds an address likewise, then closes to it for an hour, doubling', () => {
    assert.deepEqual(lengths('ip', 4), [2 / 60, 1, 2, 4])
  })

  it('holds it again and again while all that it owes may still be paid', () => {
    const onTheirWay = { ...reached, mayWaitAgain: true }
    assert.deepEqual(lengths('ip', 3, onTheirWay), [2 / 60, 2 / 60, 2 / 60])
  })

  it('forgets what a place did once a week has passed without another block', () => {
    const struck = raise({ ...noDebt, strikes: 3, struckAtMs: startMs, debt: 100 }, 'r10k', reached, startMs)
    assert.equal(struck.strikes, 4)
    const laterMs = startMs + 8 * 24 * hourMs
    const again = raise({ ...struck, debt: 100 }, 'r10k', reached, laterMs)
    assert.equal(again.blockedUntilMs - laterMs, 6 * hourMs)
  })

  it('leaves a country closed when its time is over and its debt is not', () => {
    const until = { blockedUntilMs: startMs + hourMs, limit: 32 }
    const blocked: Debt = { ...noDebt, strikes: 1, struckAtMs: startMs, ...until }
    const overMs = startMs + hourMs
    const at = (debt: Debt, level: Level) =>
      barrierAt(debt, level, { isKnownPlace: true, isHome: true }, overMs).status
    assert.equal(at({ ...blocked, debt: 30 }, 'country'), 'scouting')
    assert.equal(at({ ...blocked, debt: 2 }, 'country'), 'open')
    assert.equal(at({ ...blocked, debt: 30 }, 'r10k'), 'open')
  })

  it('does not open a country where the app knows nobody by age alone, while strangers go on asking', () => {
    const until = { blockedUntilMs: startMs + hourMs, limit: 6 }
    const aged: Debt = { ...noDebt, strikes: 1, struckAtMs: startMs, debt: 0.5, ...until }
    const at = (debt: Debt) =>
      barrierAt(debt, 'country', { isKnownPlace: false, isHome: false }, startMs + hourMs).status
    assert.equal(at({ ...aged, asked: 20 }), 'scouting')
    assert.equal(at({ ...aged, asked: 20, recent: 1 }), 'open')
    assert.equal(at(aged), 'open')
  })
})
