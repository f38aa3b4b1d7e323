/** The door of the dashboard: who got in is in the audit trail, and who did not. */
import { AppError } from '@countersign/contract'
import {
  type RefusalDependencies,
  recordAudit,
  recordRefusal,
  type Visitor,
} from '../../domain/members/index.ts'
import type { PersonId } from '../../platform/ids.ts'
import { callerKey, knownAddress } from '../caller-address.ts'
import type { Incoming } from '../route.ts'

export type Call = Pick<
  Incoming<unknown, unknown, null>,
  'callerAddress' | 'header' | 'requestId' | 'setSession'
> & {
  /** Where somebody is signed in already, and proves it once more. */
  readonly personId?: PersonId
}

/** Lets in and keeps out, and writes down both. */
export function createDoor(dependencies: RefusalDependencies) {
  const noteOf = (call: Call, action: string) => ({
    companyId: null,
    actor: call.personId ? ('person' as const) : ('stranger' as const),
    personId: call.personId ?? null,
    action,
    appId: null,
    subject: null,
    changes: {},
    address: knownAddress(call.callerAddress),
    requestId: call.requestId,
  })
  async function letIn(call: Call, action: string, personId: PersonId, token: string): Promise<void> {
    await recordAudit(dependencies, {
      ...noteOf(call, action),
      actor: 'person',
      personId,
      subject: personId,
    })
    // Only now: an answer that fails carries its cookies all the same.
    call.setSession(token)
  }
  /** `email` is masked as on every page; the code is never recorded. */
  async function keepOut(
    call: Call,
    action: string,
    why: Parameters<typeof recordRefusal>[3],
    email: string | null = null,
  ): Promise<void> {
    const note = { ...noteOf(call, action), changes: email === null ? {} : { email } }
    await recordRefusal(dependencies, callerKey(call.callerAddress), note, why)
  }
  return {
    letIn,
    keepOut,
    /** Runs what may refuse, and writes the refusal down. */
    async tryDoor<Result>(
      call: Call,
      action: string,
      run: () => Promise<Result>,
      findEmail: () => Promise<string | null> = async () => null,
    ): Promise<Result> {
      try {
        return await run()
      } catch (error) {
        if (error instanceof AppError && error.errorName !== 'UnavailableError') {
          await keepOut(call, action, error.errorName, await findEmail())
        }
        throw error
      }
    },
  }
}

export const visitorOf = ({ callerAddress, header }: Call): Visitor => ({
  userAgent: header('user-agent') ?? null,
  address: knownAddress(callerAddress),
})
