import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Decided, resultOf } from '@countersign/contract'
import { afterApproval, afterSend, stranger, waitOf } from '../acquaintance/acquaintance.ts'
import { isParent } from '../debt/barrier.ts'
import { noDebt } from '../debt/debt.ts'
import { leastMissing, type PlaceLevel, recipientSends } from '../levels.ts'
import { evidenceOf, repeatEvidenceOf } from './evidence.ts'
import { isTiny, type Stop, wideLevels } from './judge.ts'

const nowMs = 1_763_200_000_000
const refused = { excuse: null, otherwise: 'refuse' } as const
const sentenceOf = (facts: Extract<Decided, { rule: 'pumping' }>['facts']) =>
  resultOf({ rule: 'pumping', outcome: 'refuse', facts }).why

const isLevel: Readonly<Record<PlaceLevel, true>> = {
  r100: true,
  r1k: true,
  r10k: true,
  carrier: true,
  country: true,
  known_carrier: true,
  known_country: true,
  ip: true,
}
const levels = Object.keys(isLevel) as PlaceLevel[]

interface Case {
  readonly level: PlaceLevel
  readonly isHold: boolean
  readonly isForMissing: boolean
}
const holds: readonly Case[] = levels.flatMap((level) =>
  [true, false].flatMap((isHold) =>
    // An address is held only for what it owes.
    (level === 'ip' ? [false] : [true, false]).map((isForMissing) => ({ level, isHold, isForMissing })),
  ),
)

describe('a hold', () => {
  it('is of a small place, which is closed while an app learns too, or of a wide one', () => {
    assert.deepEqual(levels.filter((level) => !isTiny(level)).toSorted(), wideLevels.toSorted())
  })

  for (const { level, isHold, isForMissing } of holds)
    it(`of ${level}, ${isHold ? 'held' : 'blocked'} ${isForMissing ? 'before' : 'when'} it owes its threshold, names what was seen, expected and asked for, and what ends it`, () => {
      const by: Stop['by'] = {
        scope: '',
        row: '',
        rowName: '',
        part: '',
        name: '',
        level,
        label: 'the place',
      }
      const state = { ...noDebt, numbers: 17, approved: 2, debt: 7.25, threshold: 7.5, isForMissing }
      const stop = { by, state, isHold, untilMs: nowMs + 90_000, conversion: 0.5 }
      const facts = { ...evidenceOf(stop, nowMs), ...refused }
      const why = sentenceOf(facts)
      assert.match(why, /^Pumping: .*the place.* 2 of 17 .* about 9 were expected/)
      assert.match(why, /(it opens in|the next message is tried in) 2 minutes\.$/)
      assert.deepEqual(
        [
          facts.level,
          facts.place,
          facts.numbers,
          facts.approvals,
          facts.expected,
          facts.owed,
          facts.threshold,
        ],
        [level, 'the place', 17, 2, 0.5, 7.25, 7.5],
      )
      assert.deepEqual([facts.kind, facts.retry_after], [isHold ? 'hold' : 'block', 90])
      assert.equal(facts.ends, isParent(level) && !isHold ? 'approvals' : 'time')
      const reason = isForMissing ? (isParent(level) ? 'missing' : 'pair') : 'owed'
      assert.equal(facts.reason, reason)
      const asked = {
        owed: /reached the threshold of 7\.5/,
        missing: /at least 4, and 50 % of those due/,
        pair: /during an attack a second number of it was asked for within a minute/,
      }[reason]
      assert.match(why, asked)
      assert.equal(facts.missing?.approvals, reason === 'missing' ? leastMissing : undefined)
    })

  it('for missing approvals counts the sends of the last minutes, since a place that owes nothing counts no others', () => {
    const by: Stop['by'] = {
      scope: '',
      row: '',
      rowName: '',
      part: '',
      name: '',
      level: 'country',
      label: 'GB',
    }
    const due = [
      [1, 6, 9, 0],
      [2, 8, 8, 4],
    ] as const
    const state = { ...noDebt, numbers: 1, approved: 1, due, debt: -2.5, threshold: 16, isForMissing: true }
    const stop = { by, state, isHold: true, untilMs: nowMs + 90_000, conversion: 0.78 }
    const held = evidenceOf(stop, nowMs)
    assert.deepEqual([held.numbers, held.approvals], [17, 3])
    assert.match(
      sentenceOf({ ...held, ...refused }),
      /: 3 of 17 new numbers there were approved, where about 13 were expected; codes that should have been used/,
    )
    // Once it is blocked, only scouts are sent.
    const blocked = evidenceOf({ ...stop, isHold: false }, nowMs)
    assert.deepEqual([blocked.numbers, blocked.approvals], [1, 1])
  })

  it('of a number that asks again and again says how many codes it may have: one verification’s, if that is more', () => {
    for (const [mostSends, max] of [
      [0, recipientSends],
      [3, recipientSends],
      [8, 8],
    ] as const) {
      let acquaintance = stranger
      while (!waitOf(acquaintance, mostSends, nowMs)) acquaintance = afterSend(acquaintance, null, nowMs)
      const wait = waitOf(acquaintance, mostSends, nowMs)
      assert.ok(wait)
      const facts = { ...repeatEvidenceOf(wait, nowMs), ...refused }
      assert.deepEqual([facts.sends, facts.owed, facts.max, facts.retry_after], [max, max, max, 3_600])
      assert.match(
        sentenceOf(facts),
        new RegExp(`had ${max} codes and typed none, where it may have ${max} without`),
      )
    }
  })

  it('of a number that types too few says what it owes beside what it had last', () => {
    let acquaintance = stranger
    for (let round = 0; round < 3; round++) {
      for (let sends = 0; sends < 4; sends++) acquaintance = afterSend(acquaintance, null, nowMs)
      if (round < 2) acquaintance = afterApproval(acquaintance, 0.8, nowMs)
    }
    const wait = waitOf(acquaintance, 0, nowMs)
    assert.ok(wait)
    const facts = { ...repeatEvidenceOf(wait, nowMs), ...refused }
    assert.deepEqual([facts.sends, facts.owed, facts.max], [4, 7.83, 5])
    assert.match(
      sentenceOf(facts),
      /has had 4 codes since it last typed one, and owes for about 8, where it may owe for 5/,
    )
  })
})
