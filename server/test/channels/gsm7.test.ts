import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countSegments, encodeGsm7, isGsm7, splitText } from '../../src/channels/smpp/gsm7.ts'
import { segmentText } from '../../src/channels/smpp/segments.ts'

describe('gsm-7', () => {
  it('knows the default alphabet by its codes', () => {
    assert.deepEqual([...encodeGsm7('@£$¥èéùìòÇ\nØø\rÅå')], [...Array(16).keys()])
    assert.deepEqual(
      [...encodeGsm7('Δ_ΦΓΛΩΠΨΣΘΞ')],
      [...Array(11).keys()].map((code) => code + 16),
    )
    assert.deepEqual([...encodeGsm7(' AZaz¡¿à')], [0x20, 0x41, 0x5a, 0x61, 0x7a, 0x40, 0x60, 0x7f])
    assert.deepEqual([...encodeGsm7('ÄÖÑÜ§äöñü')], [0x5b, 0x5c, 0x5d, 0x5e, 0x5f, 0x7b, 0x7c, 0x7d, 0x7e])
  })

  it('escapes the extension characters, which count twice', () => {
    assert.deepEqual(
      [...encodeGsm7('^{}\\[~]|€\f')].filter((_, index) => index % 2 === 0),
      Array(10).fill(0x1b),
    )
    assert.deepEqual(
      [...encodeGsm7('^{}\\[~]|€\f')].filter((_, index) => index % 2 === 1),
      [0x14, 0x28, 0x29, 0x2f, 0x3c, 0x3d, 0x3e, 0x40, 0x65, 0x0a],
    )
    assert.equal(countSegments('€€').units, 4)
  })

  it('tells what it cannot carry', () => {
    for (const text of ['ç', 'Привет', '’', '👍', '\u001b', '`'])
      assert.equal(isGsm7(text), false, JSON.stringify(text))
    assert.equal(isGsm7('Your code is 123456. @example.com #123456'), true)
  })

  it('counts 160 and 153 septets, 70 and 67 code units to a segment', () => {
    assert.deepEqual(countSegments('a'.repeat(160)), { encoding: 'gsm7', segments: 1, units: 160 })
    assert.deepEqual(countSegments('a'.repeat(161)), { encoding: 'gsm7', segments: 2, units: 161 })
    assert.deepEqual(countSegments('a'.repeat(306)), { encoding: 'gsm7', segments: 2, units: 306 })
    assert.deepEqual(countSegments('a'.repeat(307)), { encoding: 'gsm7', segments: 3, units: 307 })
    assert.deepEqual(countSegments('я'.repeat(70)), { encoding: 'ucs2', segments: 1, units: 70 })
    assert.deepEqual(countSegments('я'.repeat(71)), { encoding: 'ucs2', segments: 2, units: 71 })
    assert.deepEqual(countSegments('я'.repeat(135)), { encoding: 'ucs2', segments: 3, units: 135 })
    assert.deepEqual(countSegments(''), { encoding: 'gsm7', segments: 1, units: 0 })
  })

  it('never cuts through an escape sequence or a surrogate pair', () => {
    const escaped = splitText(`${'a'.repeat(152)}€${'b'.repeat(100)}`)
    assert.deepEqual(escaped.parts, ['a'.repeat(152), `€${'b'.repeat(100)}`])
    const paired = splitText(`${'я'.repeat(66)}👍${'я'.repeat(10)}`)
    assert.deepEqual(paired.parts, ['я'.repeat(66), `👍${'я'.repeat(10)}`])
  })

  it('puts a concatenation header before each part and says so in esm_class', () => {
    const segments = segmentText('x'.repeat(200), 0x1ab) ?? []
    assert.deepEqual(
      segments.map(({ esmClass, dataCoding, shortMessage }) => [
        esmClass,
        dataCoding,
        shortMessage.subarray(0, 6).toString('hex'),
        shortMessage.length,
      ]),
      [
        [0x40, 0, '050003ab0201', 159],
        [0x40, 0, '050003ab0202', 53],
      ],
    )
    const [unicode] = segmentText('я', 0) ?? []
    assert.deepEqual(
      [unicode?.esmClass, unicode?.dataCoding, unicode?.shortMessage.toString('hex')],
      [0, 8, '044f'],
    )
  })

  it('refuses what 255 segments cannot hold', () => {
    assert.equal(segmentText('x'.repeat(153 * 255), 0)?.length, 255)
    assert.equal(segmentText('x'.repeat(153 * 255 + 1), 0), null)
  })
})
