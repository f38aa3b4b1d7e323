/** Signing in by a code to an email address, through the same engine as every verification. */
import { AppError, type DeviceStatusAnswer, type LimitWindow } from '@countersign/contract'
import { type AppId, type CompanyId, newId, type PersonId } from '../../platform/ids.ts'
import type { ClientIp } from '../guard/index.ts'
import { type AppRef, getApp, type Principal } from '../tenancy/index.ts'
import {
  exchange,
  type LookUpDependencies,
  lookUp,
  type SendDependencies,
  send,
  type VerifyDependencies,
  verify,
} from '../verification/index.ts'
import { enter } from './admit.ts'
import { emailForms, type MemberDependencies } from './person.ts'
import type { Visitor } from './sessions.ts'

export interface SignInDependencies
  extends MemberDependencies,
    SendDependencies,
    VerifyDependencies,
    LookUpDependencies {}

/** The installation's own, made by the migrations. */
export const ownCompanyId = 'cmp_0000000000dashb0ardsgn1n00' as CompanyId
const ownApp: AppRef = {
  companyId: ownCompanyId,
  appId: 'app_0000000000dashb0ardsgn1n00' as AppId,
}

async function ownPrincipal({ database, clock }: SignInDependencies): Promise<Principal> {
  // A key of its own for each call: the right code signs in once, and is not answered again.
  return { kind: 'server', keyId: newId('key', clock.nowMs()), app: await getApp({ database }, ownApp) }
}

interface Requester {
  readonly clientIp: ClientIp | null
  readonly locale: string | null
}

/** Answers the same to members and strangers: who has an account is nobody's business. */
export const startSignIn = (
  dependencies: SignInDependencies,
  email: string,
  requester: Requester,
): Promise<DeviceStatusAnswer> => sendCode(dependencies, email, requester, null)

/** `perAddress` null: as the app is set. */
export async function sendCode(
  dependencies: SignInDependencies,
  email: string,
  { clientIp, locale }: Requester,
  perAddress: readonly LimitWindow[] | null,
): Promise<DeviceStatusAnswer> {
  const { address } = emailForms(dependencies, email)
  const principal = await ownPrincipal(dependencies)
  const { settings } = principal.app
  const limits = perAddress ? { ...settings.limits, recipient: [...perAddress] } : settings.limits
  const app = { ...principal.app, settings: { ...settings, limits } }
  const { otp_id } = await send(
    dependencies,
    { ...principal, app },
    { recipient: address, locale, clientIp, idempotencyKey: null },
  )
  return lookUp(dependencies, principal, otp_id)
}

/** As much of the address that a code went to as every page shows; null where there was no such code. */
export async function findMasked(dependencies: SignInDependencies, otpId: string): Promise<string | null> {
  const found = await lookUp(dependencies, await ownPrincipal(dependencies), otpId).catch(
    (error: unknown) => {
      if (error instanceof AppError) return null
      throw error
    },
  )
  return found?.masked_recipient ?? null
}

export type CodeOutcome =
  | { readonly isMatch: false; readonly attemptsRemaining: number }
  | {
      readonly isMatch: true
      readonly attemptsRemaining: number
      readonly personId: PersonId
      readonly token: string
    }

export async function signInWithCode(
  dependencies: SignInDependencies,
  guess: { readonly otpId: string; readonly code: string },
  visitor: Visitor,
): Promise<CodeOutcome> {
  const { email, attemptsRemaining } = await checkCode(dependencies, guess)
  if (email === null) return { isMatch: false, attemptsRemaining }
  const entered = await dependencies.database.transaction((transaction) =>
    enter(dependencies, transaction, email, visitor, 'code'),
  )
  return { isMatch: true, attemptsRemaining, ...entered }
}

/** The address that the code proves, or null for a wrong one. */
export async function checkCode(
  dependencies: SignInDependencies,
  guess: { readonly otpId: string; readonly code: string },
): Promise<{ readonly email: string | null; readonly attemptsRemaining: number }> {
  const principal = await ownPrincipal(dependencies)
  const judged = await verify(dependencies, { ...principal, kind: 'publishable' }, guess)
  const attemptsRemaining = judged.attempts_remaining
  if (judged.verification_token === null) return { email: null, attemptsRemaining }
  // As any backend does: the token's exchange is the proof of the address.
  const { recipient } = await exchange(dependencies, principal, judged.verification_token)
  return { email: recipient, attemptsRemaining }
}
