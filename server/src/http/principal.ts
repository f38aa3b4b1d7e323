/**
 * Who calls: a key, the operator's token, or a person's session. A wrong key gets the same answer whatever is wrong.
 */
import { timingSafeEqual } from 'node:crypto'
import { type Access, AppError } from '@countersign/contract'
import type { SignedIn } from '../domain/members/index.ts'
import type { Directory, Principal } from '../domain/tenancy/index.ts'
import type { PersonId } from '../platform/ids.ts'
import { sha256 } from '../platform/keyring.ts'

export interface PersonActor extends SignedIn {
  readonly kind: 'person'
}
/** Whoever calls the management API. */
export type Actor = { readonly kind: 'token' } | PersonActor

export const isOperator = (actor: Actor): boolean => actor.kind === 'token' || actor.person.isOperator

/** Null for the operator's token, which belongs to no person. */
export const personOf = (actor: Actor): PersonId | null =>
  actor.kind === 'person' ? actor.person.personId : null

interface Credentials {
  readonly authorization: string | undefined
  /** Called only if no header decides. */
  readonly sessionToken: () => string | null
  /** Who made this call when it began: the key's use is counted, and the session may have a new token since. */
  readonly before?: Principal | Actor
  /** Called with the owner of the key, even if the key is not accepted here. */
  readonly onKnown?: (principal: Principal) => void
}

/** Null for public operations. */
export type AnyCaller = Principal | Actor | null

export const isActor = (caller: AnyCaller): caller is Actor =>
  caller !== null && 'kind' in caller && (caller.kind === 'token' || caller.kind === 'person')

/**
 * A body that takes longer than this is waited for, and its caller may lose the right to call meanwhile: the key is
 * then looked up again. Most bodies come with their headers.
 */
export const bodyMs = 100

export type Authenticate = (access: Access, credentials: Credentials) => Promise<AnyCaller>

export interface AuthenticateDependencies {
  readonly directory: Directory
  readonly adminToken: string
  readonly findSignedIn: (sessionToken: string) => Promise<SignedIn | undefined>
  readonly findSignedInAgain: (before: SignedIn) => Promise<SignedIn | undefined>
}

export function createAuthenticate({
  directory,
  adminToken,
  findSignedIn,
  findSignedInAgain,
}: AuthenticateDependencies): Authenticate {
  const adminHash = sha256(adminToken)

  async function actorOf(
    { authorization, sessionToken, before }: Credentials,
    access: Access,
  ): Promise<Actor> {
    // A header is sent on purpose, a cookie with every call of a browser, so the header decides.
    const token = bearerOf(authorization)
    if (token !== undefined && access !== 'session') {
      if (timingSafeEqual(sha256(token), adminHash)) return { kind: 'token' }
      throw unauthorized('The operator’s token is needed here.')
    }
    const session = sessionToken()
    const signedIn =
      before && isActor(before) && before.kind === 'person'
        ? await findSignedInAgain(before)
        : session === null
          ? undefined
          : await findSignedIn(session)
    if (!signedIn) {
      throw unauthorized('Sign in, or send the operator’s token as "Authorization: Bearer <token>".')
    }
    return { kind: 'person', ...signedIn }
  }

  async function principalOf(
    { authorization, onKnown, before }: Credentials,
    access: Access,
  ): Promise<Principal> {
    const token = bearerOf(authorization)
    if (!token) throw unauthorized('Send a key as "Authorization: Bearer <key>".')
    const principal = await directory.findPrincipal(token, onKnown, before === undefined)
    if (!principal || (access === 'server_key' && principal.kind !== 'server')) {
      throw unauthorized(
        'This key is not valid here. It may be mistyped or revoked, or publishable where a server key is needed.',
      )
    }
    return principal
  }

  return async (access, credentials) => {
    if (access === 'public') return null
    if (access === 'key' || access === 'server_key') return principalOf(credentials, access)
    return actorOf(credentials, access)
  }
}

export const bearerOf = (authorization: string | undefined) =>
  /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]

const unauthorized = (message: string) => new AppError('Unauthorized', message)
