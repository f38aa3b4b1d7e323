/** How an account authenticates: one of a few ways, each with its own place in the request. */
import type { Gateway } from './settings.ts'

/** Shown instead of a credential in a dry run. */
export const MASK = '****'

export interface Shown {
  readonly headers: Readonly<Record<string, string>>
  readonly query: readonly [name: string, value: string] | null
  readonly body: readonly [name: string, value: string] | null
}

const nothing: Shown = { headers: {}, query: null, body: null }
const inHeader = (name: string, value: string): Shown => ({ ...nothing, headers: { [name]: value } })

export function showCredential(gateway: Gateway, isMasked: boolean): Shown {
  const { auth, auth_name = '', auth_prefix, user = '' } = gateway
  const secret = isMasked ? MASK : (gateway.secret ?? '')
  switch (auth) {
    case 'none':
      return nothing
    case 'basic': {
      const pair = isMasked ? MASK : Buffer.from(`${user}:${secret}`).toString('base64')
      return inHeader('authorization', `Basic ${pair}`)
    }
    case 'bearer':
      return inHeader('authorization', `Bearer ${secret}`)
    case 'header':
      return inHeader(auth_name.toLowerCase(), `${auth_prefix}${secret}`)
    case 'query':
      return { ...nothing, query: [auth_name, secret] }
    case 'body':
      return { ...nothing, body: [auth_name, secret] }
    case 'aws':
      return isMasked ? inHeader('authorization', `AWS4-HMAC-SHA256 ${MASK}`) : nothing
  }
}

/** Appends the credential to the query, after what the template has in it. */
export function withQuery(url: string, pair: Shown['query']): string {
  if (pair === null) return url
  const [name, value] = pair.map(encodeURIComponent)
  return `${url}${url.includes('?') ? '&' : '?'}${name}=${value}`
}
