/** The session's cookie, and the check that a change comes from a page of our own. */
import { AppError } from '@countersign/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'

const maxAgeSeconds = 30 * 86_400

export interface SessionCookie {
  readonly read: (request: FastifyRequest) => string | null
  readonly write: (reply: FastifyReply, token: string) => void
  readonly clear: (reply: FastifyReply) => void
  /** `isProven`: the cookie was sent, so a browser made the call, and browsers say from which page. */
  readonly assertOwnPage: (request: FastifyRequest, isProven: boolean) => void
}

export function createSessionCookie(publicUrl: string): SessionCookie {
  const isSecure = publicUrl.startsWith('https:')
  const publicOrigin = new URL(publicUrl).origin
  // Browsers keep `__Host-` cookies to this very host, and to https.
  const name = `${isSecure ? '__Host-' : ''}countersign_session`
  const set = (reply: FastifyReply, value: string, seconds: number) =>
    reply.header(
      'set-cookie',
      `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`,
    )
  return {
    read: ({ headers }) => {
      const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='))
      return pairs.find(([key]) => key === name)?.[1] ?? null
    },
    write: (reply, token) => set(reply, token, maxAgeSeconds),
    clear: (reply) => set(reply, '', 0),
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
