import type { Place } from './channel.ts'

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
