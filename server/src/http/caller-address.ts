/** The address that a call came from: how it is found, how the audit trail shows it, and how limits count it. */
import type { FastifyRequest } from 'fastify'
import { type ClientIp, parseClientIp } from '../domain/guard/index.ts'
import { memo } from '../platform/memo.ts'
import { callerAddress, parseCidr } from '../platform/trusted-proxies.ts'

/** The addresses are cached, since backends call again and again from the same one. */
const addressesRemembered = 200

/** Reads `x-forwarded-for` only from trusted proxies. */
export function createAddressOf(trustedProxies: readonly string[]): (request: FastifyRequest) => string {
  const proxies = trustedProxies.map(parseCidr).filter((cidr) => cidr !== null)
  const read = memo(
    addressesRemembered,
    ({ ip, forwarded }: { readonly ip: string; readonly forwarded: string | undefined }) =>
      `${ip} ${forwarded}`,
    ({ ip, forwarded }) => callerAddress(ip, forwarded, proxies),
  )
  return ({ ip, headers }) => {
    const forwarded = headers['x-forwarded-for']
    return read({ ip, forwarded: Array.isArray(forwarded) ? forwarded.join(',') : forwarded })
  }
}

/** Null if it is not an address that can be stored. */
export const knownAddress = (callerAddress: string): string | null =>
  parseClientIp(callerAddress).kind === 'malformed' ? null : callerAddress

/** Null for a private or reserved address, which many callers may share. */
export function usableAddress(callerAddress: string): ClientIp | null {
  const parsed = parseClientIp(callerAddress)
  return parsed.kind === 'usable' ? parsed.ip : null
}

/** The key under which an address is counted: IPv4 whole, IPv6 by /64. */
export const callerKey = (callerAddress: string): string =>
  usableAddress(callerAddress)?.limitKey ?? callerAddress
