/** People, whichever companies they are members of. */
import type { Queryable, Transaction } from '../../platform/database.ts'
import type { PersonId } from '../../platform/ids.ts'

/** A person as stored: the address is sealed. */
export interface StoredPerson {
  readonly personId: PersonId
  readonly sealedEmail: Buffer
  readonly name: string | null
  readonly isOperator: boolean
  readonly lastSignInAt: Date | null
}

export interface PersonRow {
  person_id: PersonId
  email: Buffer
  name: string | null
  is_operator: boolean
  last_sign_in_at: Date | null
}

export const personOf = (row: PersonRow): StoredPerson => ({
  personId: row.person_id,
  sealedEmail: row.email,
  name: row.name,
  isOperator: row.is_operator,
  lastSignInAt: row.last_sign_in_at,
})

export async function findPersonByEmail(
  queryable: Queryable,
  hash: Buffer,
): Promise<StoredPerson | undefined> {
  const found = await queryable.query<PersonRow>({
    text: 'select * from people where email_hash = $1',
    values: [hash],
  })
  return found.rows.map(personOf)[0]
}

/** Until the transaction ends the person cannot be removed, since a removal begins with the same lock. */
export async function lockPersonByEmail(
  transaction: Transaction,
  hash: Buffer,
): Promise<StoredPerson | undefined> {
  const found = await transaction.query<PersonRow>({
    text: 'select * from people where email_hash = $1 for no key update',
    values: [hash],
  })
  return found.rows.map(personOf)[0]
}

export async function findPerson(
  queryable: Queryable,
  personId: PersonId,
): Promise<StoredPerson | undefined> {
  const found = await queryable.query<PersonRow>({
    text: 'select * from people where person_id = $1',
    values: [personId],
  })
  return found.rows.map(personOf)[0]
}

export async function listEmails(
  queryable: Queryable,
  personIds: readonly PersonId[],
): Promise<Pick<PersonRow, 'person_id' | 'email'>[]> {
  const found = await queryable.query<Pick<PersonRow, 'person_id' | 'email'>>({
    text: 'select person_id, email from people where person_id = any($1)',
    values: [personIds],
  })
  return found.rows
}

/** If two calls create the same person at once, both get the same one. */
export async function upsertPerson(
  queryable: Queryable,
  person: { personId: PersonId; hash: Buffer; sealed: Buffer },
): Promise<StoredPerson> {
  const found = await queryable.query<PersonRow>({
    text: `insert into people (person_id, email_hash, email) values ($1, $2, $3)
           on conflict (email_hash) do update set email_hash = excluded.email_hash
           returning *`,
    values: [person.personId, person.hash, person.sealed],
  })
  const row = found.rows[0]
  if (!row) throw new Error('an insert returned nothing')
  return personOf(row)
}

export async function renamePerson(
  queryable: Queryable,
  personId: PersonId,
  name: string | null,
): Promise<void> {
  await queryable.query({
    text: 'update people set name = $2 where person_id = $1',
    values: [personId, name],
  })
}
