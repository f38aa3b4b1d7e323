/** What somebody does about one person: ending, sending again. */
import * as insight from './insight.ts'
import type { Operation } from './operation.ts'

export const supportOperations = {
  cancelVerification: {
    method: 'POST',
    path: '/manage/v1/verifications/{otp_id}/cancel',
    access: 'developer',
    summary: 'End a pending verification: its code no longer verifies, and `otp.failed` is sent',
    answer: insight.verificationAnswer,
    errors: ['NotFoundError', 'OtpNotPendingError'],
  },
} as const satisfies Record<string, Operation>
