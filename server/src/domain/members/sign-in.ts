/**
 * Signing in: by a code to an email address, through the same engine and limits as every verification, or
 * by a one-time link from the command line.
 */
import { AppError, type DeviceStatusAnswer, type Role } from '@countersign/contract'
import type { Queryable, Transaction } from '../../platform/database.ts'
import { type AppId, type CompanyId, newId, type PersonId } from '../../platform/ids.ts'
import { sha256 } from '../../platform/keyring.ts'
import type { ClientIp } from '../guard/index.ts'
import { type AppRef, getApp, type Principal } from '../tenancy/index.ts'
import {
  exchange,
  lookUp,
  type SendDependencies,
  send,
  type VerifyDependencies,
  verify,
} from '../verification/index.ts'
import { emailForms, type MemberDependencies } from './person.ts'
import { insertSignInLink, takeSignInLink } from './session-store.ts'
import { newToken, openSession, type Visitor } from './sessions.ts'
import * as store from './store.ts'

export interface SignInDependencies extends MemberDependencies, SendDependencies, VerifyDependencies {}

/** The installation's own, made by the migrations. */
export const ownCompanyId = 'cmp_0000000000dashb0ardsgn1n00' as CompanyId
const ownApp: AppRef = {
  companyId: ownCompanyId,
  appId: 'app_0000000000dashb0ardsgn1n00' as AppId,
}
const linkPrefix = 'cs_link_'
const linkMinutes = 60

async function ownPrincipal({ database, clock }: SignInDependencies): Promise<Principal> {
  // A key of its own for each call: the right code signs in once, and is not answered again.
  return { kind: 'server', keyId: newId('key', clock.nowMs()), app: await getApp({ database }, ownApp) }
}

/** Answers the same to members and strangers: who has an account is nobody's business. */
export async function startSignIn(
  dependencies: SignInDependencies,
  email: string,
  { clientIp, locale }: { readonly clientIp: ClientIp | null; readonly locale: string | null },
): Promise<DeviceStatusAnswer> {
  const { address } = emailForms(dependencies, email)
  const principal = await ownPrincipal(dependencies)
  const { otp_id } = await send(dependencies, principal, {
    recipient: address,
    locale,
    clientIp,
    idempotencyKey: null,
  })
  return lookUp(dependencies, principal, otp_id)
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
  const principal = await ownPrincipal(dependencies)
  const judged = await verify(dependencies, { ...principal, kind: 'publishable' }, guess)
  const attemptsRemaining = judged.attempts_remaining
  if (judged.verification_token === null) return { isMatch: false, attemptsRemaining }
  // As any backend does: the token's exchange is the proof of the address.
  const { recipient } = await exchange(dependencies, principal, judged.verification_token)
  const personId = await admit(dependencies, recipient)
  return {
    isMatch: true,
    attemptsRemaining,
    personId,
    token: await openSession(dependencies, personId, visitor),
  }
}

/** Invitations that wait for the address are taken up; whoever belongs nowhere is told so, having proven it theirs. */
async function admit(dependencies: SignInDependencies, email: string): Promise<PersonId> {
  const forms = emailForms(dependencies, email)
  return dependencies.database.transaction(async (transaction) => {
    const known = await store.findPersonByEmail(transaction, forms.hash)
    const invitations = await store.takeInvitations(transaction, forms.hash)
    const isMember =
      known &&
      (known.is_operator || (await store.listMemberships(transaction, known.person_id, 1)).length > 0)
    if (!isMember && invitations.length === 0) {
      throw new AppError(
        'ForbiddenError',
        'This address is not a member of a company here. Ask for an invitation.',
      )
    }
    const personId = known?.person_id ?? (await addPerson(dependencies, transaction, email, false))
    await join(transaction, personId, invitations)
    return personId
  })
}

async function join(
  transaction: Transaction,
  personId: PersonId,
  invitations: readonly { readonly company_id: CompanyId; readonly role: Role }[],
): Promise<void> {
  for (const { company_id, role } of invitations) {
    await store.insertMember(transaction, company_id, personId, role)
  }
}

async function addPerson(
  dependencies: MemberDependencies,
  queryable: Queryable,
  email: string,
  isOperator: boolean,
): Promise<PersonId> {
  const { hash, sealed } = emailForms(dependencies, email)
  const personId = newId('person', dependencies.clock.nowMs())
  return (await store.upsertPerson(queryable, { personId, hash, sealed, isOperator })).person_id
}

/**
 * Whoever has the command line has the database: an address that nobody has yet and nobody invited becomes
 * an operator's. Returns the token; only its hash is kept.
 */
export async function makeSignInLink(
  dependencies: MemberDependencies,
  email: string,
  ownerOf: CompanyId | null = null,
): Promise<string> {
  const token = newToken(linkPrefix)
  await dependencies.database.transaction(async (transaction) => {
    const { hash } = emailForms(dependencies, email)
    const known = await store.findPersonByEmail(transaction, hash)
    const invitations = await store.takeInvitations(transaction, hash)
    const isOperator = invitations.length === 0
    const personId = known?.person_id ?? (await addPerson(dependencies, transaction, email, isOperator))
    await join(transaction, personId, invitations)
    if (ownerOf) await store.insertMember(transaction, ownerOf, personId, 'owner')
    await insertSignInLink(transaction, { tokenHash: sha256(token), personId, minutes: linkMinutes })
  })
  return token
}

/** The token is behind a `#`, so that it reaches no server's log and no preview of the link spends it. */
export const signInLinkUrl = (publicUrl: string, token: string) =>
  `${publicUrl}/dashboard/sign-in#token=${token}`

export async function signInWithLink(
  dependencies: MemberDependencies,
  token: string,
  visitor: Visitor,
): Promise<{ personId: PersonId; token: string }> {
  const person = token.startsWith(linkPrefix)
    ? await takeSignInLink(dependencies.database, sha256(token))
    : undefined
  if (!person) {
    throw new AppError('TokenNotFound', 'This link has been used or is over. Make a new one.')
  }
  return {
    personId: person.person_id,
    token: await openSession(dependencies, person.person_id, visitor),
  }
}
