/** Ends a pending verification because somebody asked: its code and its link are no longer accepted. */
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database.ts'
import type { OtpId } from '../../platform/ids.ts'
import { noSuch } from '../answers/index.ts'
import type { AppRef } from '../tenancy/index.ts'
import { otpEvent } from '../webhooks/index.ts'
import { endPending } from './cancel-store.ts'
import { findVerification } from './store.ts'
import { otpNotPending } from './verification.ts'

/** Messages that still wait are given up by the worker that takes them, which then returns their price. */
export async function cancelVerification(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  { companyId, appId }: AppRef,
  otpId: OtpId,
): Promise<void> {
  const tenant = database.of(companyId)
  if (await endPending(tenant, appId, otpId, otpEvent('failed', otpId, clock.nowMs()))) return
  const found = await findVerification(tenant, appId, otpId)
  if (!found) throw noSuch('verification')
  const { status } = found.verification
  // Nothing becomes pending again, so a verification that is still stored as pending has expired.
  throw otpNotPending(status === 'pending' ? 'expired' : status)
}
