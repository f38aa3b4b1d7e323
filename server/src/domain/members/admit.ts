/** Lets in a person who has proven an address: as what they are, or as what they are invited as. */
import { AppError } from '@countersign/contract'
import type { Transaction } from '../../platform/database.ts'
import { newId, type PersonId } from '../../platform/ids.ts'
import { takeInvitations } from './invitation-store.ts'
import { makeKnown } from './known-browser.ts'
import { insertMember, listMemberships } from './member-store.ts'
import { type EmailForms, emailForms, type MemberDependencies } from './person.ts'
import type { Proof } from './session-store.ts'
import { openSession, type Visitor } from './sessions.ts'
import { lockPersonByEmail, upsertPerson } from './store.ts'

/** Admits the person and opens a session in one transaction, so that nobody who is removed meanwhile keeps one. */
export async function enter(
  dependencies: MemberDependencies,
  transaction: Transaction,
  email: string,
  visitor: Visitor,
  proof: Proof,
): Promise<Entered> {
  const personId = await admit(dependencies, transaction, email)
  const token = await openSession(dependencies, transaction, personId, visitor, proof)
  return { personId, cookies: { token, knownToken: makeKnown(dependencies, email) } }
}

export interface Entered {
  readonly personId: PersonId
  readonly cookies: SessionCookies
}

/** The token of the session, and that of the browser, which is known from now on. */
export interface SessionCookies {
  readonly token: string
  readonly knownToken: string
}

/** Takes up invitations that wait for the address. People who belong nowhere are told so only after the proof. */
async function admit(
  dependencies: MemberDependencies,
  transaction: Transaction,
  email: string,
): Promise<PersonId> {
  const forms = emailForms(dependencies, email)
  const known = await lockPersonByEmail(transaction, forms.hash)
  const invitations = await takeInvitations(transaction, forms.hash)
  const isMember =
    known && (known.isOperator || (await listMemberships(transaction, known.personId, 1)).length > 0)
  if (!isMember && invitations.length === 0) {
    throw new AppError(
      'ForbiddenError',
      'This address is not a member of a company here. Ask for an invitation.',
    )
  }
  const personId = known?.personId ?? (await addPerson(dependencies, transaction, forms))
  for (const { companyId, role } of invitations) {
    await insertMember(transaction.of(companyId), personId, role)
  }
  return personId
}

export async function addPerson(
  { clock }: MemberDependencies,
  transaction: Transaction,
  { hash, sealed }: EmailForms,
): Promise<PersonId> {
  const personId = newId('person', clock.nowMs())
  return (await upsertPerson(transaction, { personId, hash, sealed })).personId
}
