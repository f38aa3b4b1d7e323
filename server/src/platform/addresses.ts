/** Which addresses an outgoing call may go to: global ones, and what the operator allows. */
import ipaddr from 'ipaddr.js'
import { parseCidr } from './trusted-proxies.ts'

/** IPv6 ranges that wrap an IPv4 address: such an address is judged by the IPv4 address inside it. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
const sixToFour = ipaddr.IPv6.parseCIDR('2002::/16')

/**
 * The addresses at which clouds tell a machine its secrets. Most are not global, but Azure's is. They stay closed
 * inside an allowed range too: a wide range contains them by accident.
 */
const metadata: ReadonlySet<string> = new Set([
  '168.63.129.16',
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
])

export type IsAllowed = (address: string) => boolean
type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Allows global addresses, and those in the given ranges. */
export function allowAddresses(allowedRanges: readonly string[]): IsAllowed {
  const isListed = inRanges(allowedRanges)
  return judged((address) => isListed(address) || isGlobal(address))
}

/** Allows nothing but these ranges. */
export function listAddresses(allowedRanges: readonly string[]): IsAllowed {
  return judged(inRanges(allowedRanges))
}

function judged(isOpen: (address: Address) => boolean): IsAllowed {
  return (text) => {
    if (!ipaddr.isValid(text)) return false
    const address = unwrap(ipaddr.parse(text))
    return !metadata.has(address.toString()) && isOpen(address)
  }
}

function inRanges(allowedRanges: readonly string[]): (address: Address) => boolean {
  const allowed = allowedRanges.map(parseCidr).filter((cidr) => cidr !== null)
  return (address) =>
    allowed.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}

function unwrap(address: Address): Address {
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  const bytes = address.toByteArray()
  if (address.match(nat64)) return new ipaddr.IPv4(bytes.slice(12))
  if (address.match(sixToFour)) return new ipaddr.IPv4(bytes.slice(2, 6))
  return address
}

/** Only 2000::/3 is assigned as global unicast; anything else that looks like unicast is reserved. */
function isGlobal(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return !(address instanceof ipaddr.IPv6) || ((address.parts[0] ?? 0) & 0xe000) === 0x2000
}
