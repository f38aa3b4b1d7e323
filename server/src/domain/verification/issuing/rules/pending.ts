/** A verification that is over is not sent again. Of one that is pending nothing is said. */
import { endOf } from '../../verification.ts'
import { type Rule, refuse } from '../rule.ts'

export const judgePending: Rule = ({ resend }, { batch }) => {
  const otp_status = resend && endOf(resend.current, batch.nowMs)
  if (!otp_status) return null
  const facts = { otp_status }
  return refuse({ rule: 'pending', outcome: 'refuse', facts }, 'OtpNotPendingError', facts)
}
