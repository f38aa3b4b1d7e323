/** Whether the one who calls may: by what the call is about, and the role they have in the company it belongs to. */
import { type Access, AppError, type Operation, type Role, roles } from '@countersign/contract'
import { noSuch, validationError } from '../domain/answers/index.ts'
import { findSubject, listMemberships, type Subject, subjectNamed } from '../domain/members/index.ts'
import type { Database } from '../platform/database.ts'
import { type Actor, isOperator } from './principal.ts'

interface Call {
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
}

/** Null for a call that is about nothing that somebody owns. */
export type Authorise = (operation: Operation, actor: Actor, call: Call) => Promise<Subject | null>

const isRole = (access: Access): access is Role => roles.some((role) => role === access)

/** What is acted on decides, and nothing else that the call says. Another company's thing is not found. */
export function createAuthorise(database: Database): Authorise {
  return async (operation, actor, call) => {
    const { access } = operation
    const isOperators = isOperator(actor)
    if (access === 'operator' && !isOperators) throw forbidden('This is for operators only.')
    const named = namedBy(operation, call)
    if (!named) {
      if (isRole(access) && !isOperators) throw forbidden('Without `company_id` this is for operators only.')
      return null
    }
    if (isOperators) return (await findSubject(database, named, null)) ?? notFound(named)
    const memberships =
      actor.kind === 'person' ? await listMemberships({ database }, actor.person.personId) : []
    const among = memberships.map(({ companyId }) => companyId)
    const subject = (await findSubject(database, named, among)) ?? notFound(named)
    const role = memberships.find(({ companyId }) => companyId === subject.ownerId)?.role
    if (!role) return notFound(named)
    if (isRole(access) && roles.indexOf(role) < roles.indexOf(access)) {
      const needed = access === 'owner' ? 'an owner' : 'a developer or an owner'
      throw forbidden(`Your role here is ${role}; this needs ${needed}.`)
    }
    return subject
  }
}

/** What a call says that it is about. */
export const namedBy = ({ company }: Operation, call: Call) =>
  subjectNamed(company ? companyIn(call[company]) : call.params)

/** What is no text is refused when the whole is parsed. */
function companyIn(fields: unknown): Readonly<Record<string, string>> {
  const id =
    typeof fields === 'object' && fields !== null && 'company_id' in fields ? fields.company_id : null
  return typeof id === 'string' ? { company_id: id } : {}
}

/** Before anything is looked up: what nobody reads must not look as if it counted. */
export function assertDeclared({ query: schema }: Operation, query: unknown): void {
  const declared = new Set(Object.keys(schema?.shape ?? {}))
  const problems = Object.entries(query ?? {}).flatMap(([name, value]) => {
    if (!declared.has(name)) return [{ path: name, message: 'is not a parameter of this call' }]
    return Array.isArray(value) ? [{ path: name, message: 'is given more than once' }] : []
  })
  if (problems.length > 0) throw validationError(problems)
}

function notFound({ noun }: { readonly noun: string }): never {
  throw noSuch(noun)
}

const forbidden = (message: string) => new AppError('ForbiddenError', message)
