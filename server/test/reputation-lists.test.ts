/** How lists are parsed, format by format. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseClientIp } from '../src/domain/guard/index.ts'
import { openMmdb } from '../src/domain/guard/reputation/mmdb.ts'
import { parseTextList } from '../src/domain/guard/reputation/text-list.ts'
import { UnreadableError } from '../src/domain/guard/reputation/unreadable.ts'
import { writeMmdb } from './harness/write-mmdb.ts'
import { wordsOf } from './reputation-support.ts'

async function listOf(text: string) {
  const list = await parseTextList(Buffer.from(text))
  return { networks: list.networks, has: (address: string) => list.ranges.has(wordsOf(address)) }
}

describe('a text list', () => {
  it('may have comments, blank lines, tabs and Windows line ends', async () => {
    const list = await listOf(
      '\ufeff# head\r\n; more\r\n\r\n  45.1.2.0/24 # one\r\n\t45.1.3.7\t; two\r\n2a0b:f4c2::/32\r\n',
    )
    assert.equal(list.networks, 3)
    for (const address of ['45.1.2.0', '45.1.2.255', '45.1.3.7', '2a0b:f4c2::7'])
      assert.ok(list.has(address), address)
    for (const address of ['45.1.1.255', '45.1.3.6', '2a0b:f4c3::7']) assert.ok(!list.has(address), address)
  })

  it('may have ranges, with blanks or without', async () => {
    const list = await listOf('45.1.2.5-45.1.2.9\n45.1.4.0 - 45.1.5.255 # office\n2a0b::1-2a0b::5')
    for (const address of ['45.1.2.5', '45.1.2.9', '45.1.5.0', '2a0b::5'])
      assert.ok(list.has(address), address)
    for (const address of ['45.1.2.4', '45.1.2.10', '45.1.6.0', '2a0b::6'])
      assert.ok(!list.has(address), address)
  })

  for (const [publisher, text, listed, networks] of [
    [
      'Spamhaus DROP (text)',
      '; Spamhaus DROP List\n1.10.16.0/20 ; SBL256894\n5.134.128.0/19 ; SBL270738\n',
      '1.10.31.255',
      2,
    ],
    [
      'Spamhaus DROP (JSON lines)',
      '{"cidr":"1.10.16.0/20","sblid":"SBL256894","rir":"apnic"}\n{"cidr":"2a06:f680::/29","sblid":"SBL1","rir":"ripencc"}\n{"type":"metadata","timestamp":1723034418,"size":2,"records":2}\n',
      '2a06:f687::1',
      2,
    ],
    ['FireHOL', '#\n# firehol_level1\n#\n0.0.0.0/8\n1.10.16.0/20\n10.0.0.0/8\n224.0.0.0/3\n', '1.10.16.1', 1],
    ['X4BNet', '2.56.16.0/22\n2.56.24.0/21\n', '2.56.19.255', 2],
    ['Tor (bulk exit list)', '185.220.101.1\n185.220.101.2\n', '185.220.101.2', 2],
    [
      'Tor (exit addresses)',
      'ExitNode 0011BD2485AD45D984EC4159C88FC066E5E3300E\nPublished 2026-01-01 18:00:00\nLastStatus 2026-01-01 20:00:00\nExitAddress 162.247.74.201 2026-01-01 20:06:11\n',
      '162.247.74.201',
      1,
    ],
    [
      'Apple (first column)',
      '172.224.226.0/27,GB,GB-EN,London,\n2a02:26f7:b000::/64,DE,DE-BE,Berlin,\n',
      '2a02:26f7:b000::9',
      2,
    ],
  ] as const) {
    it(`is read as ${publisher} publishes it`, async () => {
      const list = await listOf(text)
      assert.ok(list.has(listed))
      assert.equal(list.networks, networks)
    })
  }

  it('loses what is not public, and what is absurdly wide', async () => {
    const bogons = [
      '0.0.0.0/8',
      '10.1.0.0/16',
      '100.64.0.0/10',
      '127.0.0.1',
      '169.254.169.254',
      '172.16.0.0/12',
    ]
    const more = [
      '192.0.2.0/24',
      '192.168.0.0/16',
      '198.18.0.0/15',
      '203.0.113.9',
      '224.0.0.0/3',
      '240.0.0.0/4',
    ]
    const wide = [
      '::1',
      'fc00::/7',
      'fe80::/10',
      'ff00::/8',
      '2001:db8::/32',
      '2002::/16',
      '2001::/32',
      '4000::/3',
    ]
    const absurd = ['0.0.0.0/0', '::/0', '2000::/3', '1.0.0.0-200.0.0.0', '16.0.0.0/7', '2a00::/15']
    const list = await listOf(
      [...bogons, ...more, ...wide, ...absurd, '17.0.0.0/8', '192.0.0.0/16', '2a00::/16'].join('\n'),
    )
    assert.equal(list.networks, 3)
    assert.ok(list.has('192.0.1.1'), 'a network that is public in part is kept')
    assert.ok(list.has('17.1.2.3') && list.has('2a00:1::1') && !list.has('8.8.8.8') && !list.has('2606::1'))
  })

  it('calls not public only what a client_ip cannot be either', async () => {
    for (let first = 0; first < 256; first++) {
      for (const rest of ['0.0.1', '64.0.1', '88.99.1', '168.0.1', '254.0.1', '255.255.255']) {
        const address = `${first}.${rest}`
        const list = await listOf(address)
        assert.equal(list.networks === 1, parseClientIp(address).kind === 'usable', address)
      }
    }
    for (const address of [
      '2001:1ff::1',
      '2001:200::1',
      '2606::1',
      '3ffe::1',
      '3fff:fff::1',
      '3fff:1000::1',
      '64:ff9b:1::1',
      '5f00::1',
    ])
      assert.equal((await listOf(address)).networks === 1, parseClientIp(address).kind === 'usable', address)
  })

  it('skips a line that names nothing, and is refused when most of them do', async () => {
    const list = await listOf('45.1.2.0/24\nwhat is this\n45.1.3.0/24\n45.1.4.0/99\n45.1.5.5')
    assert.equal(list.networks, 3)
    for (const text of [
      '<!doctype html>\n<title>Sorry</title>\n<p>503',
      '{"error": \n"x"}\nx',
      'a\nb\n45.1.2.3',
    ])
      await assert.rejects(listOf(text), /most of its lines/)
  })

  it('may be empty', async () => {
    assert.equal((await listOf('')).networks, 0)
    assert.equal((await listOf('# nobody\n\n')).networks, 0)
  })
})

describe('a database in MaxMind’s format', () => {
  const maxmind = {
    '45.1.1.0/24': { is_anonymous: true, is_anonymous_vpn: true },
    '45.1.2.0/24': { is_anonymous: true, is_hosting_provider: true },
    '45.1.3.0/24': { is_anonymous: true, is_public_proxy: true, is_hosting_provider: true },
    '45.1.4.0/24': { is_anonymous: true, is_residential_proxy: true },
    '45.1.5.0/24': { is_anonymous: true, is_tor_exit_node: true, is_anonymous_vpn: true },
    '45.1.6.0/24': { is_anonymous: true },
    '2a0b:f4c2::/32': { is_anonymous_vpn: true },
  }

  it('has the class of its record’s worst flag, in MaxMind’s words', () => {
    const { classOf } = openMmdb(writeMmdb(maxmind), null)
    for (const [address, ipClass] of [
      ['45.1.1.9', 'vpn'],
      ['45.1.2.9', 'hosting'],
      ['45.1.3.9', 'proxy'],
      ['45.1.4.9', 'proxy'],
      ['45.1.5.9', 'tor'],
      ['45.1.6.9', 'proxy'],
      ['45.1.7.9', null],
      ['2a0b:f4c2:1::1', 'vpn'],
      ['2a0b:f4c3::1', null],
    ] as const)
      assert.equal(classOf(address), ipClass, address)
  })

  it('has the class of its record’s worst flag, in IPinfo’s words, as texts and as booleans', () => {
    const none = { vpn: '', proxy: '', tor: '', relay: '', hosting: '', service: '' }
    const no = { vpn: false, proxy: false, tor: false, relay: false, hosting: false, service: '' }
    const { classOf } = openMmdb(
      writeMmdb({
        '45.2.1.0/24': { ...none, vpn: 'true', hosting: 'true' },
        '45.2.2.0/24': { ...none, relay: 'true', service: 'Apple Private Relay' },
        '45.2.3.0/24': { ...no, tor: true },
        '45.2.4.0/24': { ...no, proxy: true },
        '45.2.5.0/24': { ...no, hosting: true },
        '45.2.6.0/24': no,
        '45.2.7.0/24': { ...none, vpn: 'false' },
        '45.2.8.0/24': { privacy: { ...no, relay: true } },
        '45.2.9.0/24': { traits: { is_tor_exit_node: true } },
      }),
      'vpn',
    )
    const found = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((third) => classOf(`45.2.${third}.1`))
    assert.deepEqual(found, ['vpn', 'relay', 'tor', 'proxy', 'hosting', null, null, 'relay', 'tor'])
  })

  it('says where an address is, in MaxMind’s words and in IPinfo’s, and nothing else of it', () => {
    const { classOf, countryOf } = openMmdb(
      writeMmdb({
        '45.4.1.0/24': { country: { iso_code: 'AZ', geoname_id: 587_116 } },
        '45.4.2.0/24': { country: 'United Kingdom', country_code: 'GB' },
        '45.4.3.0/24': { country: 'DE', asn: 'AS1' },
        '45.4.4.0/24': { country: 'Somewhere' },
        '45.4.5.0/24': { registered_country: { iso_code: 'FR' } },
      }),
      null,
    )
    const addresses = [1, 2, 3, 4, 5, 6].map((third) => `45.4.${third}.1`)
    assert.deepEqual(addresses.map(countryOf), ['AZ', 'GB', 'DE', null, null, null])
    assert.deepEqual(new Set(addresses.map(classOf)), new Set([null]))
  })

  it('gives its source’s class to records without any flag', () => {
    const bytes = writeMmdb({ '45.3.1.0/24': { name: 'a bad one' } })
    assert.equal(openMmdb(bytes, 'abusive').classOf('45.3.1.1'), 'abusive')
    assert.equal(openMmdb(bytes, null).classOf('45.3.1.1'), null)
  })

  it('that knows nearly every address is refused with a class, which everybody would get', () => {
    const places = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`${index + 1}.0.0.0/8`, { country: { iso_code: 'DE' } }]),
    )
    for (const ipVersion of [4, 6] as const) {
      const bytes = writeMmdb(places, { ipVersion })
      assert.throws(() => openMmdb(bytes, 'hosting'), /nearly every address hosting: leave its class out/)
      assert.equal(openMmdb(bytes, null).countryOf('45.3.1.1'), 'DE')
    }
  })

  it('of IPv4 alone knows no IPv6 address', () => {
    const { classOf } = openMmdb(
      writeMmdb({ '42.0.0.0/8': { is_anonymous_vpn: true } }, { ipVersion: 4 }),
      null,
    )
    assert.equal(classOf('42.1.2.3'), 'vpn')
    assert.equal(classOf('2a00:1450::1'), null)
  })

  it('says when it was made', () => {
    const builtMs = Date.UTC(2026, 0, 2)
    assert.equal(openMmdb(writeMmdb(maxmind, { builtMs }), null).builtMs, builtMs)
  })

  it('is refused when it is cut short, damaged or something else', () => {
    const whole = writeMmdb(maxmind)
    for (const bytes of [
      whole.subarray(0, -40),
      whole.subarray(-200),
      Buffer.from('1.2.3.4\n'),
      Buffer.alloc(0),
    ])
      assert.throws(() => openMmdb(bytes, 'vpn'), /mmdb|cut short|damaged/)
    assert.doesNotThrow(() => openMmdb(whole, 'vpn'))
  })

  it('with any one byte damaged is read or refused in words for the operator', () => {
    const whole = writeMmdb(maxmind)
    for (let at = 0; at < whole.length; at += 7) {
      const bytes = Buffer.from(whole)
      bytes[at] = 0xff
      try {
        openMmdb(bytes, 'vpn')
      } catch (error) {
        assert.ok(error instanceof UnreadableError, `byte ${at}: ${error}`)
      }
    }
  })
})
