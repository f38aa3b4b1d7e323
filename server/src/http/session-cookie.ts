/** The cookies of the session and of a known browser, and the check that a change comes from one of our own pages. */
import { AppError } from '@countersign/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { knownSeconds, type SessionCookies } from '../domain/members/index.ts'

const maxAgeSeconds = 30 * 86_400

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
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
    return pairs.find(([key]) => key === name)?.[1] ?? null
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
      if (origin !== undefined && (origin === publicOrigin || hostOf(origin) === host)) return
      throw new AppError(
        'ForbiddenError',
        'This comes from a page of another origin, or does not say where from.',
      )
    },
  }
}

const hostOf = (origin: string) => (URL.canParse(origin) ? new URL(origin).host : null)
