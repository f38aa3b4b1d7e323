/** The statements by which people leave a company, or all of them. */
import type { Queryable, Tenant } from '../../platform/database.ts'
import type { PersonId } from '../../platform/ids.ts'

/**
 * Locks the people themselves before anything of theirs, so that if somebody leaves two companies at once, one of the
 * calls sees that it is the last. With `personId` null, locks all members.
 */
export async function lockMembers(tenant: Tenant, personId: PersonId | null): Promise<void> {
  await tenant.query({
    text: `select 1 from members member join people person on person.person_id = member.person_id
            where member.company_id = $1 and ($2::text is null or member.person_id = $2)
            order by person.person_id for no key update of person`,
    values: [personId],
  })
}

/** Also deletes their invitation to the same company, which would let them back in. */
export async function deleteMember(tenant: Tenant, personId: PersonId): Promise<boolean> {
  const deleted = await tenant.query({
    text: `with uninvited as (delete from invitations where company_id = $1
                  and email_hash = (select email_hash from people where person_id = $2))
           delete from members where company_id = $1 and person_id = $2`,
    values: [personId],
  })
  return deleted.rowCount === 1
}

/**
 * Removes all members and all who were invited, and returns the members. Invitations are deleted first, by their own
 * statement: it waits for anybody who is taking one up, who is then a member that the next statements see.
 */
export async function removeEverybody(tenant: Tenant): Promise<PersonId[]> {
  await lockMembers(tenant, null)
  await tenant.query({ text: 'delete from invitations where company_id = $1' })
  await lockMembers(tenant, null)
  const removed = await tenant.query<{ person_id: PersonId }>({
    text: 'delete from members where company_id = $1 returning person_id',
  })
  return removed.rows.map((row) => row.person_id)
}

export async function leaveEveryCompany(queryable: Queryable, personId: PersonId): Promise<void> {
  await queryable.query({
    text: `with left_companies as (delete from members where person_id = $1) /* every company: those of one person */
           delete from invitations where email_hash = (select email_hash from people where person_id = $1)`,
    values: [personId],
  })
}

/**
 * Deletes all ways in for people who are now in no company and not operators. An address may get another holder, whom
 * the service takes for the same person: what the previous holder has kept must not open what the next is invited to.
 */
export async function deleteWaysIn(queryable: Queryable, personIds: readonly PersonId[]): Promise<void> {
  await queryable.query({
    text: `with gone as materialized ( /* every company: whether they are in any */
             select person_id from people person
              where person_id = any($1) and not is_operator
                and not exists (select 1 from members where members.person_id = person.person_id)),
                ended as (delete from sessions where person_id in (select person_id from gone)),
                forgotten as (delete from passkeys where person_id in (select person_id from gone)),
                unasked as (delete from passkey_challenges where person_id in (select person_id from gone))
           delete from sign_in_links where person_id in (select person_id from gone)`,
    values: [personIds],
  })
}
