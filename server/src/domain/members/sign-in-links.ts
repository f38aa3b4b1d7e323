/** One-time links that the command line gives out: they open the dashboard once, within the hour. */
import { AppError } from '@countersign/contract'
import type { Transaction } from '../../platform/database.ts'
import { type CompanyId, newId, type PersonId, parseId } from '../../platform/ids.ts'
import { sha256 } from '../../platform/keyring.ts'
import { addPerson, type Entered, enter } from './admit.ts'
import * as links from './link-store.ts'
import { insertMember, listMemberships } from './member-store.ts'
import { setOperator } from './operator-store.ts'
import { type EmailForms, emailForms, type MemberDependencies, openEmail } from './person.ts'
import { newToken, type Visitor } from './sessions.ts'
import { findPersonByEmail } from './store.ts'

const linkPrefix = 'cs_link_'
const linkMinutes = 60
const maxListed = 500

/**
 * Whom a link is for: an existing operator (`operators`), a member of a company or somebody invited to one (`members`),
 * or somebody who becomes an operator by it (`new`). They become one when the link is used, so that a link which went
 * to a wrong address can be revoked.
 */
export type LinkFor = 'operators' | 'members' | 'new'

/** Returns the token; only its hash is stored. */
export async function makeSignInLink(
  dependencies: MemberDependencies,
  email: string,
  linkFor: LinkFor,
  ownerOf: CompanyId | null = null,
): Promise<string> {
  const token = newToken(linkPrefix)
  await dependencies.database.transaction(async (transaction) => {
    const forms = emailForms(dependencies, email)
    const personId = await personFor(dependencies, transaction, forms, linkFor)
    if (ownerOf) await insertMember(transaction.of(ownerOf), personId, 'owner')
    const linkId = newId('link', dependencies.clock.nowMs())
    await links.insertLink(transaction, {
      linkId,
      tokenHash: sha256(token),
      personId,
      makesOperator: linkFor === 'new',
      minutes: linkMinutes,
    })
  })
  return token
}

async function personFor(
  dependencies: MemberDependencies,
  transaction: Transaction,
  forms: EmailForms,
  linkFor: LinkFor,
): Promise<PersonId> {
  const known = await findPersonByEmail(transaction, forms.hash)
  if (linkFor === 'operators') {
    if (known?.isOperator) return known.personId
    throw new AppError(
      'NotFoundError',
      'No operator has this address. With --new the person becomes an operator, who may do everything in all companies; with --member the link signs in a member, or somebody who is invited, in their own role.',
    )
  }
  if (linkFor === 'members') {
    const isMember = known && (await listMemberships(transaction, known.personId, 1)).length > 0
    if (!isMember && !known?.isOperator && !(await links.isInvited(transaction, forms.hash))) {
      throw new AppError(
        'NotFoundError',
        'Nobody with this address is a member or invited. Invite them first.',
      )
    }
  }
  return known?.personId ?? (await addPerson(dependencies, transaction, forms))
}

/** The token is behind a `#`, so that it reaches no server's log and no preview of the link spends it. */
export const signInLinkUrl = (publicUrl: string, token: string) =>
  `${publicUrl}/dashboard/sign-in#token=${token}`

export async function signInWithLink(
  dependencies: MemberDependencies,
  token: string,
  visitor: Visitor,
): Promise<Entered> {
  const unknown = () => new AppError('TokenNotFound', 'This link has been used or is over. Make a new one.')
  if (!token.startsWith(linkPrefix)) throw unknown()
  return dependencies.database.transaction(async (transaction) => {
    const link = await links.takeLink(transaction, sha256(token))
    if (!link) throw unknown()
    if (link.makesOperator) await setOperator(transaction, link.personId, true)
    const email = openEmail(dependencies.keyring(), link.sealedEmail)
    return enter(dependencies, transaction, email, visitor, 'link')
  })
}

export interface SignInLink {
  readonly linkId: string
  readonly email: string
  readonly isOperator: boolean
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** Lists links that still work. */
export async function listSignInLinks({
  database,
  keyring,
}: Pick<MemberDependencies, 'database' | 'keyring'>): Promise<SignInLink[]> {
  const stored = await links.listLinks(database, maxListed)
  return stored.map(({ sealedEmail, ...link }) => ({ ...link, email: openEmail(keyring(), sealedEmail) }))
}

export async function revokeSignInLink(
  { database }: Pick<MemberDependencies, 'database'>,
  text: string,
): Promise<string> {
  const linkId = parseId('link', text)
  if (!linkId || !(await links.deleteLink(database, linkId))) {
    throw new AppError('NotFoundError', 'There is no such link, or it has been used.')
  }
  return linkId
}
