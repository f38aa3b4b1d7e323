/** Whether the one who calls may: by the company that a call names, and the role they have there. */
import { type Access, AppError, type Operation, type Role, roles } from '@countersign/contract'
import { findScope, listMemberships } from '../domain/members/index.ts'
import type { Database } from '../platform/database.ts'
import type { CompanyId } from '../platform/ids.ts'
import type { Actor } from './principal.ts'

/** What a call names: its path, else `company_id` of its query or body. */
export type Named = Readonly<Record<string, string>>

export type Authorise = (operation: Operation, actor: Actor, named: Named) => Promise<CompanyId | null>

const isRole = (access: Access): access is Role => roles.some((role) => role === access)

/** Answers the company that is acted on, if there is one. Another company's thing is not found. */
export function createAuthorise(database: Database): Authorise {
  return async ({ access, method }, actor, named) => {
    if (actor.kind === 'token' || actor.person.isOperator) {
      // For the trail alone: whether it exists is the handler's to say.
      return method === 'GET' ? null : ((await findScope(database, named, null))?.companyId ?? null)
    }
    if (access === 'operator') throw forbidden('This is for operators only.')
    if (!isRole(access)) return null
    const memberships = await listMemberships({ database }, actor.person.personId)
    const companyIds = memberships.map(({ companyId }) => companyId)
    const scope = await findScope(database, named, companyIds)
    if (!scope) throw forbidden('Without `company_id` this is for operators only.')
    const { companyId, noun } = scope
    const role = memberships.find((membership) => membership.companyId === companyId)?.role
    if (!companyId || !role) throw new AppError('NotFoundError', `There is no such ${noun}.`)
    if (roles.indexOf(role) < roles.indexOf(access)) {
      throw forbidden(
        `Your role here is ${role}; this needs ${access === 'owner' ? 'an owner' : 'a developer or an owner'}.`,
      )
    }
    return companyId
  }
}

const forbidden = (message: string) => new AppError('ForbiddenError', message)
