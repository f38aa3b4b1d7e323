/** The address that a call came from: as the trail shows it, and as its budget is counted. */
import { type ClientIp, parseClientIp } from '../domain/guard/index.ts'

/** Null where the connection has none that can be written down. */
export const knownAddress = (callerAddress: string): string | null =>
  parseClientIp(callerAddress).kind === 'malformed' ? null : callerAddress

/** Null for a private or reserved one, which many may share. */
export function usableAddress(callerAddress: string): ClientIp | null {
  const parsed = parseClientIp(callerAddress)
  return parsed.kind === 'usable' ? parsed.ip : null
}

/** IPv4 whole, IPv6 by /64. */
export const callerKey = (callerAddress: string): string =>
  usableAddress(callerAddress)?.limitKey ?? callerAddress
