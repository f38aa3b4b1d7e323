/** Finds the caller's own address, through the proxies that the operator trusts and no others. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Cidr = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** The bits before the IPv4 address in an IPv4-mapped IPv6 address. */
const mappedBits = 96

export function parseCidr(text: string): Cidr | null {
  // isIP is strict, while ipaddr.js also accepts octal, hexadecimal and shortened forms.
  if (isIP(text.split('/')[0] ?? '') === 0) return null
  if (ipaddr.isValidCIDR(text)) return unmapped(ipaddr.parseCIDR(text))
  if (!ipaddr.isValid(text)) return null
  const address = ipaddr.parse(text)
  return unmapped([address, address instanceof ipaddr.IPv4 ? 32 : 128])
}

/** Makes an IPv4-mapped range IPv4, like the addresses compared with it: people copy `::ffff:192.0.2.7` from logs. */
function unmapped([address, bits]: Cidr): Cidr {
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= mappedBits
  return isMapped ? [address.toIPv4Address(), bits - mappedBits] : [address, bits]
}

/** Some proxies write the port too: `192.0.2.7:4711`, `[2001:db8::7]:4711`. */
const withPort = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i

const readHop = (hop: string): string => {
  const [, bracketed, plain] = withPort.exec(hop.trim()) ?? []
  return bracketed ?? plain ?? hop.trim()
}

/** `forwardedFor` is the header as it came. The rightmost address that is not a trusted proxy is the caller's. */
export function callerAddress(
  connection: string,
  forwardedFor: string | undefined,
  trusted: readonly Cidr[],
): string {
  const hops = [...(forwardedFor?.split(',').map(readHop) ?? []), connection]
  for (let index = hops.length - 1; index >= 0; index--) {
    const hop = hops[index] ?? ''
    if (!ipaddr.isValid(hop)) return hops[index + 1] ?? connection
    if (!isTrusted(hop, trusted)) return hop
  }
  return hops[0] ?? connection
}

function isTrusted(text: string, trusted: readonly Cidr[]): boolean {
  const address = ipaddr.process(text)
  return trusted.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}
