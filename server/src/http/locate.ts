/** The subject of a management call, and the caller's membership in its company: looked up once, when first needed. */
import type { Operation } from '@countersign/contract'
import {
  findSubject,
  listMemberships,
  type Membership,
  type Subject,
  subjectNamed,
} from '../domain/members/index.ts'
import type { Database } from '../platform/database.ts'
import { type Actor, isOperator } from './principal.ts'

export interface ManagementCall {
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
}

type Named = ReturnType<typeof subjectNamed>

export interface Located {
  /** The subject that the call names; null if the call is about nothing that has an owner. */
  readonly named: Named
  /** Null if it does not exist, or not for this caller. */
  readonly subject: Subject | null
  /** The caller's membership in the company that owns it; null for an operator, who needs none. */
  readonly membership: Membership | null
}

export type Locate = () => Promise<Located>

export const createLocate =
  (database: Database) =>
  (operation: Operation, actor: Actor, call: ManagementCall): Locate => {
    let located: Promise<Located> | null = null
    return () => {
      located ??= locate(database, namedBy(operation, call), actor)
      return located
    }
  }

async function locate(database: Database, named: Named, actor: Actor): Promise<Located> {
  if (!named) return { named, subject: null, membership: null }
  if (actor.kind === 'token' || isOperator(actor)) {
    return { named, subject: (await findSubject(database, named, null)) ?? null, membership: null }
  }
  const memberships = await listMemberships({ database }, actor.person.personId)
  const among = memberships.map(({ companyId }) => companyId)
  const subject = (await findSubject(database, named, among)) ?? null
  const membership = memberships.find(({ companyId }) => companyId === subject?.ownerId) ?? null
  return { named, subject, membership }
}

const namedBy = ({ company }: Operation, call: ManagementCall): Named =>
  subjectNamed(company ? companyIn(call[company]) : call.params)

/** A value that is not a string is refused later, when the body is parsed. */
function companyIn(fields: unknown): Readonly<Record<string, string>> {
  const id =
    typeof fields === 'object' && fields !== null && 'company_id' in fields ? fields.company_id : null
  return typeof id === 'string' ? { company_id: id } : {}
}
