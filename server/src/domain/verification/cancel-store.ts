/** The statement that cancels a verification. */
import type { Tenant } from '../../platform/database.ts'
import type { OtpId } from '../../platform/ids.ts'
import { sourceOf } from '../../platform/source.ts'
import type { AppRef } from '../tenancy/index.ts'
import { insertEvents, type NewEvent } from '../webhooks/index.ts'

const cancelled = sourceOf('cancelled', ['company_id', 'app_id', 'otp_id'])

/** Makes the event too. It is one statement, so that no guess, inbound message, resend or expiry comes in between. */
export async function endPending(
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
