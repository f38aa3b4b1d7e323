/** How addresses and networks are parsed, and found in ranges. */
import assert from 'node:assert/strict'
import { BlockList, isIPv6 } from 'node:net'
import { describe, it } from 'node:test'
import { RangeBuilder } from '../src/domain/guard/reputation/ranges.ts'
import { parseNetwork, parseWords } from '../src/domain/guard/reputation/words.ts'
import { wordsOf } from './reputation-support.ts'

describe('an address in a list', () => {
  it('is read strictly, as one in client_ip', () => {
    for (const text of [
      '1',
      '1.2.3',
      '1.2.3.4.5',
      '256.1.1.1',
      '010.0.0.1',
      '0x7f.1',
      '1..2.3',
      '1.2.3.',
      '',
    ])
      assert.equal(parseWords(text), null, text)
    for (const text of ['g::1', '1:2:3', 'fe80::1%eth0', '::ffff:1.2.3', '1::2::3', ':1'])
      assert.equal(parseWords(text), null, text)
  })

  it('is an IPv6 address exactly where Node says so, and has the value that Node gives it', () => {
    const parts = ['', ':', '::', '1', 'ff', 'ABCD', '0', '12345', 'g', '1.2.3.4', '1.2.3', ':0:', '%1']
    let seed = 1
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((seed / 2 ** 32) * below)
    }
    let valid = 0
    for (let count = 0; count < 200_000; count++) {
      const text = Array.from({ length: 1 + random(9) }, () => parts[random(parts.length)]).join(
        random(2) ? ':' : '',
      )
      const isValid = isIPv6(text) && !text.includes('%')
      if (!text.includes(':')) continue
      const words = parseWords(text)
      assert.equal(words !== null, isValid, text)
      if (!words || words.length === 1) continue
      valid++
      const written = words
        .map((word) => word.toString(16).padStart(8, '0').replace(/^..../, '$&:'))
        .join(':')
      assert.equal(new URL(`http://[${written}]`).host, new URL(`http://[${text}]`).host)
    }
    assert.ok(valid > 1_000, `${valid} were addresses`)
  })

  it('is one word, or four; an IPv4 address inside IPv6 is one', () => {
    assert.deepEqual(parseWords('1.2.3.4'), [0x01020304])
    assert.deepEqual(parseWords('255.255.255.255'), [0xffff_ffff])
    assert.deepEqual(parseWords('0.0.0.0'), [0])
    assert.deepEqual(parseWords('2a00:1450:4001:81b::200e'), [0x2a001450, 0x4001081b, 0, 0x200e])
    assert.deepEqual(parseWords('::'), [0, 0, 0, 0])
    assert.deepEqual(parseWords('1::'), [0x10000, 0, 0, 0])
    assert.deepEqual(parseWords('::ffff:1.2.3.4'), [0x01020304])
    assert.deepEqual(parseWords('64:ff9b::1.2.3.4'), [0x64ff9b, 0, 0, 0x01020304])
  })

  it('may stand for a network, by CIDR or from first to last', () => {
    assert.deepEqual(parseNetwork('1.2.3.4/24'), { start: [0x01020300], end: [0x010203ff] })
    assert.deepEqual(parseNetwork('1.2.3.4/32'), { start: [0x01020304], end: [0x01020304] })
    assert.deepEqual(parseNetwork('0.0.0.0/0'), { start: [0], end: [0xffff_ffff] })
    assert.deepEqual(parseNetwork('1.2.3.4-1.2.3.9'), { start: [0x01020304], end: [0x01020309] })
    assert.deepEqual(parseNetwork('::ffff:1.2.3.0/120'), { start: [0x01020300], end: [0x010203ff] })
    assert.deepEqual(parseNetwork('2a00::/33'), {
      start: [0x2a000000, 0, 0, 0],
      end: [0x2a000000, 0x7fff_ffff, 0xffff_ffff, 0xffff_ffff],
    })
    for (const text of [
      '1.2.3.4/33',
      '1.2.3.4/',
      '1.2.3.4/-1',
      '1.2.3.4/x',
      '2a00::/129',
      '1.2.3.9-1.2.3.4',
      '1.2.3.4-2a00::1',
    ])
      assert.equal(parseNetwork(text), null, text)
  })
})

describe('ranges', () => {
  /** A seeded generator: the same numbers in every run. */
  function* numbers(seed: number): Generator<number, never> {
    let value = seed
    for (;;) {
      value = (Math.imul(value, 1_664_525) + 1_013_904_223) >>> 0
      yield value
    }
  }

  it('find what a list that is gone through one by one finds, also where networks overlap or touch', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const random = numbers(seed)
      const builder = new RangeBuilder()
      const slow = new BlockList()
      const near = () =>
        `20.${random.next().value >>> 30}.${(random.next().value >>> 28) * 3}.${random.next().value >>> 24}`
      const nearWide = () =>
        `2a00:${random.next().value >>> 30}::${(random.next().value >>> 28).toString(16)}`
      for (let count = 0; count < 60; count++) {
        for (const [text, bits, family] of [
          [near(), 14 + (random.next().value % 19), 'ipv4'],
          [nearWide(), 30 + (random.next().value % 99), 'ipv6'],
        ] as const) {
          builder.add(parseNetwork(`${text}/${bits}`) ?? assert.fail())
          slow.addSubnet(text, bits, family)
        }
      }
      const ranges = builder.build()
      for (let count = 0; count < 500; count++) {
        const [narrow, wide] = [near(), nearWide()]
        assert.equal(ranges.has(wordsOf(narrow)), slow.check(narrow, 'ipv4'), narrow)
        assert.equal(ranges.has(wordsOf(wide)), slow.check(wide, 'ipv6'), wide)
      }
    }
  })

  it('hold both their ends and not their neighbours, to the last address there is', () => {
    const builder = new RangeBuilder()
    for (const text of ['0.0.0.0', '1.2.3.4-1.2.3.9', '1.2.3.10', '255.255.255.255', '2a00::/64'])
      builder.add(parseNetwork(text) ?? assert.fail())
    const ranges = builder.build()
    assert.equal(ranges.size, 4, '1.2.3.10 touches its neighbour')
    for (const text of [
      '0.0.0.0',
      '1.2.3.4',
      '1.2.3.10',
      '255.255.255.255',
      '2a00::',
      '2a00::ffff:ffff:ffff:ffff',
    ])
      assert.ok(ranges.has(wordsOf(text)), text)
    for (const text of ['0.0.0.1', '1.2.3.3', '1.2.3.11', '255.255.255.254', '29ff:ffff::', '2a00:0:0:1::'])
      assert.ok(!ranges.has(wordsOf(text)), text)
  })

  it('may be none', () => {
    const ranges = new RangeBuilder().build()
    assert.equal(ranges.size, 0)
    assert.equal(ranges.has(wordsOf('1.2.3.4')) || ranges.has(wordsOf('2a00::1')), false)
  })
})
