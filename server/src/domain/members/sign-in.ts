/** Signs people in by a code to an email address, through the same engine as every verification. */
import {
  type AccountChoice,
  AppError,
  type AppSettings,
  type DeviceStatusAnswer,
  type LimitWindow,
} from '@countersign/contract'
import { type AppId, newId } from '../../platform/ids.ts'
import type { ClientIp } from '../guard/index.ts'
import { type AppRef, getApp, inForce, ownCompanyId, type Principal } from '../tenancy/index.ts'
import {
  exchange,
  type LookUpDependencies,
  lookUp,
  type SendDependencies,
  send,
  type VerifyDependencies,
  verify,
} from '../verification/index.ts'
import { type Entered, enter } from './admit.ts'
import { isKnown } from './known-browser.ts'
import { emailForms, type MemberDependencies } from './person.ts'
import type { Visitor } from './sessions.ts'

export interface SignInDependencies
  extends MemberDependencies,
    SendDependencies,
    VerifyDependencies,
    LookUpDependencies {
  readonly routingAccounts: AccountChoice
}

const ownApp: AppRef = {
  companyId: ownCompanyId,
  appId: 'app_0000000000dashb0ardsgn1n00' as AppId,
}

async function ownPrincipal({ database, clock, routingAccounts }: SignInDependencies): Promise<Principal> {
  const app = inForce(await getApp({ database }, ownApp), routingAccounts)
  // Each call has a new key, so that the right code signs in once and is not replayed.
  return { kind: 'server', keyId: newId('key', clock.nowMs()), app }
}

interface Requester {
  readonly clientIp: ClientIp | null
  readonly locale: string | null
}

/** Members and strangers get the same answer, so that nobody can find out who is a member. */
export const startSignIn = (
  dependencies: SignInDependencies,
  email: string,
  requester: Requester & { readonly knownToken: string | null },
): Promise<DeviceStatusAnswer> =>
  sendCode(dependencies, email, requester, isKnown(dependencies, email, requester.knownToken))

/** Higher than what strangers may request for an email address, or from a client address. */
const knownBrowserWindows: LimitWindow[] = [
  { max: 80, window_s: 600 },
  { max: 250, window_s: 86_400 },
]
/** A known browser only causes mail to its own address, so limits of wrong codes and of the whole app do not apply. */
const knownBrowserLimits: AppSettings['limits'] = {
  recipient: knownBrowserWindows,
  recipient_failures: [],
  ip: knownBrowserWindows,
  flagged_ip: knownBrowserWindows,
  app: [],
  app_without_ip: [],
}

/** `isKnownBrowser`: the browser is known for the address, so what strangers do does not hold it up. */
export async function sendCode(
  dependencies: SignInDependencies,
  email: string,
  { clientIp, locale }: Requester,
  isKnownBrowser: boolean,
): Promise<DeviceStatusAnswer> {
  const { address } = emailForms(dependencies, email)
  const principal = await ownPrincipal(dependencies)
  const { settings } = principal.app
  const limits = isKnownBrowser ? knownBrowserLimits : settings.limits
  const app = { ...principal.app, settings: { ...settings, limits } }
  const { otp_id } = await send(
    dependencies,
    { ...principal, app },
    { recipient: address, locale, clientIp, idempotencyKey: null },
  )
  return lookUp(dependencies, principal, otp_id)
}

/** The masked address that a code went to; null if there was no such code. */
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
  | ({ readonly isMatch: true; readonly attemptsRemaining: number } & Entered)

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

/** The address that the code proves; null if the code is wrong. */
export async function checkCode(
  dependencies: SignInDependencies,
  guess: { readonly otpId: string; readonly code: string },
): Promise<{ readonly email: string | null; readonly attemptsRemaining: number }> {
  const principal = await ownPrincipal(dependencies)
  const judged = await verify(dependencies, { ...principal, kind: 'publishable' }, guess)
  const attemptsRemaining = judged.attempts_remaining
  if (judged.verification_token === null) return { email: null, attemptsRemaining }
  // As for any backend, exchanging the token proves the address.
  const { recipient } = await exchange(dependencies, principal, judged.verification_token)
  return { email: recipient, attemptsRemaining }
}
