/** What of a call goes into the audit trail: who, which operation, on what, and no secret. */
import { AppError, type Operation, type OperationName, operations } from '@countersign/contract'
import { parseRecipient } from '../domain/guard/index.ts'
import {
  type MemberDependencies,
  type OpenEntry,
  openAuditEntry,
  type Subject,
} from '../domain/members/index.ts'
import { type CompanyId, parseId } from '../platform/ids.ts'
import type { Actor } from './principal.ts'

const names = new Map<Operation, OperationName>(
  (Object.keys(operations) as OperationName[]).map((name) => [operations[name], name]),
)

export interface AuditedCall {
  readonly operation: Operation
  readonly actor: Actor
  readonly subject: Subject | null
  readonly params: Readonly<Record<string, string>>
  readonly body: unknown
  readonly requestId: string
}

export type Audited = <Answer>(call: AuditedCall, run: () => Promise<Answer>) => Promise<Answer>

const isChange = ({ method, isReading }: Operation) => method !== 'GET' && !isReading

export function createAudit(dependencies: Pick<MemberDependencies, 'database' | 'clock'>): Audited {
  return async (call, run) => {
    if (!isChange(call.operation)) return run()
    const entry = await openAuditEntry(dependencies, noteOf(call))
    return settled(entry, run)
  }
}

async function settled<Answer>(entry: OpenEntry, run: () => Promise<Answer>): Promise<Answer> {
  try {
    const answer = await run()
    await entry.settle(companyIn(answer))
    return answer
  } catch (error) {
    // What is no refusal may have happened: then the entry stays as it is.
    if (error instanceof AppError && error.errorName !== 'UnavailableError') await entry.takeBack()
    throw error
  }
}

function noteOf({ operation, actor, subject, params, body, requestId }: AuditedCall) {
  const ids = Object.values(params)
  return {
    companyId: parseId('company', subject?.ownerId ?? ''),
    actor: actor.kind,
    personId: actor.kind === 'person' ? actor.person.personId : null,
    action: names.get(operation) ?? operation.path,
    appId: subject?.appId ?? null,
    subject: ids.at(-1)?.slice(0, 64).replaceAll('\0', '') ?? null,
    changes: changesOf(operation, body),
    requestId,
  }
}

function changesOf({ recorded = [], masked = [] }: Operation, body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null) return {}
  const shown = (field: string, value: unknown) => {
    if (recorded.includes(field)) return value
    return (masked.includes(field) && maskOf(value)) || '(not recorded)'
  }
  return Object.fromEntries(
    Object.entries(body)
      .slice(0, 100)
      .map(([field, value]) => [field.slice(0, 64), shown(field, value)]),
  )
}

const maskOf = (value: unknown) =>
  typeof value === 'string' ? (parseRecipient(value.trim())?.masked ?? null) : null

function companyIn(answer: unknown): CompanyId | null {
  const id =
    typeof answer === 'object' && answer !== null && 'company_id' in answer ? answer.company_id : null
  return typeof id === 'string' ? parseId('company', id) : null
}
