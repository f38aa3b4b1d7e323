import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Debt, noDebt } from '../debt/debt.ts'
import { noFit } from '../fit/fit.ts'
import { placeOf } from '../place.ts'
import { encodeDebt } from '../stored/debt-text.ts'
import { rowText } from '../stored/state-text.ts'
import { Book } from './book.ts'

const minuteMs = 60_000
const nowMs = Date.UTC(2026, 10, 15)
const { country } = placeOf(
  { appId: 'app', number: '+447400123456', region: 'GB', ipKey: null },
  (prefix) => prefix,
).home

const closedAt = (atMs: number): Debt => ({
  ...noDebt,
  debt: 40,
  atMs,
  numbers: 50,
  strikes: 1,
  struckAtMs: atMs,
  blockedUntilMs: atMs + 60 * minuteMs,
})
const bookWith = (debt: Debt, readAtMs: number) =>
  new Book(new Map([[country.rowName, rowText([[country.part, encodeDebt(country.level, debt)]])]]), readAtMs)

describe('a stored debt', () => {
  it('is left alone by an approval that is booked long after it was given, while another app went on', () => {
    const book = bookWith(closedAt(nowMs - minuteMs), nowMs)
    const approvedAtMs = nowMs - 30 * minuteMs
    const { atMs, blockedUntilMs, debt } = book.at(country, approvedAtMs)
    assert.deepEqual([atMs, blockedUntilMs, debt], [nowMs - minuteMs, nowMs + 59 * minuteMs, 40])
  })

  it('counts as written now if it lies ahead of the time at which it is read', () => {
    const { atMs, blockedUntilMs, debt } = bookWith(closedAt(nowMs + 9_000 * minuteMs), nowMs).at(
      country,
      nowMs,
    )
    assert.deepEqual([atMs, blockedUntilMs, debt], [nowMs, nowMs + 60 * minuteMs, 40])
  })

  it('is taken as it is after a correction of the clock by some seconds', () => {
    assert.equal(bookWith(closedAt(nowMs + 5_000), nowMs).at(country, nowMs).atMs, nowMs + 5_000)
  })
})

describe('what is normal for an app', () => {
  it('is left alone by an approval that is booked long after it was given', () => {
    const book = new Book(new Map(), nowMs)
    book.loadFit('app', { ...noFit, atMs: nowMs, learntAtMs: nowMs })
    assert.deepEqual(book.fitOf('app', nowMs - 30 * minuteMs).learntAtMs, nowMs)
  })

  it('counts as written now if it lies ahead of the time at which it is read', () => {
    const book = new Book(new Map(), nowMs)
    book.loadFit('app', { ...noFit, atMs: nowMs + 9_000 * minuteMs, misfitAtMs: nowMs + 9_000 * minuteMs })
    const { atMs, misfitAtMs } = book.fitOf('app', nowMs)
    assert.deepEqual([atMs, misfitAtMs], [nowMs, nowMs])
  })
})
