/** Records refused sign-in attempts in the audit trail. */
import { AppError } from '@countersign/contract'
import { type RefusalDependencies, recordRefusal, type Visitor } from '../../domain/members/index.ts'
import type { PersonId } from '../../platform/ids.ts'
import { callerKey, knownAddress } from '../caller-address.ts'
import type { Incoming } from '../route.ts'

export type Call = Pick<Incoming<unknown, unknown, null>, 'callerAddress' | 'header' | 'requestId'> & {
  /** Set if somebody is signed in already and proves again who they are. */
  readonly personId?: PersonId
}

/** Successful attempts are recorded together with their session. */
export function createSignInRecords(dependencies: RefusalDependencies) {
  /** `email` is already masked, as on every page; the code is never recorded. */
  async function recordRefused(
    call: Call,
    action: string,
    why: Parameters<typeof recordRefusal>[3],
    email: string | null = null,
  ): Promise<void> {
    const note = {
      companyId: null,
      actor: call.personId ? ('person' as const) : ('stranger' as const),
      personId: call.personId ?? null,
      action,
      appId: null,
      subject: null,
      changes: email === null ? {} : { email },
      address: knownAddress(call.callerAddress),
      requestId: call.requestId,
    }
    await recordRefusal(dependencies, callerKey(call.callerAddress), note, why)
  }
  return {
    recordRefused,
    /** Runs a sign-in, and records it if it is refused. */
    async runRecorded<Result>(
      call: Call,
      action: string,
      run: () => Promise<Result>,
      findEmail: () => Promise<string | null> = async () => null,
    ): Promise<Result> {
      try {
        return await run()
      } catch (error) {
        if (error instanceof AppError && error.errorName !== 'UnavailableError') {
          await recordRefused(call, action, error.errorName, await findEmail())
        }
        throw error
      }
    },
  }
}

export const visitorOf = ({ callerAddress, header, requestId }: Call): Visitor => ({
  userAgent: header('user-agent') ?? null,
  address: knownAddress(callerAddress),
  requestId,
})
