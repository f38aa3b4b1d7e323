/** Ends a pending verification because somebody asked: its code and its link are no longer accepted. */
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tenant } from '../../platform/database.ts'
import type { OtpId } from '../../platform/ids.ts'
import { sourceOf } from '../../platform/source.ts'
import { noSuch } from '../answers/index.ts'
import type { AppRef } from '../tenancy/index.ts'
import { insertEvents, type NewEvent, otpEvent } from '../webhooks/index.ts'
import { findVerification } from './store.ts'
import { otpNotPending } from './verification.ts'

/** Messages that still wait are given up by the worker that takes them, and their price is returned then. */
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
  // Nothing becomes pending again, so one that still says so has expired.
  throw otpNotPending(status === 'pending' ? 'expired' : status)
}

const cancelled = sourceOf('cancelled', ['company_id', 'app_id', 'otp_id'])

/** One statement decides against verify, inbound messages, resends and the clock, and makes the event. */
async function endPending(
  tenant: Tenant,
  appId: AppRef['appId'],
  otpId: OtpId,
  event: NewEvent,
): Promise<boolean> {
  const decided = await tenant.query({
    name: 'cancel-verification',
    text: `
      with cancelled as (
        update verifications set status = 'failed', cancelled_at = clock_timestamp(), event_id = $4
         where company_id = $1 and app_id = $2 and otp_id = $3 and status = 'pending' and expires_at > clock_timestamp()
        returning company_id, app_id, otp_id
      ), event as (${insertEvents(cancelled, { type: 'otp.failed', eventId: '$4', body: '$5' })}
      )
      select 1 from cancelled`,
    values: [appId, otpId, event.eventId, event.body],
  })
  return decided.rowCount === 1
}
