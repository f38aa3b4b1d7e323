/** Approves a verification because the backend has found by other means that the person controls the recipient. */
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { OtpId } from '../../platform/ids.ts'
import type { AppRef, Principal } from '../tenancy/index.ts'
import { otpEvent } from '../webhooks/index.ts'
import { approveByBackend, findVerification } from './store.ts'
import { type ApprovedOn, otpNotFound, otpNotPending } from './verification.ts'

export interface ApproveDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly onApproved: (app: AppRef, otpId: OtpId, approved: ApprovedOn) => void
}

export async function approve(
  { database, clock, onApproved }: ApproveDependencies,
  { app, keyId }: Pick<Principal, 'app' | 'keyId'>,
  otpId: OtpId,
): Promise<void> {
  const tenant = database.of(app.companyId)
  const event = otpEvent('approved', otpId, clock.nowMs())
  const approved = await approveByBackend(tenant, { appId: app.appId, otpId, keyId, event })
  if (approved) return onApproved(app, otpId, approved)
  const found = await findVerification(tenant, app.appId, otpId)
  if (!found) throw otpNotFound()
  const { status } = found.verification
  throw otpNotPending(status === 'pending' ? 'expired' : status)
}
