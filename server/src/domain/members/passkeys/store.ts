/** Passkeys and their challenges in the database. They belong to a person, and to no company. */
import type { Queryable } from '../../../platform/database.ts'
import type { PersonId, SessionId } from '../../../platform/ids.ts'

export interface Passkey {
  readonly personId: PersonId
  readonly passkeyId: string
  readonly credentialId: Buffer
  readonly publicKey: Buffer
  readonly counter: bigint
  readonly transports: readonly string[]
  readonly name: string
  readonly isBackedUp: boolean
  readonly isSuspect: boolean
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

interface PasskeyRow {
  person_id: PersonId
  passkey_id: string
  credential_id: Buffer
  public_key: Buffer
  counter: bigint
  transports: string[]
  name: string
  is_backed_up: boolean
  is_suspect: boolean
  created_at: Date
  last_used_at: Date | null
}

const passkeyOf = (row: PasskeyRow): Passkey => ({
  personId: row.person_id,
  passkeyId: row.passkey_id,
  credentialId: row.credential_id,
  publicKey: row.public_key,
  counter: row.counter,
  transports: row.transports,
  name: row.name,
  isBackedUp: row.is_backed_up,
  isSuspect: row.is_suspect,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
})

export type Purpose = 'sign_in' | 'prove' | 'register'

const challengeInterval = `interval '5 minutes'`

export async function insertChallenge(
  queryable: Queryable,
  challenge: { readonly text: string; readonly purpose: Purpose; readonly personId: PersonId | null },
): Promise<void> {
  await queryable.query({
    text: `insert into passkey_challenges (challenge, purpose, person_id, expires_at)
           values ($1, $2, $3, now() + ${challengeInterval})`,
    values: [challenge.text, challenge.purpose, challenge.personId],
  })
}

/** One statement, so that only one of two answers to a challenge is checked. */
export async function takeChallenge(
  queryable: Queryable,
  challenge: { readonly text: string; readonly purpose: Purpose; readonly personId: PersonId | null },
): Promise<boolean> {
  const taken = await queryable.query({
    text: `delete from passkey_challenges
            where challenge = $1 and purpose = $2 and person_id is not distinct from $3 and expires_at > now()`,
    values: [challenge.text, challenge.purpose, challenge.personId],
  })
  return taken.rowCount === 1
}

export async function insertPasskey(
  queryable: Queryable,
  passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt' | 'isSuspect'>,
): Promise<Passkey | undefined> {
  const inserted = await queryable.query<PasskeyRow>({
    text: `insert into passkeys
             (person_id, passkey_id, credential_id, public_key, counter, transports, name, is_backed_up)
           values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning *`,
    values: [
      passkey.personId,
      passkey.passkeyId,
      passkey.credentialId,
      passkey.publicKey,
      passkey.counter,
      passkey.transports,
      passkey.name,
      passkey.isBackedUp,
    ],
  })
  return inserted.rows.map(passkeyOf)[0]
}

/** Found by the credential alone, since a browser sends nothing else. */
export async function findPasskey(queryable: Queryable, credentialId: Buffer): Promise<Passkey | undefined> {
  const found = await queryable.query<PasskeyRow>({
    text: 'select * from passkeys where credential_id = $1',
    values: [credentialId],
  })
  return found.rows.map(passkeyOf)[0]
}

/** False if the key has a counter and it has not gone up: then somebody may have a copy of the key. */
export async function usePasskey(
  queryable: Queryable,
  passkey: Pick<Passkey, 'personId' | 'passkeyId'>,
  counter: number,
): Promise<boolean> {
  const used = await queryable.query<{ is_suspect: boolean }>({
    text: `update passkeys
              set last_used_at = now(), counter = greatest(counter, $3),
                  is_suspect = is_suspect or (counter > 0 or $3 > 0) and $3 <= counter
            where person_id = $1 and passkey_id = $2 returning is_suspect`,
    values: [passkey.personId, passkey.passkeyId, counter],
  })
  return used.rows[0]?.is_suspect === false
}

export async function listPasskeys(
  queryable: Queryable,
  personId: PersonId,
  limit: number,
): Promise<Passkey[]> {
  const found = await queryable.query<PasskeyRow>({
    text: 'select * from passkeys where person_id = $1 order by created_at, passkey_id limit $2',
    values: [personId, limit],
  })
  return found.rows.map(passkeyOf)
}

export async function renamePasskey(
  queryable: Queryable,
  personId: PersonId,
  passkeyId: string,
  name: string,
): Promise<Passkey | undefined> {
  const renamed = await queryable.query<PasskeyRow>({
    text: 'update passkeys set name = $3 where person_id = $1 and passkey_id = $2 returning *',
    values: [personId, passkeyId, name],
  })
  return renamed.rows.map(passkeyOf)[0]
}

/** Also ends the sessions in which any passkey was used, except the caller's: which passkey was used is not stored. */
export async function deletePasskey(
  queryable: Queryable,
  personId: PersonId,
  passkeyId: string,
  sessionId: SessionId,
): Promise<boolean> {
  const deleted = await queryable.query({
    text: `with removed as (delete from passkeys where person_id = $1 and passkey_id = $2 returning person_id),
                ended as (delete from sessions where person_id in (select person_id from removed)
                  and session_id <> $3 and 'passkey' = any(proofs))
           select 1 from removed`,
    values: [personId, passkeyId, sessionId],
  })
  return deleted.rowCount === 1
}
