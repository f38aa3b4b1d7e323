import { z } from 'zod'

/** Where a provider's API lives: settable for proxies, regional hosts and stand-ins. */
export function baseUrlSetting(standard: string) {
  return z.url({ protocol: /^https?$/, error: 'base_url must be an http or https address' }).default(standard)
}

export const hostIn = (baseUrl: string): string => new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')

export function joinUrl(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/+$/, '')}/${path}`
}
