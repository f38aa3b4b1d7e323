import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { type Charge, stranger } from '../acquaintance/acquaintance.ts'
import { type Debt, noDebt } from '../debt/debt.ts'
import { type Fit, noFit } from '../fit/fit.ts'
import { noHours } from '../fit/hours.ts'
import { placeOf } from '../place.ts'
import { chargeKeys, decodeAcquaintance, encodeAcquaintance, ownKeys, textKeys } from './acquaintance-text.ts'
import { debtKeys, decodeDebt, encodeDebt, wideKeys } from './debt-text.ts'
import { decodeFit, encodeFit } from './fit-text.ts'
import { type Key, slotKeys, type TimeKey } from './numbers-text.ts'
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
  isSimulated: true,
}
const fit: Fit = {
  isSimulated: true,
  atMs: full.atMs,
  sinceMs: 1_790_000_000_000,
  strangers: { numbers: 400.5, approved: 300.25 },
  known: { numbers: 500, approved: 410 },
  countries: new Map([['GB', { numbers: 300, approved: 240, sinceMs: 1_791_000_000_000 }]]),
  pending: [[30_000_000, 2]],
  asked: 3.5,
  sent: 4.5,
  recent: 2.5,
  hours: {
    ...noHours,
    day: 20_833,
    today: noHours.today.with(16, 7),
    days: 9,
    mean: 41.5,
    roots: noHours.roots.with(15, 6.25),
  },
  scouts: { numbers: 3, approved: 1 },
  learntAtMs: 1_795_000_000_000,
  misfit: { by: 'refused', numbers: 24, approved: 19, expected: 0.62 },
  misfitAtMs: 1_794_000_000_000,
}
const lettersOf = (keys: Record<string, Key | TimeKey>) =>
  Object.values(keys).flatMap((key) => ('rest' in key ? [key.letter, key.rest.letter] : [key.letter]))
/** A value as exact as the field is stored. */
const valueFor = (key: Key | TimeKey) =>
  'rest' in key ? 1_800_000_070_000.25 : key.per > 1 ? 20_000_000.0625 : 1_800_000_000_000

describe('what the guard stores', () => {
  it('has a letter for each field, and no letter twice', () => {
    assert.deepEqual(
      [...Object.keys(debtKeys), ...Object.keys(wideKeys), 'due'].toSorted(),
      Object.keys(noDebt).toSorted(),
    )
    assert.deepEqual([...Object.keys(ownKeys), 'open'].toSorted(), Object.keys(stranger).toSorted())
    for (const letters of [
      [debtKeys, wideKeys, slotKeys].flatMap(lettersOf),
      [ownKeys, chargeKeys, slotKeys].flatMap(lettersOf),
      Object.values(textKeys),
    ])
      assert.equal(new Set(letters).size, letters.length)
    for (const letter of [debtKeys, wideKeys, slotKeys, ownKeys, chargeKeys].flatMap(lettersOf))
      assert.match(letter, /^[A-Za-z]$/)
  })

  for (const [field, key] of Object.entries({ ...debtKeys, ...wideKeys }))
    it(`keeps ${field} of a debt by itself, and takes no room for anything else`, () => {
      const value = field.startsWith('is') ? true : valueFor(key)
      const debt = { ...noDebt, [field]: value }
      const text = encodeDebt('country', debt)
      assert.deepEqual(decodeDebt(text), debt)
      assert.deepEqual(text.match(/[A-Za-z]/g), lettersOf({ key }))
      if (typeof value === 'number' && !('rest' in key))
        assert.deepEqual(decodeDebt(encodeDebt('country', { ...noDebt, [field]: -value })), {
          ...noDebt,
          [field]: -value,
        })
    })

  for (const [field, key] of Object.entries(ownKeys))
    it(`keeps ${field} of an acquaintance by itself, and takes no room for anything else`, () => {
      const known = { ...stranger, [field]: valueFor(key) }
      const text = encodeAcquaintance(known)
      assert.deepEqual(decodeAcquaintance('app', text), known)
      assert.deepEqual(text.match(/[A-Za-z]/g), [key.letter])
    })

  it('takes no room for nothing', () => {
    assert.equal(encodeDebt('country', noDebt), '')
    assert.equal(encodeAcquaintance(stranger), '')
    assert.deepEqual(decodeDebt(''), noDebt)
  })

  it('passes over a letter that it does not know, wherever that stands', () => {
    const used = new Set([debtKeys, wideKeys, slotKeys, ownKeys, chargeKeys].flatMap(lettersOf))
    const unknown = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'].find(
      (letter) => !used.has(letter),
    )
    assert.ok(unknown)
    const withMore = (text: string) => text.replaceAll(/(?=[A-Za-z])|$/g, `${unknown}-17`)
    assert.deepEqual(decodeDebt(withMore(encodeDebt('country', full))), full)
    const known = { ...stranger, verifiedAtMs: full.atMs, owed: 1.5 }
    assert.deepEqual(decodeAcquaintance('app', withMore(encodeAcquaintance(known))), known)
    const met = { ...stranger, sentAtMs: 5, open: chargeOf('81.2.69.142') }
    assert.deepEqual(
      decodeAcquaintance('app', `${encodeAcquaintance(met).replace('|', '|Zrange|')}|Z|Zlast`),
      decodeAcquaintance('app', encodeAcquaintance(met)),
    )
  })

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
    assert.deepEqual(decodeDebt(encodeDebt('r10k', full)), { ...full, ...usual, delayMs: noDebt.delayMs })
  })

  it('brings an address back with what share of its codes is typed, and when', () => {
    const { usualNumbers, usualApproved, delayMs } = decodeDebt(encodeDebt('ip', full))
    assert.deepEqual(
      [usualNumbers, usualApproved, delayMs],
      [full.usualNumbers, full.usualApproved, full.delayMs],
    )
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
    // The issuer is charged only where the app has its people, and is stored only then.
    const place = { ...home, home: { ...home.home, issuer: null } }
    const issuer = home.home.issuer
    assert.ok(issuer)
    const sent = {
      atMs: 5,
      place,
      isScout: false,
      isNarrow: false,
      isSmallCarrier: false,
      isApart: false,
      isOnTrial: false,
      isSimulated: false,
      lanes: [],
    }
    const charges: Charge[] = [
      { ...sent, isKnown: false, isHome: false, isOnTrial: true, isSimulated: true },
      {
        ...sent,
        place: home,
        isKnown: false,
        isHome: true,
        isNarrow: true,
        isSmallCarrier: true,
        isApart: true,
      },
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
  })
})

describe('the examples of docs/pumping-inside.md', () => {
  const page = readFileSync(new URL('../../../../../../docs/pumping-inside.md', import.meta.url), 'utf8')
  const [, stored = ''] = page.split('## What is stored')
  const [row = '', acquaintance = ''] = [...stored.matchAll(/^```\n(.*)\n```/gm)].map(([, text = '']) => text)

  it('are a row with a block, and a recipient, as they are stored', () => {
    const [[part, text] = ['', '']] = partsIn(row)
    const name = blockNameIn(row, part)
    assert.ok(name)
    assert.equal(rowText([[part, encodeDebt('r100', decodeDebt(text))], blockEntry(part, name)]), row)
    assert.equal(encodeAcquaintance(decodeAcquaintance('app', acquaintance)), acquaintance)
  })
})

function chargeOf(ipKey: string): Charge {
  const place = placeOf({ appId: 'app', number: '+447872212345', region: 'GB', ipKey }, () => 'hidden')
  const never = {
    isScout: false,
    isNarrow: false,
    isSmallCarrier: false,
    isApart: false,
    isOnTrial: false,
    isSimulated: false,
    lanes: [],
  }
  return { atMs: 5, place, isKnown: false, isHome: true, ...never }
}

/** Labels of ranges are not stored. */
const withoutLabels = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, inner) => (key === 'label' ? '' : inner)))
