import type { Role, ShownException, VerificationDetail } from '@countersign/contract'
import { noSuch } from '../../domain/answers/index.ts'
import { showVerification } from '../../domain/insight/index.ts'
import { namePeople } from '../../domain/members/index.ts'
import type { Providers } from '../../domain/routing/index.ts'
import type { AppRef } from '../../domain/tenancy/index.ts'
import type { Exception } from '../../domain/verification/index.ts'
import type { Database } from '../../platform/database.ts'
import { type OtpId, parseId } from '../../platform/ids.ts'
import type { Keyring } from '../../platform/keyring.ts'

export interface ShowDependencies {
  readonly database: Database
  readonly keyring: () => Keyring
  readonly providers: Providers
}

export function otpIdOf(params: Readonly<Record<string, string>>): OtpId {
  const otpId = parseId('verification', params.otp_id ?? '')
  if (!otpId) throw noSuch('verification')
  return otpId
}

export async function verificationAnswer(
  dependencies: ShowDependencies,
  { app, role }: { readonly app: AppRef; readonly role: Role | null },
  otpId: OtpId,
): Promise<VerificationDetail> {
  const { exception, ...shown } = await showVerification(dependencies, app, otpId, {
    seesText: role !== 'viewer',
  })
  return { ...shown, exception: exception && (await exceptionAnswer(dependencies, exception)) }
}

export async function exceptionAnswer(
  dependencies: Pick<ShowDependencies, 'database' | 'keyring'>,
  exception: Exception,
): Promise<ShownException> {
  const emails = await namePeople(dependencies, [exception])
  return presentException(exception, emails)
}

export const presentException = (
  exception: Exception,
  emails: Awaited<ReturnType<typeof namePeople>>,
): ShownException => ({
  exception_id: exception.exceptionId,
  kind: exception.kind,
  masked_recipient: exception.maskedRecipient,
  created_at: exception.createdAt.toISOString(),
  created_by: (exception.personId && emails.get(exception.personId)) ?? null,
  expires_at: exception.expiresAt?.toISOString() ?? null,
})
