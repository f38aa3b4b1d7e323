import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newId } from '../../../platform/ids.ts'
import { type NoteBounds, RefusalNotes } from './notes.ts'
import type { Refusal } from './refusal.ts'

const companyId = newId('company', 0)
const refusal = (more: Partial<Refusal> = {}): Refusal => ({
  companyId,
  appId: 'app_a' as Refusal['appId'],
  kind: 'send',
  otpId: null,
  errorType: 'GeoBlockedError',
  decided: { rule: 'geo', outcome: 'refuse', facts: { because: 'blocked', country: 'FR' } },
  maskedRecipient: '+33****78',
  recipientHash: Buffer.from('x'),
  country: 'FR',
  channel: 'sms',
  keyId: newId('key', 0),
  clientIp: null,
  priceMicros: 50_000n,
  atMs: 1_000,
  ...more,
})
/** A refusal by the guard against pumping at a place that it has closed. */
const stopped = (place: string, level: 'r10k' | 'ip' = 'r10k') =>
  refusal({
    country: 'AZ',
    keyId: null,
    decided: {
      rule: 'pumping',
      outcome: 'refuse',
      facts: {
        because: 'stopped',
        level,
        place,
        kind: 'block',
        numbers: 9,
        approvals: 0,
        excuse: null,
        otherwise: 'refuse',
        retry_after: 60,
      },
    },
  })
const bounds: NoteBounds = {
  ownRows: 3,
  ownRowsPerSecond: 1,
  mostWaiting: 100,
  sharedRowsOfApp: 2,
  sharedRows: 10,
  sharedForMs: 60_000,
  placesOfHour: 4,
}

function noting(more: Partial<NoteBounds> = {}) {
  let nowMs = 0
  const notes = new RefusalNotes({ ...bounds, ...more }, () => nowMs)
  return {
    notes,
    pass: (ms: number) => {
      nowMs += ms
    },
    /** Returns everything that is to be written, as a writer would see it. */
    writeAll: () => {
      const taken = notes.take(10_000)
      notes.settle(taken)
      notes.tidy()
      return taken
    },
  }
}
const sum = (rows: readonly { count: number }[]) => rows.reduce((total, { count }) => total + count, 0)

describe('what is refused', () => {
  it('has a row of its own up to a rate, and shares one with its equals beyond it', () => {
    const { notes, writeAll } = noting()
    const equal = refusal()
    for (let count = 0; count < 1_000; count++) notes.note(equal)
    assert.equal(notes.unwritten, 1_000)
    const rows = writeAll()
    assert.deepEqual(
      rows.map(({ count, priceMicros }) => [count, priceMicros]),
      [
        [1, 50_000n],
        [1, 50_000n],
        [1, 50_000n],
        [997, 997n * 50_000n],
      ],
    )
    assert.equal(notes.unwritten, 0)
  })

  it('gets rows of its own back as time passes', () => {
    const { notes, pass, writeAll } = noting()
    for (let count = 0; count < 4; count++) notes.note(refusal())
    assert.equal(writeAll().length, 4)
    pass(2_000)
    for (let count = 0; count < 2; count++) notes.note(refusal())
    assert.deepEqual(
      writeAll().map(({ count }) => count),
      [1, 1],
    )
  })

  it('of one app takes no rows of its own from another', () => {
    const { notes, writeAll } = noting()
    for (let count = 0; count < 50; count++) notes.note(refusal())
    notes.note(refusal({ appId: 'app_b' as Refusal['appId'] }))
    assert.equal(writeAll().filter(({ refusal: { appId } }) => appId === 'app_b').length, 1)
  })

  it('is added to the same row for a minute, with its whole count each time, and then to another', () => {
    const { notes, pass, writeAll } = noting({ ownRows: 0, ownRowsPerSecond: 0 })
    const equal = refusal()
    notes.note(equal)
    const [first] = writeAll()
    for (let count = 0; count < 5; count++) notes.note(equal)
    assert.deepEqual(writeAll(), [{ ...first, count: 6, priceMicros: 300_000n }])
    pass(61_000)
    notes.note(equal)
    // The row is not forgotten yet, since its newest count is not written.
    assert.deepEqual(writeAll(), [{ ...first, count: 7, priceMicros: 350_000n }])
    notes.note(equal)
    const [next] = writeAll()
    assert.equal(next?.count, 1)
    assert.notEqual(next?.refusalId, first?.refusalId)
  })

  it('of too many kinds is folded by rule alone, and none is lost', () => {
    const { notes, writeAll } = noting({ ownRows: 0, ownRowsPerSecond: 0 })
    const countries = ['FR', 'DE', 'IT', 'ES', 'PT']
    for (let count = 0; count < 500; count++)
      notes.note(refusal({ country: countries[count % 5] ?? null, keyId: newId('key', 0) }))
    const rows = writeAll()
    assert.equal(rows.length, 3)
    assert.equal(sum(rows), 500)
    const coarse = rows.at(-1)
    assert.deepEqual(
      [coarse?.refusal.country, coarse?.refusal.channel, coarse?.refusal.keyId, coarse?.count],
      [null, null, null, 498],
    )
  })

  it('by two rules of the app’s own is counted for each', () => {
    const { notes, writeAll } = noting({ ownRows: 0, ownRowsPerSecond: 0 })
    const [first, second] = ['rul_a', 'rul_b'].map((rule_id) =>
      refusal({
        keyId: null,
        decided: {
          rule: 'own_rule',
          outcome: 'refuse',
          facts: { rule_id, name: rule_id, action: 'refuse', effect: 'refuse' },
        },
      }),
    )
    for (const each of [first, second, first]) if (each) notes.note(each)
    const rows = writeAll().map(({ refusal: { decided }, count }) => [decided.facts, count])
    assert.deepEqual(rows, [
      [first?.decided.facts, 2],
      [second?.decided.facts, 1],
    ])
  })

  it('in a few places is counted for each, in more by country, and none is lost', () => {
    const { notes, writeAll } = noting({ ownRows: 0, ownRowsPerSecond: 0, sharedRowsOfApp: 4 })
    for (let count = 0; count < 500; count++) notes.note(stopped(`+99450${count % 5}xxxx`))
    notes.note(stopped('81.2.69.142', 'ip'))
    const rows = writeAll()
    assert.deepEqual(
      rows.map(({ where, count }) => [where?.country, where?.place, count]),
      [
        ['AZ', '+994500xxxx', 100],
        ['AZ', '+994501xxxx', 100],
        ['AZ', null, 301],
      ],
    )
  })

  it('is counted in so many places an hour, and by country beyond them', () => {
    const { notes, writeAll } = noting({ ownRows: 1_000 })
    const places = [0, 1, 2, 3, 4, 5].map((digit) => `+99450${digit}xxxx`)
    const noteAll = (atMs: number, from: readonly string[]) => {
      for (const place of from) notes.note({ ...stopped(place), atMs })
      return writeAll().map(({ where }) => where?.place)
    }
    const known = [...places.slice(0, 4), null, null]
    assert.deepEqual(noteAll(0, places), known)
    assert.deepEqual(noteAll(1_000, places), known)
    const others = places.toReversed()
    assert.deepEqual(noteAll(3_600_000, others), [...others.slice(0, 4), null, null])
  })

  it('for a client address is counted without it', () => {
    const { notes, writeAll } = noting()
    notes.note(stopped('81.2.69.142', 'ip'))
    assert.deepEqual(writeAll()[0]?.where, { country: 'AZ', level: 'ip', place: null })
  })

  it('of many apps is bounded over all of them, and none is lost', () => {
    const { notes, writeAll } = noting({ ownRows: 0, ownRowsPerSecond: 0 })
    for (let app = 0; app < 100; app++) {
      const appId = `app_${app}` as Refusal['appId']
      for (const country of ['FR', 'DE', 'IT']) notes.note(refusal({ appId, country }))
    }
    const rows = writeAll()
    assert.equal(sum(rows), 300)
    assert.equal(rows.filter(({ refusal: { country } }) => country !== null).length, bounds.sharedRows)
    assert.ok(rows.length <= bounds.sharedRows + 100)
  })

  it('while nothing can be written waits within its bound, in rows that go on counting', () => {
    const { notes, pass, writeAll } = noting({ ownRows: 1_000, mostWaiting: 10 })
    for (let minute = 0; minute < 60; minute++) {
      for (let count = 0; count < 100; count++) notes.note(refusal({ keyId: null }))
      pass(60_000)
      notes.tidy()
    }
    const rows = writeAll()
    assert.equal(rows.length, 11)
    assert.equal(sum(rows), 6_000)
    assert.equal(notes.unwritten, 0)
    for (let count = 0; count < 10; count++) notes.note(refusal())
    assert.equal(writeAll().length, 10, 'what is written makes room')
  })

  it('that comes while a row is being written is written with the next', () => {
    const { notes, writeAll } = noting({ ownRows: 0, ownRowsPerSecond: 0 })
    const equal = refusal()
    notes.note(equal)
    const taken = notes.take(10)
    notes.note(equal)
    notes.settle(taken)
    assert.equal(notes.unwritten, 1)
    assert.deepEqual(
      writeAll().map(({ count }) => count),
      [2],
    )
    assert.deepEqual(notes.take(10), [])
  })
})
