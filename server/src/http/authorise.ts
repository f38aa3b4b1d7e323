/** Decides whether the caller may make the call, by its subject and the caller's role in the company that owns it. */
import { type Access, AppError, type Operation, type Role, roles } from '@countersign/contract'
import { noSuch, validationError } from '../domain/answers/index.ts'
import type { Locate, Located } from './locate.ts'
import { type Actor, isOperator } from './principal.ts'

const isRole = (access: Access): access is Role => roles.some((role) => role === access)

/** Only the subject of the call decides, nothing else in the call. Things of another company are "not found". */
export async function authorise({ access }: Operation, actor: Actor, locate: Locate): Promise<Located> {
  const isOperators = isOperator(actor)
  if (access === 'operator' && !isOperators) throw forbidden('This is for operators only.')
  const located = await locate()
  const { named, subject, membership } = located
  if (!named) {
    if (isRole(access) && !isOperators) throw forbidden('Without `company_id` this is for operators only.')
    return located
  }
  if (!subject || !(isOperators || membership)) throw noSuch(named.noun)
  if (membership && isRole(access)) assertRole(membership.role, access)
  return located
}

function assertRole(role: Role, access: Role): void {
  if (roles.indexOf(role) >= roles.indexOf(access)) return
  const needed = access === 'owner' ? 'an owner' : 'a developer or an owner'
  throw forbidden(`Your role here is ${role}; this needs ${needed}.`)
}

/** Refuses unknown query parameters, so that nobody believes they had an effect. */
export function assertDeclared({ query: schema }: Operation, query: unknown): void {
  const declared = new Set(Object.keys(schema?.shape ?? {}))
  const problems = Object.entries(query ?? {}).flatMap(([name, value]) => {
    if (!declared.has(name)) return [{ path: name, message: 'is not a parameter of this call' }]
    return Array.isArray(value) ? [{ path: name, message: 'is given more than once' }] : []
  })
  if (problems.length > 0) throw validationError(problems)
}

const forbidden = (message: string) => new AppError('ForbiddenError', message)
