import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Charge, stranger } from './acquaintance.ts'
import { decodeAcquaintance, encodeAcquaintance } from './acquaintance-text.ts'
import { type Debt, noDebt } from './debt.ts'
import { decodeDebt, encodeDebt } from './debt-text.ts'
import { type Fit, noFit } from './fit.ts'
import { decodeFit, encodeFit } from './fit-text.ts'
import { placeOf } from './place.ts'
import { blockEntry, blockNameIn, type Part, partIn, partsIn, rowText, withParts } from './state-text.ts'

const full: Debt = {
  debt: 3.1234,
  atMs: 1_800_000_000_000,
  due: [
    [360_000_000, 2, 3, 0.75],
    [360_000_001, 0, 4, 0],
    [360_000_035, 1, 1, 0.125],
  ],
  numbers: 17,
  approved: 2,
  sent: 6.5,
  recent: 1.5,
  asked: 4.25,
  askedAtMs: 1_799_999_999_000,
  newcomers: 2.5,
  mostAsked: 31.5,
  usualNumbers: 300.5,
  usualApproved: 210.25,
  blockedUntilMs: 1_800_000_100_000,
  heldUntilMs: 1_800_000_050_000,
  liftedUntilMs: 1_800_000_055_000,
  strikes: 2,
  struckAtMs: 1_799_999_000_000,
  limit: 20.5,
  threshold: 20,
  isForMissing: true,
  scoutAtMs: 1_800_000_060_000,
  scoutGapMs: 600_000,
  laneDebt: 1.25,
  laneAtMs: 1_800_000_070_000,
  sinceMs: 1_790_000_000_000,
  delayMs: 21_000,
}
const fit: Fit = {
  atMs: full.atMs,
  sinceMs: 1_790_000_000_000,
  strangers: { numbers: 400.5, approved: 300.25 },
  known: { numbers: 500, approved: 410 },
  countries: new Map([['GB', { numbers: 300, approved: 240, sinceMs: 1_791_000_000_000 }]]),
  pending: [[30_000_000, 2]],
  asked: 3.5,
  sent: 4.5,
  recent: 2.5,
  scouts: { numbers: 3, approved: 1 },
  learntAtMs: 1_795_000_000_000,
  misfitAtMs: 1_794_000_000_000,
}
describe('what the guard stores', () => {
  it('brings a country back as it was, and what is normal for an app', () => {
    assert.deepEqual(decodeDebt(encodeDebt('country', full)), full)
    assert.deepEqual(decodeFit(encodeFit(fit)), fit)
    assert.deepEqual(decodeFit(encodeFit(noFit)), noFit)
  })

  it('brings a range of numbers back with all that its barriers need, in few characters', () => {
    const fresh: Debt = { ...noDebt, debt: 0.5, atMs: full.atMs, due: [[360_000_000, 1, 1, 0.5]], numbers: 1 }
    assert.deepEqual(decodeDebt(encodeDebt('r1k', fresh)), fresh)
    assert.ok(encodeDebt('r1k', fresh).length < 50)
    const usual = {
      recent: 0,
      sent: 0,
      newcomers: 0,
      mostAsked: 0,
      usualNumbers: 0,
      usualApproved: 0,
      sinceMs: 0,
      laneDebt: 0,
      laneAtMs: 0,
    }
    assert.deepEqual(decodeDebt(encodeDebt('r10k', full)), {
      ...full,
      ...usual,
      delayMs: noDebt.delayMs,
    })
  })

  it('brings back every part of a row, and the names of its blocks', () => {
    const parts: Part[] = [
      ['12', encodeDebt('r100', full)],
      ['1', encodeDebt('r1k', noDebt)],
      ['', encodeDebt('r10k', full)],
      blockEntry('', { blockId: 'blk_01', label: Buffer.from('>>>???').toString('base64url') }),
    ]
    const row = rowText(parts)
    assert.deepEqual(partsIn(row), parts)
    for (const [name, text] of parts) assert.equal(partIn(row, name), text)
    assert.equal(partIn(row, '2'), undefined)
    assert.equal(partIn(rowText(parts.slice(0, 1)), ''), undefined)
    assert.deepEqual(blockNameIn(row, ''), { blockId: 'blk_01', label: 'Pj4-Pz8_' })
    assert.equal(blockNameIn(row, '12'), null)
    const changed: Part = ['1', encodeDebt('r1k', full)]
    assert.deepEqual(
      new Map(partsIn(withParts(row, [changed, ['3', 'new']]))),
      new Map([...parts, changed, ['3', 'new']]),
    )
  })

  it('brings an acquaintance back with what an approval will pay back, and no digit beyond the range of a hundred', () => {
    const placed = { appId: 'app', number: '+447872212345', region: 'GB', ipKey: '81.2.69.142' }
    const home = placeOf(placed, () => 'hidden')
    // Its carrier is charged only where the app has its people, and only then kept.
    const place = { ...home, home: { ...home.home, issuer: null } }
    const issuer = home.home.issuer
    assert.ok(issuer)
    const sent = {
      atMs: 5,
      place,
      isScout: false,
      isNarrow: false,
      isIssuers: false,
      isApart: false,
      isOnTrial: false,
      lanes: [],
    }
    const charges: Charge[] = [
      { ...sent, isKnown: false, isHome: false, isOnTrial: true },
      { ...sent, place: home, isKnown: false, isHome: true, isNarrow: true, isIssuers: true, isApart: true },
      {
        ...sent,
        place: home,
        isKnown: false,
        isHome: true,
        isScout: true,
        lanes: [issuer, home.home.country],
      },
      { ...sent, isKnown: true, isHome: true, lanes: [place.known.carrier, place.known.country] },
    ]
    for (const open of charges) {
      const known = { ...stranger, unapproved: 1, chargedAtMs: 5, owed: 1.5, sentAtMs: 5, open }
      const text = encodeAcquaintance(known)
      assert.ok(!text.includes('12345') && !text.includes('2345') && !text.includes('7221'), text)
      const back = decodeAcquaintance('app', text)
      assert.deepEqual(withoutLabels(back), withoutLabels(known))
    }
    assert.deepEqual(decodeAcquaintance('app', encodeAcquaintance(stranger)), stranger)
  })
})

/** The labels of ranges are not kept. */
const withoutLabels = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, inner) => (key === 'label' ? '' : inner)))
