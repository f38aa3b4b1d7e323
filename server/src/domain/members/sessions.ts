/** A session: a random token in a cookie, changed while it is used, ended whenever its person says so. */
import { randomBytes } from 'node:crypto'
import type { Transaction } from '../../platform/database.ts'
import { encodeBase32, newId, type PersonId, parseId, type SessionId } from '../../platform/ids.ts'
import { sha256 } from '../../platform/keyring.ts'
import { noSuch } from '../answers/index.ts'
import { type MemberDependencies, openEmail, type Person } from './person.ts'
import * as store from './session-store.ts'

export interface Visitor {
  readonly userAgent: string | null
  readonly address: string | null
}

export interface SignedIn {
  readonly person: Person
  readonly sessionId: SessionId
  /** Whether they have proven who they are within ten minutes. */
  readonly isFresh: boolean
  readonly proofs: readonly store.Proof[]
  /** Set when the cookie is to be replaced. */
  readonly newToken: string | null
}

const maxUserAgent = 300
const maxSessionsListed = 100

export const newToken = (prefix: string) => `${prefix}${encodeBase32(randomBytes(32))}`
const sessionPrefix = 'cs_session_'

/** Returns the token for the cookie. */
export async function openSession(
  { clock }: Pick<MemberDependencies, 'clock'>,
  transaction: Transaction,
  personId: PersonId,
  { userAgent, address }: Visitor,
  proof: store.Proof,
): Promise<string> {
  const token = newToken(sessionPrefix)
  await store.insertSession(transaction, {
    personId,
    sessionId: newId('session', clock.nowMs()),
    tokenHash: sha256(token),
    userAgent: userAgent?.slice(0, maxUserAgent) ?? null,
    address,
    proof,
  })
  return token
}

/** Nothing for a token that is unknown, over or revoked. */
export async function findSignedIn(
  { database, keyring }: Pick<MemberDependencies, 'database' | 'keyring'>,
  token: string,
): Promise<SignedIn | undefined> {
  if (!token.startsWith(sessionPrefix)) return undefined
  const tokenHash = sha256(token)
  const session = await store.findSession(database, tokenHash)
  if (!session) return undefined
  const { person, sessionId, isFresh, proofs } = session
  if (session.isStale) await store.touchSession(database, person.personId, sessionId)
  const replacement = session.isDue ? newToken(sessionPrefix) : null
  const isRotated =
    replacement !== null &&
    (await store.rotateSession(database, { from: tokenHash, to: sha256(replacement) }))
  return {
    person: {
      personId: person.personId,
      email: openEmail(keyring(), person.sealedEmail),
      name: person.name,
      isOperator: person.isOperator,
    },
    sessionId,
    isFresh,
    proofs,
    newToken: isRotated ? replacement : null,
  }
}

export const listSessions = (
  { database }: Pick<MemberDependencies, 'database'>,
  personId: PersonId,
): Promise<store.Session[]> => store.listSessions(database, personId, maxSessionsListed)

export async function endSession(
  { database }: Pick<MemberDependencies, 'database'>,
  personId: PersonId,
  text: string,
): Promise<SessionId> {
  const sessionId = parseId('session', text)
  if (!sessionId || !(await store.deleteSession(database, personId, sessionId))) {
    throw noSuch('session')
  }
  return sessionId
}
