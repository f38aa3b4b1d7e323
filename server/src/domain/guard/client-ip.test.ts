import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseClientIp } from './client-ip.ts'

describe('a client_ip', () => {
  for (const [text, address, limitKey] of [
    ['8.8.8.8', '8.8.8.8', '8.8.8.8'],
    ['1.0.0.1', '1.0.0.1', '1.0.0.1'],
    ['223.255.255.254', '223.255.255.254', '223.255.255.254'],
    ['::ffff:8.8.8.8', '8.8.8.8', '8.8.8.8'],
    ['::FFFF:808:808', '8.8.8.8', '8.8.8.8'],
    ['64:ff9b::808:808', '8.8.8.8', '8.8.8.8'],
    ['64:ff9b::8.8.8.8', '8.8.8.8', '8.8.8.8'],
    ['2606:4700:4700::1111', '2606:4700:4700::1111', '2606:4700:4700::/64'],
    ['2606:4700:4700:0:ffff:ffff:ffff:ffff', '2606:4700:4700:0:ffff:ffff:ffff:ffff', '2606:4700:4700::/64'],
    ['2A00:1450:4001:81B::200E', '2a00:1450:4001:81b::200e', '2a00:1450:4001:81b::/64'],
  ] as const) {
    it(`${text} is usable, as ${address} and counted as ${limitKey}`, () => {
      assert.deepEqual(parseClientIp(text), { kind: 'usable', ip: { address, limitKey } })
    })
  }

  const absent: Record<string, string[]> = {
    private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
    'shared (CGNAT)': ['100.64.0.1', '100.127.255.255'],
    'loopback or unspecified': ['127.0.0.1', '127.255.0.1', '0.0.0.0', '0.1.2.3', '::1', '::'],
    'link-local': ['169.254.169.254', 'fe80::1', 'febf::1'],
    'for documentation': ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    'for benchmarks': ['198.18.0.1', '198.19.255.255', '2001:2::1'],
    'multicast or broadcast': ['224.0.0.1', '239.1.1.1', 'ff02::1', '255.255.255.255'],
    reserved: ['240.0.0.1', '192.0.0.1', '4000::1', 'fec0::1', '5f00::1'],
    '6to4 or Teredo': ['192.88.99.1', '2002:808:808::1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    'unique local': ['fc00::1', 'fdff::1'],
    'for discarding': ['100::1'],
    'for ORCHID': ['2001:10::1', '2001:20::1'],
    'IPv4-compatible, in whichever spelling': [
      '::8.8.8.8',
      '::808:808',
      '0:0:0:0:0:0:8.8.8.8',
      '0:0:0:0:0:0:808:808',
      '::0:8.8.8.8',
    ],
    'a wrapped one that cannot be used': [
      '::ffff:10.0.0.1',
      '::ffff:127.0.0.1',
      '64:ff9b::a00:1',
      '64:ff9b::192.168.1.1',
      '64:ff9b:1::808:808',
    ],
  }
  for (const [name, texts] of Object.entries(absent)) {
    it(`counts as absent when it is ${name}`, () => {
      for (const text of texts) {
        const parsed = parseClientIp(text)
        assert.equal(parsed.kind, 'absent', text)
        assert.ok(parsed.kind === 'absent' && parsed.why.length > 0)
      }
    })
  }

  const malformed: Record<string, string[]> = {
    'no address': [
      '',
      ' ',
      'x',
      'localhost',
      'example.com',
      '8.8.8.8.8',
      '256.1.1.1',
      '8.8.8',
      '1',
      '134744072',
    ],
    'an address in another base': ['010.0.0.1', '0x7f.1', '0x8.8.8.8', '08.8.8.8'],
    'padded or decorated': [
      ' 8.8.8.8',
      '8.8.8.8 ',
      '8.8.8.8\n',
      '[2606:4700::1]',
      '8.8.8.8:80',
      '8.8.8.8/32',
      '2606:4700::/32',
    ],
    zoned: ['fe80::1%eth0', '2606:4700::1%1', 'fe80::1%25eth0'],
    'a broken IPv6 address': [
      '2606:4700:::1',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '2606::4700::1',
      'g::1',
      '::ffff:8.8.8',
      '12345::1',
    ],
  }
  for (const [name, texts] of Object.entries(malformed)) {
    it(`is malformed when it is ${name}`, () => {
      for (const text of texts)
        assert.deepEqual(parseClientIp(text), { kind: 'malformed' }, JSON.stringify(text))
    })
  }
})
