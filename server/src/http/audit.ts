/** What the audit trail records of a call: who, which operation, on what, from where, how it ended, but no secret. */
import { AppError, type Operation, type OperationName, operations } from '@countersign/contract'
import {
  type OpenEntry,
  openAuditEntry,
  type RefusalDependencies,
  recordRefusal,
  type Subject,
} from '../domain/members/index.ts'
import type { Transaction } from '../platform/database.ts'
import { type CompanyId, parseId } from '../platform/ids.ts'
import { callerKey, knownAddress } from './caller-address.ts'
import type { Locate } from './locate.ts'
import { type Actor, personOf } from './principal.ts'
import { changesOf } from './recorded-changes.ts'

const names = new Map<Operation, OperationName>(
  (Object.keys(operations) as OperationName[]).map((name) => [operations[name], name]),
)

interface AuditedCall {
  readonly operation: Operation
  readonly actor: Actor
  readonly params: Readonly<Record<string, string>>
  readonly body: unknown
  readonly callerAddress: string
  readonly requestId: string
  readonly locate: Locate
}

/** Called once the caller is allowed: opens the entry in that company's chain, and records how `run` ended. */
type Begin = <Answer>(
  subject: Subject | null,
  body: unknown,
  run: () => Promise<Answer>,
  change: AuditedChange,
) => Promise<Answer>

/** What a change with an idempotency key has to do with its entry. */
export interface AuditedChange {
  /** Whether an equal call had made the change. */
  readonly isRepeat: () => boolean
  /** `settle` is called in the transaction of the change. A change without a key has none, and never calls it. */
  readonly settleWith: (settle: (transaction: Transaction, answer: unknown) => Promise<void>) => void
  readonly isSettled: () => boolean
}
export type Audited = <Answer>(
  call: AuditedCall,
  attempt: (begin: Begin) => Promise<Answer>,
) => Promise<Answer>

export const isChange = ({ method, isReading }: Pick<Operation, 'method' | 'isReading'>) =>
  method !== 'GET' && !isReading

export function createAudit(dependencies: RefusalDependencies): Audited {
  return async (call, attempt) => {
    if (!isChange(call.operation)) return attempt((_subject, _body, run) => run())
    let hasBegun = false
    try {
      return await attempt(async (subject, body, run, change) => {
        hasBegun = true
        const entry = await openAuditEntry(dependencies, noteOf({ ...call, body }, subject))
        return settled(entry, run, change)
      })
    } catch (error) {
      const refusal = refusalIn(error)
      if (refusal && !hasBegun) {
        // An attempt on another company's things is recorded in the installation's chain, not in that company's.
        const note = noteOf(call, (await call.locate()).subject)
        await recordRefusal(
          dependencies,
          note.personId ?? callerKey(call.callerAddress),
          note,
          refusal.errorName,
        )
      }
      throw error
    }
  }
}

/** After any other error the change may have happened, so the entry is left without an outcome. */
const refusalIn = (error: unknown): AppError | null =>
  error instanceof AppError && error.errorName !== 'UnavailableError' ? error : null

/** What the trail says of a call that changed nothing, since an equal one had made the change. */
const repeated = 'Repeated'

async function settled<Answer>(
  entry: OpenEntry,
  run: () => Promise<Answer>,
  { isRepeat, settleWith, isSettled }: AuditedChange,
): Promise<Answer> {
  settleWith((transaction, answer) => entry.settleWithin(transaction, companyIn(answer)))
  try {
    const answer = await run()
    if (isRepeat()) await entry.refuse(repeated)
    else if (!isSettled()) await entry.settle(companyIn(answer))
    return answer
  } catch (error) {
    const refusal = refusalIn(error)
    if (refusal && !isSettled()) await entry.refuse(refusal.errorName)
    throw error
  }
}

function noteOf(
  { operation, actor, params, body, callerAddress, requestId }: AuditedCall,
  subject: Subject | null,
) {
  const ids = Object.values(params)
  return {
    companyId: parseId('company', subject?.ownerId ?? ''),
    actor: actor.kind,
    personId: personOf(actor),
    action: names.get(operation) ?? operation.path,
    appId: subject?.appId ?? null,
    subject: shortened(ids.at(-1)),
    changes: changesOf(operation, body),
    address: knownAddress(callerAddress),
    requestId,
  }
}

/** Cuts between characters: half of one would be stored differently from what was signed, and break the chain. */
const shortened = (id: string | undefined): string | null =>
  id === undefined ? null : [...id.slice(0, 128)].slice(0, 64).join('').replaceAll('\0', '')

function companyIn(answer: unknown): CompanyId | null {
  const id =
    typeof answer === 'object' && answer !== null && 'company_id' in answer ? answer.company_id : null
  return typeof id === 'string' ? parseId('company', id) : null
}
