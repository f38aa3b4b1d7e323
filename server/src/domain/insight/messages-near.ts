/** Verifications whose messages are looked for, each in the few days in which they can be: `row.otp_id`, `low`, `high`. */
import { bulkOf } from '../../platform/bulk.ts'
import { boundsNear, type OtpId } from '../../platform/ids.ts'

export const messagesNear = bulkOf<OtpId>(
  {
    otp_id: ['text', (otpId) => otpId],
    low: ['text', (otpId) => boundsNear('delivery', otpId)[0]],
    high: ['text', (otpId) => boundsNear('delivery', otpId)[1]],
  },
  3,
)
