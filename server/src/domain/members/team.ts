/** The people of a company, which keeps at least one owner once it has one. */
import { AppError, type Role } from '@countersign/contract'
import type { Transaction } from '../../platform/database.ts'
import { type CompanyId, newId, type PersonId, parseId } from '../../platform/ids.ts'
import { noSuch } from '../answers/index.ts'
import { assertNotOwn, findCompany, limitReached, lockCompany, teamOfCompany } from '../tenancy/index.ts'
import * as invitationStore from './invitation-store.ts'
import * as leaving from './leaving-store.ts'
import * as memberStore from './member-store.ts'
import { emailForms, type MemberDependencies, type Membership, openEmail } from './person.ts'
import * as store from './store.ts'

const maxListed = 500
const invitationDays = 7

export interface Member {
  readonly personId: PersonId
  readonly email: string
  readonly name: string | null
  readonly role: Role
  readonly joinedAt: Date
  readonly lastSignInAt: Date | null
}

export interface Invitation {
  readonly invitationId: string
  readonly email: string
  readonly role: Role
  readonly createdAt: Date
  readonly expiresAt: Date
}

type Dependencies = Pick<MemberDependencies, 'database' | 'keyring'>

const memberOf = (
  { keyring }: Dependencies,
  { personId, sealedEmail, name, role, joinedAt, lastSignInAt }: memberStore.StoredMember,
): Member => ({ personId, email: openEmail(keyring(), sealedEmail), name, role, joinedAt, lastSignInAt })

const invitationOf = (
  { keyring }: Dependencies,
  { sealedEmail, ...invitation }: invitationStore.StoredInvitation,
): Invitation => ({ ...invitation, email: openEmail(keyring(), sealedEmail) })

export const listMemberships = (
  { database }: Pick<Dependencies, 'database'>,
  personId: PersonId,
): Promise<Membership[]> => memberStore.listMemberships(database, personId, maxListed)

export async function renamePerson(
  { database }: Pick<Dependencies, 'database'>,
  personId: PersonId,
  name: string | null,
): Promise<void> {
  await store.renamePerson(database, personId, name)
}

export async function listTeam(
  dependencies: Dependencies,
  companyId: CompanyId,
): Promise<{ members: Member[]; invitations: Invitation[] }> {
  await assertCompany(dependencies, companyId)
  const [members, invitations] = await Promise.all([
    memberStore.listMembers(dependencies.database.of(companyId), maxListed),
    invitationStore.listInvitations(dependencies.database.of(companyId), maxListed),
  ])
  return {
    members: members.map((member) => memberOf(dependencies, member)),
    invitations: invitations.map((invitation) => invitationOf(dependencies, invitation)),
  }
}

export async function inviteMember(
  dependencies: MemberDependencies,
  companyId: CompanyId,
  { email, role }: { readonly email: string; readonly role: Role },
): Promise<Invitation> {
  // A member of the service's own company could set up accounts there, and read everybody's sign-in codes.
  assertNotOwn(companyId)
  const forms = emailForms(dependencies, email)
  const invitation = {
    invitationId: newId('invitation', dependencies.clock.nowMs()),
    hash: forms.hash,
    sealed: forms.sealed,
    role,
    days: invitationDays,
  }
  const stored = await dependencies.database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    if (!(await lockCompany(tenant))) throw noSuch('company')
    return invitationStore.upsertInvitation(tenant, invitation, teamOfCompany.most)
  })
  if (stored) return invitationOf(dependencies, stored)
  const person = await store.findPersonByEmail(dependencies.database, forms.hash)
  if (person && (await memberStore.findMember(dependencies.database.of(companyId), person.personId))) {
    throw new AppError('ConflictError', 'This person is a member already. Change their role instead.')
  }
  throw limitReached(teamOfCompany)
}

export async function withdrawInvitation(
  { database }: Dependencies,
  companyId: CompanyId,
  text: string,
): Promise<string> {
  const invitationId = parseId('invitation', text)
  if (!invitationId || !(await invitationStore.deleteInvitation(database.of(companyId), invitationId))) {
    throw noSuch('invitation')
  }
  return invitationId
}

export async function changeRole(
  dependencies: Dependencies,
  companyId: CompanyId,
  text: string,
  role: Role,
): Promise<Member> {
  const personId = personIdOf(text)
  await dependencies.database.transaction(async (transaction) => {
    if (role !== 'owner') await assertOwnerStays(transaction, companyId, personId)
    if (!(await memberStore.setRole(transaction.of(companyId), personId, role))) throw noSuch('member')
  })
  const stored = await memberStore.findMember(dependencies.database.of(companyId), personId)
  if (!stored) throw noSuch('member')
  return memberOf(dependencies, stored)
}

export async function removeMember(
  { database }: Dependencies,
  companyId: CompanyId,
  text: string,
): Promise<PersonId> {
  const personId = personIdOf(text)
  await database.transaction(async (transaction) => {
    const tenant = transaction.of(companyId)
    await leaving.lockMembers(tenant, personId)
    await assertOwnerStays(transaction, companyId, personId)
    if (!(await leaving.deleteMember(tenant, personId))) throw noSuch('member')
    await leaving.deleteWaysIn(transaction, [personId])
  })
  return personId
}

export async function assertOwnerStays(
  transaction: Transaction,
  companyId: CompanyId,
  personId: PersonId,
): Promise<void> {
  const owners = await memberStore.lockOwners(transaction.of(companyId), personId)
  if (owners.length === 1 && owners[0] === personId) {
    throw new AppError('ConflictError', 'This is the last owner. Make somebody else an owner first.')
  }
}

async function assertCompany(
  { database }: Pick<Dependencies, 'database'>,
  companyId: CompanyId,
): Promise<void> {
  if (!(await findCompany(database.of(companyId)))) throw noSuch('company')
}

function personIdOf(text: string): PersonId {
  const personId = parseId('person', text)
  if (!personId) throw noSuch('member')
  return personId
}
