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

/** A link as stored: the address of its person is sealed. */
export interface StoredLink {
  readonly linkId: string
  readonly sealedEmail: Buffer
  readonly isOperator: boolean
  readonly createdAt: Date
  readonly expiresAt: Date
}

interface LinkRow {
  link_id: string
  email: Buffer
  is_operator: boolean
  created_at: Date
  expires_at: Date
}

export async function listLinks(queryable: Queryable, limit: number): Promise<StoredLink[]> {
  const found = await queryable.query<LinkRow>({
    text: `select link.link_id, link.created_at, link.expires_at, person.email, person.is_operator
             from sign_in_links link join people person on person.person_id = link.person_id
            where link.expires_at > now() order by link.created_at desc, link.link_id limit $1`,
    values: [limit],
  })
  return found.rows.map((row) => ({
    linkId: row.link_id,
    sealedEmail: row.email,
    isOperator: row.is_operator,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }))
}

export async function deleteLink(queryable: Queryable, linkId: string): Promise<boolean> {
  const deleted = await queryable.query({
    text: 'delete from sign_in_links where link_id = $1 and expires_at > now()',
    values: [linkId],
  })
  return deleted.rowCount === 1
}
