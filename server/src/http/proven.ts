/** What a person must have proven in this session: recently who they are, and by a passkey where the company asks. */
import { AppError, type Operation } from '@countersign/contract'
import { assertPasskey, getSignInRules } from '../domain/members/index.ts'
import type { Database } from '../platform/database.ts'
import type { CompanyId } from '../platform/ids.ts'
import type { Actor, PersonActor } from './principal.ts'

export type AssertProven = (operation: Operation, actor: Actor, companyId: CompanyId | null) => Promise<void>

/** The operator's token proves itself; what a company asks of its members it does not ask of operators. */
export function createProofCheck(database: Database): AssertProven {
  return async ({ isFresh = false }, actor, companyId) => {
    if (actor.kind === 'token') return
    if (companyId !== null && !actor.person.isOperator) {
      const { isPasskeyRequired } = await getSignInRules(database, companyId)
      if (isPasskeyRequired) assertPasskey(actor.proofs)
    }
    if (isFresh && !actor.isFresh) {
      throw new AppError('FreshSignInNeededError', 'Prove once more who you are: by a code, or by a passkey.')
    }
  }
}

/** A company of theirs that they may not see before they have used a passkey. */
export const isHidden = (actor: PersonActor, membership: { readonly isPasskeyRequired: boolean }): boolean =>
  membership.isPasskeyRequired && !actor.person.isOperator && !actor.proofs.includes('passkey')
