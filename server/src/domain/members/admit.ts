/** Who has proven an address is let in as what they are, or are invited as. */
import { AppError } from '@countersign/contract'
import type { Transaction } from '../../platform/database.ts'
import { newId, type PersonId } from '../../platform/ids.ts'
import { type EmailForms, emailForms, type MemberDependencies } from './person.ts'
import * as store from './store.ts'

/**
 * Takes up invitations that wait for the address. Whoever belongs nowhere is told so only now, after the
 * proof.
 */
export async function admit(
  dependencies: MemberDependencies,
  transaction: Transaction,
  email: string,
): Promise<PersonId> {
  const forms = emailForms(dependencies, email)
  const known = await store.findPersonByEmail(transaction, forms.hash)
  const invitations = await store.takeInvitations(transaction, forms.hash)
  const isMember =
    known && (known.isOperator || (await store.listMemberships(transaction, known.personId, 1)).length > 0)
  if (!isMember && invitations.length === 0) {
    throw new AppError(
      'ForbiddenError',
      'This address is not a member of a company here. Ask for an invitation.',
    )
  }
  const personId = known?.personId ?? (await addPerson(dependencies, transaction, forms))
  for (const { companyId, role } of invitations) {
    await store.insertMember(transaction.of(companyId), personId, role)
  }
  return personId
}

export async function addPerson(
  { clock }: MemberDependencies,
  transaction: Transaction,
  { hash, sealed }: EmailForms,
): Promise<PersonId> {
  const personId = newId('person', clock.nowMs())
  return (await store.upsertPerson(transaction, { personId, hash, sealed })).personId
}
