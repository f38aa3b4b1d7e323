/** The cookies of the session and of a known browser, and the check that a change comes from one of our own pages. */
import { AppError } from '@countersign/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { knownSeconds, type SessionCookies } from '../domain/members/index.ts'

const maxAgeSeconds = 30 * 86_400
/** What a browser loads from its own machine, such as a forwarded port, passes nobody on the way. */
const ownMachine = new Set(['localhost', '127.0.0.1', '[::1]'])

export interface SessionCookie {
  readonly read: (request: FastifyRequest) => string | null
  readonly renew: (reply: FastifyReply, token: string) => void
  /** Null to sign out; the browser stays known. */
  readonly set: (reply: FastifyReply, cookies: SessionCookies | null) => void
  readonly readKnown: (request: FastifyRequest) => string | null
  /** `isProven`: a cookie was sent, so a browser made the call, and must say from which page. */
  readonly assertOwnPage: (request: FastifyRequest, isProven: boolean) => void
}

export function createSessionCookie(publicUrl: string): SessionCookie {
  const isSecure = publicUrl.startsWith('https:')
  const publicOrigin = new URL(publicUrl).origin
  // Browsers send `__Host-` cookies only to this host, and only over https.
  const prefix = isSecure ? '__Host-' : ''
  const [session, known] = [`${prefix}countersign_session`, `${prefix}countersign_known`]
  const write = (reply: FastifyReply, name: string, value: string, seconds: number) =>
    reply.header(
      'set-cookie',
      `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`,
    )
  const read = ({ headers }: FastifyRequest, name: string) => {
    // Not `trim`, which also takes off what a browser counts as part of the name: then a page without https could set
    // a cookie whose name becomes that of a `__Host-` cookie.
    const pairs = (headers.cookie ?? '').split(/; ?/).map((pair) => pair.split('='))
    return pairs.find(([key]) => key === name)?.[1] ?? null
  }
  /** A page without https may have been written by anybody on its way, so it is none of ours where we have https. */
  const isOfHost = (origin: string, host: string | undefined) => {
    if (!URL.canParse(origin)) return false
    const from = new URL(origin)
    return from.host === host && (from.protocol === 'https:' || !isSecure || ownMachine.has(from.hostname))
  }
  return {
    read: (request) => read(request, session),
    renew: (reply, token) => write(reply, session, token, maxAgeSeconds),
    set: (reply, cookies) => {
      write(reply, session, cookies?.token ?? '', cookies ? maxAgeSeconds : 0)
      if (cookies) write(reply, known, cookies.knownToken, knownSeconds)
    },
    readKnown: (request) => read(request, known),
    assertOwnPage: ({ headers }, isProven) => {
      const { origin, host } = headers
      if (origin === undefined && !isProven) return
      if (origin !== undefined && (origin === publicOrigin || isOfHost(origin, host))) return
      throw new AppError(
        'ForbiddenError',
        'This comes from a page of another origin or without https, or does not say where from.',
      )
    },
  }
}
