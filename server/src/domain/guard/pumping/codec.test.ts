import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stranger } from './acquaintance.ts'
import { decodeAcquaintance, decodeDebt, encodeAcquaintance, encodeDebt } from './codec.ts'
import { type Debt, noDebt } from './debt.ts'
import { type PlaceKey, placeOf } from './place.ts'

const full: Debt = {
  debt: 3.1234,
  atMs: 1_800_000_000_000,
  due: [[360_000_000, 2, 3]],
  numbers: 17,
  approved: 2,
  recent: 1.5,
  asked: 4.25,
  usualNumbers: 300.5,
  usualApproved: 210.25,
  blockedUntilMs: 1_800_000_100_000,
  heldUntilMs: 1_800_000_050_000,
  strikes: 2,
  struckAtMs: 1_799_999_000_000,
  scoutAtMs: 1_800_000_060_000,
  scoutGapMs: 600_000,
  sinceMs: 1_790_000_000_000,
  delayMs: 21_000,
}
const stored = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

describe('what the guard stores', () => {
  it('brings a country back as it was', () => {
    assert.deepEqual(decodeDebt(stored(encodeDebt('country', full))), full)
  })

  it('brings a range of numbers back with all that its barriers need, in few characters', () => {
    const fresh: Debt = { ...noDebt, debt: 0.5, atMs: full.atMs, due: [[360_000_000, 1, 1]], numbers: 1 }
    assert.deepEqual(decodeDebt(stored(encodeDebt('r1k', fresh))), fresh)
    assert.ok(JSON.stringify(encodeDebt('r1k', fresh)).length < 80)
    const usual = { recent: 0, asked: 0, usualNumbers: 0, usualApproved: 0, sinceMs: 0 }
    assert.deepEqual(decodeDebt(stored(encodeDebt('r1k', full))), {
      ...full,
      ...usual,
      delayMs: noDebt.delayMs,
    })
  })

  it('brings an acquaintance back with what an approval will pay back, and no digit beyond the range of a hundred', () => {
    const place = placeOf({ number: '+447400123456', region: 'GB', ipKey: '81.2.69.142' }, () => 'hidden')
    const { ip, ranges, carrier, country, unfamiliar, trial } = place
    if (!ip) throw new Error('an address was given')
    for (const isUnfamiliar of [false, true]) {
      const keys: PlaceKey[] = [trial, ip, ...ranges, carrier, country, ...(isUnfamiliar ? [unfamiliar] : [])]
      const known = { ...stranger, unapproved: 1, chargedAtMs: 5, open: { atMs: 5, keys } }
      const text = JSON.stringify(encodeAcquaintance(known))
      assert.ok(!text.includes('123456') && !text.includes('3456') && !text.includes('0012'), text)
      const back = decodeAcquaintance(JSON.parse(text))
      assert.deepEqual(
        back.open?.keys.map((key) => key.name),
        keys.map((key) => key.name),
      )
    }
    assert.deepEqual(decodeAcquaintance(stored(encodeAcquaintance(stranger))), stranger)
  })
})
