/** What a person must have proven in this session: who they are, recently, and by a passkey if the company asks. */
import { AppError, type Operation } from '@countersign/contract'
import { assertPasskey, type Membership } from '../domain/members/index.ts'
import type { Actor, PersonActor } from './principal.ts'

/** The operator's token needs no further proof, and demands of a company on its members do not apply to operators. */
export function assertProven(
  { isFresh: isFreshNeeded }: Operation,
  actor: Actor,
  membership: Membership | null,
): void {
  if (actor.kind === 'token') return
  if (membership?.isPasskeyRequired) assertPasskey(actor.proofs)
  if (isFreshNeeded && !actor.isFresh) {
    throw new AppError('FreshSignInNeededError', 'Prove once more who you are: by a code, or by a passkey.')
  }
}

/** Whether a company of theirs is hidden from them until they have used a passkey. */
export const isHidden = (actor: PersonActor, membership: { readonly isPasskeyRequired: boolean }): boolean =>
  membership.isPasskeyRequired && !actor.person.isOperator && !actor.proofs.includes('passkey')
