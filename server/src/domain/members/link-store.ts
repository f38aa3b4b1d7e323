/** Sign-in links in the database: only hashes of their tokens. They belong to a person, and to no company. */
import type { Queryable } from '../../platform/database.ts'
import type { PersonId } from '../../platform/ids.ts'

export async function insertLink(
  queryable: Queryable,
  link: { linkId: string; tokenHash: Buffer; personId: PersonId; minutes: number },
): Promise<void> {
  await queryable.query({
    text: `insert into sign_in_links (link_id, token_hash, person_id, expires_at)
           values ($1, $2, $3, now() + $4 * interval '1 minute')`,
    values: [link.linkId, link.tokenHash, link.personId, link.minutes],
  })
}

/** One statement: of two that open the link, one gets in. By token alone: that is all a link says. */
export async function takeLink(queryable: Queryable, tokenHash: Buffer): Promise<PersonId | null> {
  const taken = await queryable.query<{ person_id: PersonId }>({
    text: 'delete from sign_in_links where token_hash = $1 and expires_at > now() returning person_id',
    values: [tokenHash],
  })
  return taken.rows[0]?.person_id ?? null
}

export interface LinkRow {
  readonly link_id: string
  readonly email: Buffer
  readonly is_operator: boolean
  readonly created_at: Date
  readonly expires_at: Date
}

export async function listLinks(queryable: Queryable, limit: number): Promise<LinkRow[]> {
  const found = await queryable.query<LinkRow>({
    text: `select link.link_id, link.created_at, link.expires_at, person.email, person.is_operator
             from sign_in_links link join people person on person.person_id = link.person_id
            where link.expires_at > now() order by link.created_at desc, link.link_id limit $1`,
    values: [limit],
  })
  return found.rows
}

export async function deleteLink(queryable: Queryable, linkId: string): Promise<boolean> {
  const deleted = await queryable.query({
    text: 'delete from sign_in_links where link_id = $1 and expires_at > now()',
    values: [linkId],
  })
  return deleted.rowCount === 1
}
