/** What a company asks of people who sign in. */
import { AppError } from '@countersign/contract'
import type { Queryable } from '../../platform/database.ts'
import type { CompanyId } from '../../platform/ids.ts'
import { noSuch } from '../answers/index.ts'
import { findPasskeyRule, setPasskeyRule } from './member-store.ts'
import type { MemberDependencies } from './person.ts'
import type { Proof } from './session-store.ts'

export interface SignInRules {
  readonly isPasskeyRequired: boolean
}

export async function getSignInRules(queryable: Queryable, companyId: CompanyId): Promise<SignInRules> {
  const isPasskeyRequired = await findPasskeyRule(queryable.of(companyId))
  if (isPasskeyRequired === null) throw noSuch('company')
  return { isPasskeyRequired }
}

/** `proofs` is null for the operator's token and for operators; others must have used a passkey to demand one. */
export async function setSignInRules(
  { database }: Pick<MemberDependencies, 'database'>,
  companyId: CompanyId,
  rules: SignInRules,
  proofs: readonly Proof[] | null,
): Promise<SignInRules> {
  if (rules.isPasskeyRequired && proofs !== null) assertPasskey(proofs)
  if (!(await setPasskeyRule(database.of(companyId), rules.isPasskeyRequired))) {
    throw noSuch('company')
  }
  return rules
}

/** Only people who have used a passkey in this session may see the company. */
export function assertPasskey(proofs: readonly Proof[]): void {
  if (proofs.includes('passkey')) return
  throw new AppError(
    'PasskeyNeededError',
    'This company requires a passkey. Use yours, or create one on your account page.',
  )
}
