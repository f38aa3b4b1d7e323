/** People, memberships and invitations in the database. */
import type { Role } from '@countersign/contract'
import type { Queryable, Tenant, Transaction } from '../../platform/database.ts'
import type { CompanyId, PersonId } from '../../platform/ids.ts'
import type { Membership } from './person.ts'

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

/** Locks the owners, so that of two who leave at once one is told that they are the last. */
export async function lockOwners(tenant: Tenant): Promise<PersonId[]> {
  const found = await tenant.query<{ person_id: PersonId }>({
    text: `select person_id from members where company_id = $1 and role = 'owner'
            order by person_id for update`,
  })
  return found.rows.map((row) => row.person_id)
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

/** An invitation as stored: the address is sealed. */
export interface StoredInvitation {
  readonly invitationId: string
  readonly sealedEmail: Buffer
  readonly role: Role
  readonly createdAt: Date
  readonly expiresAt: Date
}

interface InvitationRow {
  invitation_id: string
  email: Buffer
  role: Role
  created_at: Date
  expires_at: Date
}

const invitationOf = (row: InvitationRow): StoredInvitation => ({
  invitationId: row.invitation_id,
  sealedEmail: row.email,
  role: row.role,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
})

/** A second invitation to an address replaces the first. Undefined for a member, or if the team has `most` already. */
export async function upsertInvitation(
  tenant: Tenant,
  invitation: {
    invitationId: string
    hash: Buffer
    sealed: Buffer
    role: Role
    days: number
  },
  most: number,
): Promise<StoredInvitation | undefined> {
  const inserted = await tenant.query<InvitationRow>({
    text: `insert into invitations (company_id, invitation_id, email_hash, email, role, expires_at)
           select $1, $2, $3::bytea, $4::bytea, $5, now() + $6 * interval '1 day'
            where (select count(*) from members where company_id = $1)
                + (select count(*) from invitations
                    where company_id = $1 and expires_at > now() and email_hash <> $3) < $7
              and not exists (select 1 from members member join people person on person.person_id = member.person_id
                               where member.company_id = $1 and person.email_hash = $3)
           on conflict (company_id, email_hash) do update
             set invitation_id = excluded.invitation_id, role = excluded.role,
                 created_at = now(), expires_at = excluded.expires_at
           returning *`,
    values: [
      invitation.invitationId,
      invitation.hash,
      invitation.sealed,
      invitation.role,
      invitation.days,
      most,
    ],
  })
  return inserted.rows.map(invitationOf)[0]
}

export async function listInvitations(tenant: Tenant, limit: number): Promise<StoredInvitation[]> {
  const found = await tenant.query<InvitationRow>({
    text: `select * from invitations where company_id = $1 and expires_at > now()
            order by created_at desc, invitation_id limit $2`,
    values: [limit],
  })
  return found.rows.map(invitationOf)
}

export async function hasInvitation(tenant: Tenant, invitationId: string): Promise<boolean> {
  const found = await tenant.query({
    text: 'select 1 from invitations where company_id = $1 and invitation_id = $2 and expires_at > now()',
    values: [invitationId],
  })
  return found.rowCount === 1
}

export async function deleteInvitation(tenant: Tenant, invitationId: string): Promise<boolean> {
  const deleted = await tenant.query({
    text: 'delete from invitations where company_id = $1 and invitation_id = $2 and expires_at > now()',
    values: [invitationId],
  })
  return deleted.rowCount === 1
}

/** Found by address alone: a person who signs in takes up every invitation that waits for them. */
export async function takeInvitations(
  queryable: Queryable,
  hash: Buffer,
): Promise<{ companyId: CompanyId; role: Role }[]> {
  const taken = await queryable.query<{ company_id: CompanyId; role: Role }>({
    text: `delete from invitations /* every company: those that have invited one person */
            where email_hash = $1 and expires_at > now() returning company_id, role`,
    values: [hash],
  })
  return taken.rows.map(({ company_id: companyId, role }) => ({ companyId, role }))
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
