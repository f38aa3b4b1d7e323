/** Invitations that wait for a person to sign in. */
import type { Role } from '@countersign/contract'
import type { Queryable, Tenant } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'

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
