import { z } from 'zod'

const MAX_URL_LENGTH = 2_000

/** Where a provider's API lives: settable for proxies, regional hosts and stand-ins. */
export function baseUrlSetting(standard: string) {
  return z
    .url({ protocol: /^https?$/, error: 'base_url must be an http or https address' })
    .max(MAX_URL_LENGTH)
    .refine(isBare, 'base_url must have no user, password, query or fragment')
    .default(standard)
}

/** A password would be kept as settings are, readable; and paths are put behind it. */
function isBare(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username === '' && password === '' && !/[?#]/.test(text)
}

export function placeOf(baseUrl: string): { readonly host: string; readonly isHttp: boolean } {
  const { hostname, protocol } = new URL(baseUrl)
  return { host: hostname.replace(/^\[|\]$/g, ''), isHttp: protocol === 'http:' }
}

export function joinUrl(baseUrl: string, path: string): string {
  let end = baseUrl.length
  while (baseUrl[end - 1] === '/') end--
  return `${baseUrl.slice(0, end)}/${path}`
}
