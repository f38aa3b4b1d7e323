/** A session: a random token in a cookie, changed while it is used, ended whenever its person says so. */
import { randomBytes } from 'node:crypto'
import { AppError } from '@countersign/contract'
import type { Transaction } from '../../platform/database.ts'
import { encodeBase32, newId, type PersonId, parseId, type SessionId } from '../../platform/ids.ts'
import { type Keyring, sha256 } from '../../platform/keyring.ts'
import { noSuch } from '../answers/index.ts'
import { recordWithin } from './audit/audit.ts'
import { type MemberDependencies, openEmail, type Person } from './person.ts'
import * as store from './session-store.ts'

export interface Visitor {
  readonly userAgent: string | null
  readonly address: string | null
  readonly requestId: string
}

export interface SignedIn {
  readonly person: Person
  readonly sessionId: SessionId
  /** Whether the person has proven who they are within the last ten minutes. */
  readonly isFresh: boolean
  readonly proofs: readonly store.Proof[]
  /** Set if the cookie is to be replaced. */
  readonly newToken: string | null
}

const maxUserAgent = 300
const maxSessionsListed = 100

export const newToken = (prefix: string) => `${prefix}${encodeBase32(randomBytes(32))}`
const sessionPrefix = 'cs_session_'

const signedInBy = { code: 'signInWithCode', link: 'signInWithLink', passkey: 'signInWithPasskey' } as const
const provenBy = { code: 'proveWithCode', passkey: 'proveWithPasskey' } as const

/** Returns the token for the cookie. Must be the last call of its transaction, since it writes to the audit trail. */
export async function openSession(
  dependencies: MemberDependencies,
  transaction: Transaction,
  personId: PersonId,
  { userAgent, address, requestId }: Visitor,
  proof: store.Proof,
): Promise<string> {
  const token = newToken(sessionPrefix)
  await store.insertSession(transaction, {
    personId,
    sessionId: newId('session', dependencies.clock.nowMs()),
    tokenHash: sha256(token),
    userAgent: userAgent?.slice(0, maxUserAgent) ?? null,
    address,
    proof,
  })
  const note = { action: signedInBy[proof], subject: personId, address, requestId }
  await recordWithin(dependencies, transaction, personId, note)
  return token
}

/** Makes the session fresh. The audit trail says how the person proved who they are, as it does for a new session. */
export async function freshen(
  dependencies: MemberDependencies,
  { person: { personId }, sessionId }: Pick<SignedIn, 'person' | 'sessionId'>,
  { address, requestId }: Omit<Visitor, 'userAgent'>,
  proof: 'code' | 'passkey',
): Promise<void> {
  await dependencies.database.transaction(async (transaction) => {
    if (!(await store.renewProof(transaction, personId, sessionId, proof))) throw sessionOver()
    const note = { action: provenBy[proof], subject: personId, address, requestId }
    await recordWithin(dependencies, transaction, personId, note)
  })
}

/** The session was ended, or its person removed, while one of their calls was under way. */
export const sessionOver = () => new AppError('Unauthorized', 'This session is over. Sign in again.')

/** Somebody who was signed in when their call began: undefined if the session has ended since. */
export async function findSignedInAgain(
  { database, keyring }: Pick<MemberDependencies, 'database' | 'keyring'>,
  { person, sessionId }: SignedIn,
): Promise<SignedIn | undefined> {
  const session = await store.findSessionAgain(database, person.personId, sessionId)
  return session && signedInOf(session, keyring(), null)
}

/** Undefined for a token that is unknown, expired or revoked. */
export async function findSignedIn(
  { database, keyring }: Pick<MemberDependencies, 'database' | 'keyring'>,
  token: string,
): Promise<SignedIn | undefined> {
  if (!token.startsWith(sessionPrefix)) return undefined
  const tokenHash = sha256(token)
  const session = await store.findSession(database, tokenHash)
  if (!session) return undefined
  const { person, sessionId } = session
  if (session.isStale) await store.touchSession(database, person.personId, sessionId)
  const replacement = session.isDue ? newToken(sessionPrefix) : null
  const isRotated =
    replacement !== null &&
    (await store.rotateSession(database, { from: tokenHash, to: sha256(replacement) }))
  return signedInOf(session, keyring(), isRotated ? replacement : null)
}

const signedInOf = (
  { person, sessionId, isFresh, proofs }: store.FoundSession,
  keyring: Keyring,
  newToken: string | null,
): SignedIn => ({
  person: {
    personId: person.personId,
    email: openEmail(keyring, person.sealedEmail),
    name: person.name,
    isOperator: person.isOperator,
  },
  sessionId,
  isFresh,
  proofs,
  newToken,
})

export const listSessions = (
  { database }: Pick<MemberDependencies, 'database'>,
  personId: PersonId,
): Promise<store.Session[]> => store.listSessions(database, personId, maxSessionsListed)

/** Ends all sessions except the caller's own. Returns how many there were. */
export const endOtherSessions = (
  { database }: Pick<MemberDependencies, 'database'>,
  { person, sessionId }: Pick<SignedIn, 'person' | 'sessionId'>,
): Promise<number> => store.deleteOtherSessions(database, person.personId, sessionId)

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
