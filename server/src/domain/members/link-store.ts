/** Sign-in links in the database: only hashes of their tokens. They belong to a person, and to no company. */
import type { Queryable, Transaction } from '../../platform/database.ts'
import type { PersonId } from '../../platform/ids.ts'

export async function insertLink(
  queryable: Queryable,
  link: { linkId: string; tokenHash: Buffer; personId: PersonId; makesOperator: boolean; minutes: number },
): Promise<void> {
  await queryable.query({
    text: `insert into sign_in_links (link_id, token_hash, person_id, makes_operator, expires_at)
           values ($1, $2, $3, $4, now() + $5 * interval '1 minute')`,
    values: [link.linkId, link.tokenHash, link.personId, link.makesOperator, link.minutes],
  })
}

/** Whether somebody may be given a link before they have joined. Looked up by address alone, as invitations are. */
export async function isInvited(queryable: Queryable, hash: Buffer): Promise<boolean> {
  const found = await queryable.query({
    text: `select 1 from invitations /* every company: those that have invited one person */
            where email_hash = $1 and expires_at > now() limit 1`,
    values: [hash],
  })
  return found.rowCount === 1
}

interface TakenLink {
  readonly personId: PersonId
  readonly makesOperator: boolean
  readonly sealedEmail: Buffer
}

/**
 * If two people open the link, one gets in. It is found by its token alone, since a link has nothing else. Its person
 * is locked first, as when somebody is removed.
 */
export async function takeLink(transaction: Transaction, tokenHash: Buffer): Promise<TakenLink | undefined> {
  await transaction.query({
    text: `select 1 from people person join sign_in_links link on link.person_id = person.person_id
            where link.token_hash = $1 and link.expires_at > now() for no key update of person`,
    values: [tokenHash],
  })
  const taken = await transaction.query<{ person_id: PersonId; makes_operator: boolean; email: Buffer }>({
    text: `delete from sign_in_links link using people person
            where link.token_hash = $1 and link.expires_at > now() and person.person_id = link.person_id
           returning link.person_id, link.makes_operator, person.email`,
    values: [tokenHash],
  })
  return taken.rows.map((row) => ({
    personId: row.person_id,
    makesOperator: row.makes_operator,
    sealedEmail: row.email,
  }))[0]
}

/** A link as stored: the address of its person is sealed. */
export interface StoredLink {
  readonly linkId: string
  readonly sealedEmail: Buffer
  /** Whether the link signs in an operator: an existing one, or one who becomes an operator by it. */
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
    text: `select link.link_id, link.created_at, link.expires_at, person.email,
                  person.is_operator or link.makes_operator as is_operator
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

export async function deleteOperatorLinks(queryable: Queryable, personId: PersonId): Promise<void> {
  await queryable.query({
    text: 'delete from sign_in_links where person_id = $1 and makes_operator',
    values: [personId],
  })
}
