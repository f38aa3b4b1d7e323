/** Who is a member of which company, and whether its members need a passkey. */
import type { Role } from '@countersign/contract'
import type { Queryable, Tenant } from '../../platform/database.ts'
import type { CompanyId, PersonId } from '../../platform/ids.ts'
import type { Membership } from './person.ts'
import { type PersonRow, personOf, type StoredPerson } from './store.ts'

export async function listMemberships(
  queryable: Queryable,
  personId: PersonId,
  limit: number,
): Promise<Membership[]> {
  const found = await queryable.query<{
    company_id: CompanyId
    name: string
    role: Role
    passkey_required: boolean
  }>({
    text: `select member.company_id, company.name, member.role, company.passkey_required /* every company: those of one person */
             from members member join companies company on company.company_id = member.company_id
            where member.person_id = $1
            order by company.name, company.company_id limit $2`,
    values: [personId, limit],
  })
  return found.rows.map((row) => ({
    companyId: row.company_id,
    companyName: row.name,
    role: row.role,
    isPasskeyRequired: row.passkey_required,
  }))
}

export interface StoredMember extends StoredPerson {
  readonly role: Role
  readonly joinedAt: Date
}

interface MemberRow extends PersonRow {
  role: Role
  joined_at: Date
}

const memberOf = (row: MemberRow): StoredMember => ({
  ...personOf(row),
  role: row.role,
  joinedAt: row.joined_at,
})

const memberColumns = `select person.*, member.role, member.joined_at
  from members member join people person on person.person_id = member.person_id`

export async function listMembers(tenant: Tenant, limit: number): Promise<StoredMember[]> {
  const found = await tenant.query<MemberRow>({
    text: `${memberColumns} where member.company_id = $1 order by member.joined_at, member.person_id limit $2`,
    values: [limit],
  })
  return found.rows.map(memberOf)
}

export async function findMember(tenant: Tenant, personId: PersonId): Promise<StoredMember | undefined> {
  const found = await tenant.query<MemberRow>({
    text: `${memberColumns} where member.company_id = $1 and member.person_id = $2`,
    values: [personId],
  })
  return found.rows.map(memberOf)[0]
}

/**
 * Locks the owners, so that of two who leave at once one is told that they are the last; and the one who leaves, who may
 * be becoming an owner just now.
 */
export async function lockOwners(tenant: Tenant, leaving: PersonId): Promise<PersonId[]> {
  const found = await tenant.query<{ person_id: PersonId; role: Role }>({
    text: `select person_id, role from members where company_id = $1 and (role = 'owner' or person_id = $2)
            order by person_id for update`,
    values: [leaving],
  })
  return found.rows.flatMap(({ person_id, role }) => (role === 'owner' ? [person_id] : []))
}

export async function insertMember(tenant: Tenant, personId: PersonId, role: Role): Promise<void> {
  await tenant.query({
    text: `insert into members (company_id, person_id, role) values ($1, $2, $3)
           on conflict (company_id, person_id) do nothing`,
    values: [personId, role],
  })
}

export async function setRole(tenant: Tenant, personId: PersonId, role: Role): Promise<boolean> {
  const updated = await tenant.query({
    text: 'update members set role = $3 where company_id = $1 and person_id = $2',
    values: [personId, role],
  })
  return updated.rowCount === 1
}

/** Null if there is no such company. */
export async function findPasskeyRule(tenant: Tenant): Promise<boolean | null> {
  const found = await tenant.query<{ passkey_required: boolean }>({
    text: 'select passkey_required from companies where company_id = $1',
  })
  return found.rows[0]?.passkey_required ?? null
}

export async function setPasskeyRule(tenant: Tenant, isRequired: boolean): Promise<boolean> {
  const updated = await tenant.query({
    text: 'update companies set passkey_required = $2 where company_id = $1 and closed_at is null',
    values: [isRequired],
  })
  return updated.rowCount === 1
}
