import { allowAddresses } from '../platform/addresses.ts'
import type { ProviderHost } from './channel.ts'

/** Domains that do not exist on the internet. A name without a dot does not exist there either. */
const privateDomains: ReadonlySet<string> = new Set(['localhost', 'local', 'internal'])
const ipLiteral = /:|^[\d.]+$/
const isGlobal = allowAddresses([])

/** The host of a provider with an HTTP API. */
export function hostOf(baseUrl: string): ProviderHost {
  const { hostname, protocol } = new URL(baseUrl)
  return { host: hostname.replace(/^\[|\]$/g, ''), isHttp: protocol === 'http:' }
}

export function joinUrl(baseUrl: string, path: string): string {
  let end = baseUrl.length
  while (baseUrl[end - 1] === '/') end--
  return `${baseUrl.slice(0, end)}/${path}`
}

/** Whether a provider on the internet could call this URL, as far as the URL itself shows. */
export function isPublicAddress(url: string): boolean {
  const { host } = hostOf(url)
  if (ipLiteral.test(host)) return isGlobal(host)
  return host.includes('.') && !privateDomains.has(host.slice(host.lastIndexOf('.') + 1))
}
