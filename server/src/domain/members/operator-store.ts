/** Operators in the database. */
import type { Queryable } from '../../platform/database.ts'
import type { CompanyId, PersonId } from '../../platform/ids.ts'
import { type PersonRow, personOf, type StoredPerson } from './store.ts'

export async function listOperators(
  queryable: Queryable,
  limit: number,
): Promise<(StoredPerson & { readonly createdAt: Date })[]> {
  const found = await queryable.query<PersonRow & { created_at: Date }>({
    text: 'select * from people where is_operator order by created_at, person_id limit $1',
    values: [limit],
  })
  return found.rows.map((row) => ({ ...personOf(row), createdAt: row.created_at }))
}

/** Locks the operators, so that of two who leave at once one is told that they are the last. */
export async function lockOperators(queryable: Queryable): Promise<PersonId[]> {
  const found = await queryable.query<{ person_id: PersonId }>({
    text: 'select person_id from people where is_operator order by person_id for update',
  })
  return found.rows.map((row) => row.person_id)
}

export async function findOperatorByEmail(queryable: Queryable, hash: Buffer): Promise<PersonId | null> {
  const found = await queryable.query<{ person_id: PersonId }>({
    text: 'select person_id from people where email_hash = $1 and is_operator',
    values: [hash],
  })
  return found.rows[0]?.person_id ?? null
}

export async function setOperator(
  queryable: Queryable,
  personId: PersonId,
  isOperator: boolean,
): Promise<void> {
  await queryable.query({
    text: 'update people set is_operator = $2 where person_id = $1',
    values: [personId, isOperator],
  })
}

export async function listCompaniesOf(queryable: Queryable, personId: PersonId): Promise<CompanyId[]> {
  const found = await queryable.query<{ company_id: CompanyId }>({
    text: 'select company_id from members where person_id = $1 order by company_id /* every company: those of one person */',
    values: [personId],
  })
  return found.rows.map((row) => row.company_id)
}
