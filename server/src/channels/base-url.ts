import { allowAddresses } from '../platform/addresses.ts'
import type { Place } from './channel.ts'

/** Domains that do not exist on the internet; nor does a name without a dot. */
const privateDomains: ReadonlySet<string> = new Set(['localhost', 'local', 'internal'])
const ipLiteral = /:|^[\d.]+$/
const isGlobal = allowAddresses([])

/** The machine that a provider with an HTTP API is reached at. */
export function placeOf(baseUrl: string): Place {
  const { hostname, protocol } = new URL(baseUrl)
  return { host: hostname.replace(/^\[|\]$/g, ''), isHttp: protocol === 'http:' }
}

export function joinUrl(baseUrl: string, path: string): string {
  let end = baseUrl.length
  while (baseUrl[end - 1] === '/') end--
  return `${baseUrl.slice(0, end)}/${path}`
}

/** Whether a provider elsewhere could call this address, as far as the address itself shows. */
export function isPublicAddress(url: string): boolean {
  const { host } = placeOf(url)
  if (ipLiteral.test(host)) return isGlobal(host)
  return host.includes('.') && !privateDomains.has(host.slice(host.lastIndexOf('.') + 1))
}
