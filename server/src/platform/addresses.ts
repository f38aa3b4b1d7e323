/** Which addresses an outgoing call may go to: global ones, and what the operator allows. */
import ipaddr from 'ipaddr.js'
import { parseCidr } from './trusted-proxies.ts'

/** Wrappings of an IPv4 address inside an IPv6 one: judged by what is inside. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
const sixToFour = ipaddr.IPv6.parseCIDR('2002::/16')

export type IsAllowed = (address: string) => boolean

export function allowAddresses(allowedRanges: readonly string[]): IsAllowed {
  const allowed = allowedRanges.map(parseCidr).filter((cidr) => cidr !== null)
  return (text) => {
    if (!ipaddr.isValid(text)) return false
    const address = unwrap(ipaddr.parse(text))
    const isListed = allowed.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
    )
    return isListed || isGlobal(address)
  }
}

function unwrap(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  const bytes = address.toByteArray()
  if (address.match(nat64)) return new ipaddr.IPv4(bytes.slice(12))
  if (address.match(sixToFour)) return new ipaddr.IPv4(bytes.slice(2, 6))
  return address
}

/** Only 2000::/3 is given out as global unicast; whatever else looks like unicast is reserved. */
function isGlobal(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false
  return !(address instanceof ipaddr.IPv6) || ((address.parts[0] ?? 0) & 0xe000) === 0x2000
}
