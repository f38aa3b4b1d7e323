import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowAddresses, listAddresses } from './addresses.ts'

const refused = {
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  'link-local': ['169.254.0.1', '169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'unique local': ['fc00::1', 'fd00:ec2::254'],
  'IPv4 inside IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '::ffff:169.254.169.254',
    '::127.0.0.1',
    '::a00:1',
  ],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::a9fe:a9fe', '64:ff9b:1::a00:1'],
  '6to4': ['2002:7f00:1::', '2002:a00:1::1', '2002:c0a8:101::1'],
  'Teredo and other tunnels': ['2001::1', '::ffff:0:10.0.0.1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  reserved: ['240.0.0.1', '255.255.255.255', '192.0.0.1', '198.18.0.1', 'fec0::1', '100::1', '4000::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  'of a cloud’s metadata': [
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    '::ffff:168.63.129.16',
    'fd00:ec2::254',
  ],
  'no address': ['', 'localhost', '1.2.3.4.5', '8.8.8.8/32', ':::', 'example.com'],
}

for (const [kind, addresses] of Object.entries(refused)) {
  test(`nothing goes to an address that is ${kind}`, () => {
    const isAllowed = allowAddresses([])
    for (const address of addresses) assert.equal(isAllowed(address), false, address)
  })
}

test('public addresses are open, also where a network wraps them', () => {
  const isAllowed = allowAddresses([])
  const open = [
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '100.63.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ]
  for (const address of open) assert.equal(isAllowed(address), true, address)
})

test('a range that holds a cloud’s metadata does not open it', () => {
  const isAllowed = allowAddresses(['0.0.0.0/0', '::/0'])
  for (const address of ['168.63.129.16', '169.254.169.254', '100.100.100.200', 'fd00:ec2::254'])
    assert.equal(isAllowed(address), false, address)
  assert.equal(isAllowed('10.0.0.1'), true)
})

test('what is listed alone is open where nothing else may be', () => {
  const isListed = listAddresses(['10.1.0.0/16'])
  assert.deepEqual(['10.1.2.3', '10.2.0.1', '8.8.8.8', 'x'].map(isListed), [true, false, false, false])
})

test('what the operator allows is open, and only that', () => {
  const isAllowed = allowAddresses(['10.1.0.0/16', '::1/128', '192.168.7.7'])
  for (const address of ['10.1.2.3', '::1', '192.168.7.7', '::ffff:10.1.2.3'])
    assert.equal(isAllowed(address), true, address)
  for (const address of ['10.2.0.1', '127.0.0.1', '192.168.7.8'])
    assert.equal(isAllowed(address), false, address)
})
