/** A verification that has ended is not sent again. A pending one gets no decision. */
import { endOf } from '../../verification.ts'
import { type Rule, refuse } from '../rule.ts'

export const judgePending: Rule = ({ resend }, { batch }) => {
  const otp_status = resend && endOf(resend.current, batch.nowMs)
  if (!otp_status) return null
  const facts = { otp_status }
  return refuse({ rule: 'pending', outcome: 'refuse', facts }, 'OtpNotPendingError', facts)
}
