/** Turns answers of the service into what the screen shows. */
import type { SentAnswer, StatusAnswer, VerifyAnswer } from './api.ts'
import type { CountersignError } from './errors.ts'
import type { Phase, VerificationState } from './state.ts'

export type Change = Partial<VerificationState>

const phases: Readonly<Record<SentAnswer['status'], Phase>> = {
  pending: 'waiting',
  approved: 'verified',
  failed: 'failed',
  expired: 'expired',
}

/** The answer to a send does not say when a resend is possible; asking for the status does. */
export const afterSend = (answer: SentAnswer): Change => ({
  ...described(answer),
  resendIn: null,
  expiresAt: null,
  code: null,
})

export const afterLook = (answer: StatusAnswer): Change => ({
  ...described(answer),
  expiresAt: answer.expires_at,
})

const described = (answer: SentAnswer): Change => ({
  phase: phases[answer.status],
  otpId: answer.otp_id,
  channel: answer.channel,
  maskedRecipient: answer.masked_recipient,
  actionUrl: answer.action_url,
  completion: answer.completion,
})

export const afterVerify = (answer: VerifyAnswer): Change => ({
  phase: phases[answer.status],
  attemptsRemaining: answer.attempts_remaining,
  isCodeWrong: !answer.matched,
  verificationToken: answer.verification_token,
  proof: answer.proof ?? null,
})

/** Ends the verification, or goes back to where the person can act. */
export function afterError(error: CountersignError, { otpId }: VerificationState): Change {
  const { type, details } = error
  if (type === 'OtpNotPendingError' && details.otp_status === 'expired') return { phase: 'expired', error }
  if (type === 'OtpNotPendingError' || type === 'OtpNotFoundError') return { phase: 'failed', error }
  return { phase: otpId === null ? 'idle' : 'waiting', error }
}
