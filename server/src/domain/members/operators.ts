/** Operators: who they are, and how one stops being one. */
import { AppError } from '@countersign/contract'
import type { Database, Transaction } from '../../platform/database.ts'
import { type PersonId, parseId } from '../../platform/ids.ts'
import { noSuch } from '../answers/index.ts'
import { deleteWaysIn, leaveEveryCompany } from './leaving-store.ts'
import { deleteOperatorLinks } from './link-store.ts'
import * as operators from './operator-store.ts'
import { emailForms, type MemberDependencies, openEmail } from './person.ts'
import { assertOwnerStays } from './team.ts'

export interface Operator {
  readonly personId: PersonId
  readonly email: string
  readonly name: string | null
  readonly createdAt: Date
  readonly lastSignInAt: Date | null
}

/** Without `keepsOne` the last operator may go too: somebody with the command line has a way back in. */
interface Leaving {
  readonly keepsOne: boolean
}

const maxListed = 500

export async function listOperators({
  database,
  keyring,
}: Pick<MemberDependencies, 'database' | 'keyring'>): Promise<Operator[]> {
  const stored = await operators.listOperators(database, maxListed)
  return stored.map(({ personId, sealedEmail, name, createdAt, lastSignInAt }) => ({
    personId,
    email: openEmail(keyring(), sealedEmail),
    name,
    createdAt,
    lastSignInAt,
  }))
}

/**
 * The person keeps their roles in companies, or is signed out everywhere if they have none. A link that would make them
 * an operator again is deleted.
 */
export async function demoteOperator(
  { database }: { readonly database: Database },
  text: string,
  leaving: Leaving = { keepsOne: true },
): Promise<PersonId> {
  return database.transaction(async (transaction) => {
    const personId = await demote(transaction, text, leaving)
    await deleteWaysIn(transaction, [personId])
    return personId
  })
}

/** Also removes the person from every company, and deletes their sessions, links, passkeys and invitations. */
export async function removeOperator(
  { database }: { readonly database: Database },
  text: string,
  leaving: Leaving = { keepsOne: true },
): Promise<PersonId> {
  return database.transaction(async (transaction) => {
    const personId = await demote(transaction, text, leaving)
    for (const companyId of await operators.listCompaniesOf(transaction, personId)) {
      await assertOwnerStays(transaction, companyId, personId)
    }
    await leaveEveryCompany(transaction, personId)
    await deleteWaysIn(transaction, [personId])
    return personId
  })
}

async function demote(transaction: Transaction, text: string, { keepsOne }: Leaving): Promise<PersonId> {
  const personId = parseId('person', text)
  const all = await operators.lockOperators(transaction)
  if (!personId || !all.includes(personId)) throw noSuch('operator')
  if (keepsOne && all.length === 1) {
    throw new AppError('ConflictError', 'This is the last operator. Make somebody else an operator first.')
  }
  await operators.setOperator(transaction, personId, false)
  await deleteOperatorLinks(transaction, personId)
  return personId
}

/** Finds an operator by address, as the command line names them. */
export async function getOperatorByEmail(dependencies: MemberDependencies, email: string): Promise<PersonId> {
  const { hash } = emailForms(dependencies, email)
  const found = await operators.findOperatorByEmail(dependencies.database, hash)
  if (!found) throw new AppError('NotFoundError', 'No operator has this address.')
  return found
}
