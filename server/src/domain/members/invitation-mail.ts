/**
 * Tells invited people by mail. An invitation is a message of one of the installation's own apps: it has the same
 * engine, retries and limits as every message, and contains no words of a customer, so that nobody can send texts
 * through the service.
 */
import { type AccountChoice, AppError } from '@countersign/contract'
import { type AppId, type CompanyId, newId } from '../../platform/ids.ts'
import type { ClientIp } from '../guard/index.ts'
import type { AppTemplates } from '../messages/index.ts'
import { getApp, inForce, ownCompanyId } from '../tenancy/index.ts'
import { type SendDependencies, send } from '../verification/index.ts'
import { hasInvitation } from './invitation-store.ts'
import type { MemberDependencies } from './person.ts'
import type { Invitation } from './team.ts'

export interface InviteDependencies extends MemberDependencies, SendDependencies {
  readonly routingAccounts: AccountChoice
}

/** The app for invitations, made by the migrations. */
const invitationAppId = 'app_0000000000dashb0ard1nv1te0' as AppId

/** Texts of the installation's own apps: they contain its address, which the database does not know. */
export function ownTexts(signInUrl: string): ReadonlyMap<AppId, AppTemplates> {
  const text = [
    'You are invited to a team on {app}.',
    `Sign in with this email address to join: ${signInUrl}`,
    'There is no password: a code comes to this address. The invitation is valid for seven days.',
    'If you do not know what this is about, you can ignore this email.',
  ].join('\n\n')
  return new Map([[invitationAppId, { email: { en: { subject: 'Your invitation to {app}', text } } }]])
}

/**
 * False if no mail goes out: the invitation is gone, there is no provider for mail, or a limit is reached. Each
 * invitation is mailed once, however often that is asked for.
 */
export async function mailInvitation(
  dependencies: InviteDependencies,
  companyId: CompanyId,
  { invitationId, email }: Pick<Invitation, 'invitationId' | 'email'>,
  clientIp: ClientIp | null,
): Promise<boolean> {
  // Whoever repeats a call may do so after the invitation was withdrawn, or taken up.
  if (!(await hasInvitation(dependencies.database.of(companyId), invitationId))) return false
  const own = await getApp(dependencies, { companyId: ownCompanyId, appId: invitationAppId })
  const app = inForce(own, dependencies.routingAccounts)
  const principal = { kind: 'server', keyId: newId('key', dependencies.clock.nowMs()), app } as const
  try {
    const idempotencyKey = `invitation ${invitationId}`
    await send(dependencies, principal, { recipient: email, locale: null, clientIp, idempotencyKey })
    return true
  } catch (error) {
    if (error instanceof AppError && error.errorName !== 'UnavailableError') return false
    throw error
  }
}
