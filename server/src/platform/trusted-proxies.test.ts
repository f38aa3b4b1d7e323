import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { callerAddress, parseCidr } from './trusted-proxies.ts'

const trust = (...entries: string[]) =>
  entries.map((entry) => {
    const cidr = parseCidr(entry)
    assert.ok(cidr, entry)
    return cidr
  })
const person = '198.51.100.7'
const stranger = '203.0.113.9'

describe('the caller’s address', () => {
  it('is the connection’s own when nobody is trusted, whatever the header claims', () => {
    for (const header of [undefined, '', person, `${person}, 10.0.0.1`, 'garbage', '127.0.0.1', ',,,']) {
      assert.equal(callerAddress(stranger, header, []), stranger)
    }
  })

  it('is the connection’s own when it does not come through a trusted proxy', () => {
    assert.equal(callerAddress(stranger, `${person}, 10.0.0.1`, trust('10.0.0.0/8')), stranger)
  })

  it('is what the trusted proxy saw', () => {
    assert.equal(callerAddress('10.0.0.1', person, trust('10.0.0.0/8')), person)
  })

  it('is read through several trusted proxies', () => {
    const trusted = trust('10.0.0.0/8', '192.0.2.4')
    assert.equal(callerAddress('10.0.0.1', `${person}, 192.0.2.4, 10.9.9.9`, trusted), person)
  })

  it('is not what the caller wrote before the proxy added its own', () => {
    const trusted = trust('10.0.0.0/8')
    for (const claim of ['1.1.1.1', '10.0.0.5', '127.0.0.1', '1.1.1.1, 10.0.0.5', 'garbage', '']) {
      assert.equal(callerAddress('10.0.0.1', `${claim}, ${person}`, trusted), person)
    }
  })

  it('stays one address however many the caller makes up', () => {
    const trusted = trust('10.0.0.0/8')
    const seen = new Set(
      Array.from({ length: 200 }, (_, count) =>
        callerAddress('10.0.0.1', `1.2.3.${count}, ${person}`, trusted),
      ),
    )
    assert.deepEqual([...seen], [person])
  })

  it('is the nearest hop that can be read when the one before it is garbage', () => {
    const trusted = trust('10.0.0.0/8')
    for (const garbage of [
      'unknown',
      '_hidden',
      '',
      '1.2.3.4:x',
      '1.2.3.4:123456',
      '[2001:db8::1',
      '999.1.1.1:80',
      'a\0b',
    ]) {
      assert.equal(callerAddress('10.0.0.1', `${person}, ${garbage}`, trusted), '10.0.0.1')
      assert.equal(callerAddress('10.0.0.1', `${person}, ${garbage}, 10.0.0.2`, trusted), '10.0.0.2')
    }
  })

  it('is read where the proxy writes the port beside it', () => {
    const trusted = trust('10.0.0.0/8')
    for (const [written, address] of [
      [`${person}:5678`, person],
      ['[2001:db8::1]:443', '2001:db8::1'],
      ['[2001:db8::1]', '2001:db8::1'],
      ['2001:db8::1', '2001:db8::1'],
      ['[::ffff:198.51.100.7]:443', '::ffff:198.51.100.7'],
    ] as const) {
      assert.equal(callerAddress('10.0.0.1', `${stranger}, ${written}`, trusted), address)
      assert.equal(callerAddress('10.0.0.1', `${written}, 10.0.0.2:81`, trusted), address)
    }
  })

  it('is the outermost proxy when every hop is trusted', () => {
    assert.equal(callerAddress('10.0.0.1', '10.0.0.3, 10.0.0.2', trust('10.0.0.0/8')), '10.0.0.3')
    assert.equal(callerAddress('10.0.0.1', undefined, trust('10.0.0.0/8')), '10.0.0.1')
  })

  it('knows a trusted IPv4 proxy in its IPv4-mapped form', () => {
    const trusted = trust('10.0.0.0/8')
    assert.equal(callerAddress('::ffff:10.0.0.1', person, trusted), person)
    assert.equal(callerAddress('::ffff:a00:1', person, trusted), person)
    assert.equal(callerAddress('10.0.0.1', `${person}, ::ffff:10.0.0.2`, trusted), person)
  })

  it('does not take an IPv4-mapped stranger for a proxy', () => {
    assert.equal(callerAddress('::ffff:203.0.113.9', person, trust('10.0.0.0/8')), '::ffff:203.0.113.9')
  })

  it('is read through trusted IPv6 proxies', () => {
    const trusted = trust('2001:db8:1::/48', '::1')
    assert.equal(callerAddress('2001:db8:1::7', '2001:db8:2::9', trusted), '2001:db8:2::9')
    assert.equal(callerAddress('::1', '2001:db8:2::9, 2001:db8:1:0::1', trusted), '2001:db8:2::9')
    assert.equal(callerAddress('2001:db8:3::7', '2001:db8:2::9', trusted), '2001:db8:3::7')
  })

  it('does not mix the families up: an IPv6 range trusts no IPv4 address', () => {
    assert.equal(callerAddress('10.0.0.1', person, trust('::/0')), '10.0.0.1')
    assert.equal(callerAddress('2001:db8::1', person, trust('0.0.0.0/0')), '2001:db8::1')
  })

  it('is found in a header of a thousand hops', () => {
    const many = Array.from({ length: 1_000 }, () => '10.0.0.2').join(', ')
    assert.equal(callerAddress('10.0.0.1', `${person}, ${many}`, trust('10.0.0.0/8')), person)
  })
})

describe('a trusted entry', () => {
  it('is an address or a CIDR, of either family', () => {
    for (const entry of ['10.0.0.0/8', '192.0.2.4', '2001:db8::/32', '::1', '0.0.0.0/0', '10.1.2.3/32']) {
      assert.ok(parseCidr(entry), entry)
    }
    assert.equal(parseCidr('192.0.2.4')?.[1], 32)
    assert.equal(parseCidr('::1')?.[1], 128)
  })

  it('is the same in its IPv4-mapped form', () => {
    for (const entry of ['::ffff:10.0.0.1', '::ffff:a00:1', '::ffff:10.0.0.0/104']) {
      for (const connection of ['10.0.0.1', '::ffff:10.0.0.1'])
        assert.equal(callerAddress(connection, person, trust(entry)), person, entry)
      assert.equal(callerAddress(stranger, person, trust(entry)), stranger)
    }
    // All of IPv4: the 96 bits are only the prefix of the mapped form.
    assert.equal(callerAddress('10.0.0.1', person, trust('::ffff:0:0/96')), person)
  })

  it('is nothing else', () => {
    for (const entry of [
      '',
      'localhost',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0.0/',
      '/8',
      '::/129',
      '10.0.0.0/8/8',
      '256.0.0.0',
      '10.0.0.1:80',
      '*',
    ]) {
      assert.equal(parseCidr(entry), null, entry)
    }
  })

  it('is not a shortened or octal form, which would name another address than it seems to', () => {
    for (const entry of ['10', '10.1', '010.0.0.1', '0x0a.0.0.1', '010.0.0.0/8']) {
      assert.equal(parseCidr(entry), null, entry)
    }
  })
})
