/** Sessions in the database: only hashes of their tokens. */
import type { Queryable } from '../../platform/database.ts'
import type { PersonId, SessionId } from '../../platform/ids.ts'
import { type PersonRow, personOf, type StoredPerson } from './store.ts'

/** How a person has proven who they are in a session. */
export type Proof = 'code' | 'link' | 'passkey'

const freshInterval = `interval '10 minutes'`
const idleInterval = `interval '1 day'`
const longestInterval = `interval '30 days'`
/** From this age on a session gets a new token. */
const rotationInterval = `interval '15 minutes'`
/** Calls that were under way when the token changed still carry the previous one. */
const overlapInterval = `interval '1 minute'`
/** How long the previous token is still valid, for a browser that never got the answer with the new one. */
const previousInterval = `interval '10 minutes'`

export interface FoundSession {
  readonly person: StoredPerson
  readonly sessionId: SessionId
  /** Whether this token should be replaced now. */
  readonly isDue: boolean
  /** Whether the session's use has not been written down for a minute. */
  readonly isStale: boolean
  /** Whether the last proof is recent enough for operations that need a fresh one. */
  readonly isFresh: boolean
  readonly proofs: readonly Proof[]
}

interface SessionRow extends PersonRow {
  session_id: SessionId
  is_due: boolean
  is_stale: boolean
  is_fresh: boolean
  proofs: Proof[]
}

export async function insertSession(
  queryable: Queryable,
  session: {
    personId: PersonId
    sessionId: SessionId
    tokenHash: Buffer
    userAgent: string | null
    address: string | null
    proof: Proof
  },
): Promise<void> {
  await queryable.query({
    text: `with signed_in as (update people set last_sign_in_at = now() where person_id = $1)
           insert into sessions (person_id, session_id, token_hash, user_agent, address, proofs, expires_at)
           values ($1, $2, $3, $4, $5, array[$6], now() + ${idleInterval})`,
    values: [
      session.personId,
      session.sessionId,
      session.tokenHash,
      session.userAgent,
      session.address,
      session.proof,
    ],
  })
}

/** Records that the person has proven once more who they are. False if the session is over. */
export async function renewProof(
  queryable: Queryable,
  personId: PersonId,
  sessionId: SessionId,
  proof: Proof,
): Promise<boolean> {
  const renewed = await queryable.query({
    text: `update sessions set proven_at = now(), proofs = array_append(array_remove(proofs, $3), $3)
            where person_id = $1 and session_id = $2`,
    values: [personId, sessionId, proof],
  })
  return renewed.rowCount === 1
}

const selectSession = (isDue: string, isIt: string) =>
  `select person.*, session.session_id, session.proofs,
          session.proven_at > now() - ${freshInterval} as is_fresh,
          session.last_used_at < now() - interval '1 minute' as is_stale,
          ${isDue} as is_due
     from sessions session join people person on person.person_id = session.person_id
    where session.expires_at > now() and ${isIt}`

/** Found by the token alone, since a cookie has nothing else. */
export async function findSession(
  queryable: Queryable,
  tokenHash: Buffer,
): Promise<FoundSession | undefined> {
  const found = await queryable.query<SessionRow>({
    name: 'find-session',
    text: selectSession(
      `case when session.token_hash = $1 then session.rotated_at < now() - ${rotationInterval}
            else session.rotated_at < now() - ${overlapInterval} end`,
      `(session.token_hash = $1
        or session.previous_hash = $1 and session.rotated_at > now() - ${previousInterval})`,
    ),
    values: [tokenHash],
  })
  return sessionIn(found.rows)
}

/** For a call that was identified before, whose token may have been replaced since. */
export async function findSessionAgain(
  queryable: Queryable,
  personId: PersonId,
  sessionId: SessionId,
): Promise<FoundSession | undefined> {
  const found = await queryable.query<SessionRow>({
    text: selectSession('false', 'session.person_id = $1 and session.session_id = $2'),
    values: [personId, sessionId],
  })
  return sessionIn(found.rows)
}

const sessionIn = ([row]: readonly SessionRow[]): FoundSession | undefined =>
  row && {
    person: personOf(row),
    sessionId: row.session_id,
    isDue: row.is_due,
    isStale: row.is_stale,
    isFresh: row.is_fresh,
    proofs: row.proofs,
  }

/** False if another call was quicker: then the caller's token is the previous one, which is still valid. */
export async function rotateSession(
  queryable: Queryable,
  { from, to }: { from: Buffer; to: Buffer },
): Promise<boolean> {
  const rotated = await queryable.query({
    text: `update sessions set previous_hash = $1, token_hash = $2, rotated_at = now()
            where token_hash = $1 and rotated_at < now() - ${rotationInterval}
               or previous_hash = $1 and rotated_at < now() - ${overlapInterval}`,
    values: [from, to],
  })
  return rotated.rowCount === 1
}

export async function touchSession(
  queryable: Queryable,
  personId: PersonId,
  sessionId: SessionId,
): Promise<void> {
  await queryable.query({
    text: `update sessions set last_used_at = now(),
                  expires_at = least(now() + ${idleInterval}, created_at + ${longestInterval})
            where person_id = $1 and session_id = $2`,
    values: [personId, sessionId],
  })
}

export interface Session {
  readonly sessionId: SessionId
  readonly userAgent: string | null
  readonly address: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date
  readonly expiresAt: Date
}

interface ListedRow {
  session_id: SessionId
  user_agent: string | null
  address: string | null
  created_at: Date
  last_used_at: Date
  expires_at: Date
}

export async function listSessions(
  queryable: Queryable,
  personId: PersonId,
  limit: number,
): Promise<Session[]> {
  const found = await queryable.query<ListedRow>({
    text: `select session_id, user_agent, host(address) as address, created_at, last_used_at, expires_at
             from sessions where person_id = $1 and expires_at > now()
            order by last_used_at desc, session_id limit $2`,
    values: [personId, limit],
  })
  return found.rows.map((row) => ({
    sessionId: row.session_id,
    userAgent: row.user_agent,
    address: row.address,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  }))
}

export async function deleteSession(
  queryable: Queryable,
  personId: PersonId,
  sessionId: SessionId,
): Promise<boolean> {
  const deleted = await queryable.query({
    text: 'delete from sessions where person_id = $1 and session_id = $2 and expires_at > now()',
    values: [personId, sessionId],
  })
  return deleted.rowCount === 1
}

export async function deleteOtherSessions(
  queryable: Queryable,
  personId: PersonId,
  sessionId: SessionId,
): Promise<number> {
  const deleted = await queryable.query({
    text: 'delete from sessions where person_id = $1 and session_id <> $2 and expires_at > now()',
    values: [personId, sessionId],
  })
  return deleted.rowCount ?? 0
}
