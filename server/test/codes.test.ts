/** Codes are drawn from a keyed hash: every value of the range, equally often, and no other. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newId } from '../src/platform/ids.ts'
import { Keyring } from '../src/platform/keyring.ts'

const keyring = new Keyring([{ id: 1, secret: randomBytes(32), activeFromMs: 0 }])
const now = Date.now()
const otpId = newId('verification', now)
let version = 0
const newCode = (length: number) => keyring.code(1, otpId, ++version, length)

const fixed = new Keyring([{ id: 1, secret: Buffer.alloc(32, 7), activeFromMs: 0 }])
const fixedId = 'otp_01jz0000000000000000000000'

/** How far the counts are from uniform, in standard deviations of the chi-square distribution. */
function distanceFromUniform(counts: ArrayLike<number>): number {
  const total = Array.from(counts).reduce((sum, count) => sum + count, 0)
  const expected = total / counts.length
  const chiSquare = Array.from(counts).reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  const freedom = counts.length - 1
  return (chiSquare - freedom) / Math.sqrt(2 * freedom)
}

/** Chance exceeds this less than once in a million runs, even for the heaviest tail here (nine degrees of freedom). */
const mostDeviations = 12

test('codes are uniform in every digit and over the whole range', () => {
  // Enough draws to show the bias if 24 bits were taken modulo a million.
  const draws = 200_000
  const digits = Array.from({ length: 6 }, () => new Uint32Array(10))
  const thousands = new Uint32Array(1000)
  const seen = new Uint8Array(1_000_000)
  for (let draw = 0; draw < draws; draw++) {
    const code = newCode(6)
    assert.ok(code.length === 6)
    const value = Number(code)
    thousands[Math.floor(value / 1000)] = (thousands[Math.floor(value / 1000)] ?? 0) + 1
    seen[value] = 1
    digits.forEach((counts, position) => {
      const digit = code.charCodeAt(position) - 48
      counts[digit] = (counts[digit] ?? 0) + 1
    })
  }
  for (const [position, counts] of digits.entries()) {
    assert.ok(distanceFromUniform(counts) < mostDeviations, `digit ${position}: ${counts.join(' ')}`)
  }
  assert.ok(distanceFromUniform(thousands) < mostDeviations)
  // How many of a million values that many uniform draws hit; the standard deviation of the count is about 120.
  const distinct = seen.reduce((sum, mark) => sum + mark, 0)
  assert.ok(
    Math.abs(distinct - seen.length * (1 - Math.exp(-draws / seen.length))) < 1200,
    `${distinct} distinct codes`,
  )
})

test('every four-digit code occurs, 0000 and 9999 among them', () => {
  const counts = new Uint32Array(10_000)
  // With a fixed key, so that no value is missing by chance.
  for (let draw = 0; draw < 120_000; draw++) {
    const code = fixed.code(1, fixedId, draw, 4)
    assert.ok(/^[0-9]{4}$/.test(code))
    counts[Number(code)] = (counts[Number(code)] ?? 0) + 1
  }
  assert.deepEqual(
    [...counts.keys()].filter((value) => counts[value] === 0),
    [],
  )
  assert.ok(distanceFromUniform(counts) < mostDeviations)
})

test('000000 and 999999 are codes like any other', () => {
  // Versions that give these codes were searched for once; a change of the derivation would void every pending code.
  assert.equal(fixed.code(1, fixedId, 475_371, 6), '000000')
  assert.equal(fixed.code(1, fixedId, 1_222_508, 6), '999999')
})

test('codes of every length have exactly that many digits, leading zeros kept', () => {
  for (const length of [4, 5, 6, 7, 8]) {
    const codes = Array.from({ length: 2000 }, () => newCode(length))
    assert.ok(codes.every((code) => code.length === length && /^[0-9]+$/.test(code)))
    assert.ok(codes.some((code) => code.startsWith('0')))
  }
})

test('a code is the same whenever it is issued again, and another for each version, verification and key', () => {
  const keys = [1, 2].map((id) => ({ id, secret: randomBytes(32), activeFromMs: 0 }))
  const both = new Keyring(keys)
  const [first, second] = [newId('verification', now), newId('verification', now)]
  assert.equal(both.code(1, first, 1, 8), new Keyring(keys).code(1, first, 1, 8))
  const codes = [
    both.code(1, first, 1, 8),
    both.code(1, first, 2, 8),
    both.code(1, second, 1, 8),
    both.code(2, first, 1, 8),
  ]
  assert.equal(new Set(codes).size, codes.length)
})

test('what is stored of a code differs for the same digits of another verification or key', () => {
  const both = new Keyring([1, 2].map((id) => ({ id, secret: randomBytes(32), activeFromMs: 0 })))
  const [first, second] = [newId('verification', now), newId('verification', now)]
  const stored = [
    both.codeMac(1, first, '123456'),
    both.codeMac(1, second, '123456'),
    both.codeMac(2, first, '123456'),
    both.codeMac(1, first, '123457'),
  ].map((mac) => mac.toString('hex'))
  assert.equal(new Set(stored).size, stored.length)
})

test('a link reference carries 80 bits in letters that cannot be mistaken, and differs for each version', () => {
  const references = Array.from({ length: 1000 }, (_, index) => keyring.linkReference(1, otpId, index))
  assert.ok(
    references.every((reference) => /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/.test(reference)),
  )
  assert.equal(new Set(references).size, references.length)
})
