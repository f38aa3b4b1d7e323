/** The end user's address: its syntax, whether it can be used, and its key in limits. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface ClientIp {
  readonly address: string
  /** An IPv4 address as it is; an IPv6 address by its /64, since a household has as many of those as it likes. */
  readonly limitKey: string
}

export type ParsedClientIp =
  | { readonly kind: 'usable'; readonly ip: ClientIp }
  | { readonly kind: 'absent'; readonly why: string }
  | { readonly kind: 'malformed' }

/** NAT64 (RFC 6052): an IPv4 address inside an IPv6 one. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** `ipaddr.js` takes `::8.8.8.8` for IPv4, though it takes the same address for a reserved one in any other spelling. */
const compatible = /^::(?=\d+\.)/

const ranges: Readonly<Record<string, string>> = {
  unspecified: 'names no host',
  loopback: 'the machine itself',
  private: 'private',
  uniqueLocal: 'private',
  carrierGradeNat: 'shared inside a carrier (CGNAT)',
  linkLocal: 'link-local',
  multicast: 'multicast',
  broadcast: 'broadcast',
  reserved: 'reserved, or for documentation or benchmarks',
  benchmarking: 'for benchmarks',
  discard: 'for discarding',
  '6to4': 'a 6to4 tunnel',
  teredo: 'a Teredo tunnel',
}

export function parseClientIp(text: string): ParsedClientIp {
  // `isIP` is strict, while ipaddr.js also accepts octal, hexadecimal and shortened forms.
  if (isIP(text) === 0 || text.includes('%')) return { kind: 'malformed' }
  const address = withoutWrapping(ipaddr.parse(text.replace(compatible, '0:0:0:0:0:0:')))
  const range = address.range()
  if (range !== 'unicast') return { kind: 'absent', why: ranges[range] ?? `not public (${range})` }
  if (isOutsideGlobal(address)) return { kind: 'absent', why: 'in a range that is given to nobody' }
  return { kind: 'usable', ip: { address: address.toString(), limitKey: limitKeyOf(address) } }
}

function withoutWrapping(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!(address instanceof ipaddr.IPv6)) return address
  if (address.isIPv4MappedAddress()) return address.toIPv4Address()
  if (address.match(nat64)) return new ipaddr.IPv4(address.toByteArray().slice(12))
  return address
}

/** Only 2000::/3 is assigned as global unicast; every other address is reserved, even if it looks public. */
function isOutsideGlobal(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv6 && ((address.parts[0] ?? 0) & 0xe000) !== 0x2000
}

function limitKeyOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (!(address instanceof ipaddr.IPv6)) return address.toString()
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}
