/** What support does for one recipient: ending, sending again, forgetting, blocking, letting pass. */
import * as insight from '../insight/insight.ts'
import type { Operation } from '../operation.ts'
import { pageQuery } from '../page.ts'
import * as erase from './erase.ts'
import * as support from './support.ts'

/** The errors of a resend with a key, and NotFoundError for a verification that the caller may not see. */
const resendErrors = [
  'NotFoundError',
  'OtpNotPendingError',
  'ResendCooldownError',
  'ResendNotAllowedError',
  'GeoBlockedError',
  'IpReputationBlockedError',
  'RuleBlockedError',
  'RecipientBlockedError',
  'RateLimitExceededError',
  'InsufficientFundsError',
] as const

export const supportOperations = {
  cancelVerification: {
    method: 'POST',
    path: '/manage/v1/verifications/{otp_id}/cancel',
    access: 'developer',
    summary: 'End a pending verification: its code no longer verifies, and `otp.failed` is sent',
    answer: insight.verificationAnswer,
    errors: ['NotFoundError', 'OtpNotPendingError'],
  },
  resendVerification: {
    method: 'POST',
    path: '/manage/v1/verifications/{otp_id}/resend',
    access: 'developer',
    summary: 'Resend a verification as its caller would: the same rules, limits and price',
    body: support.resendVerificationBody,
    answer: insight.verificationAnswer,
    recorded: ['channel'],
    errors: [...resendErrors],
  },
  eraseVerification: {
    method: 'POST',
    path: '/manage/v1/verifications/{otp_id}/erase',
    access: 'owner',
    summary: 'Forget the recipient of a verification everywhere in the company, at once',
    answer: erase.eraseAnswer,
    errors: ['NotFoundError'],
  },
  exceptVerification: {
    method: 'PUT',
    path: '/manage/v1/verifications/{otp_id}/exception',
    access: 'developer',
    summary: 'Block the recipient of a verification in the company, or let it past the guard for a day',
    body: support.exceptVerificationBody,
    answer: insight.shownException,
    recorded: ['kind'],
    errors: ['NotFoundError', 'LimitReachedError'],
  },
  listExceptions: {
    method: 'GET',
    path: '/manage/v1/companies/{company_id}/exceptions',
    access: 'viewer',
    summary: 'Recipients that are blocked, or allowed past the guard, newest first',
    query: pageQuery,
    answer: support.exceptionsAnswer,
    errors: ['NotFoundError'],
  },
  exceptRecipient: {
    method: 'POST',
    path: '/manage/v1/companies/{company_id}/exceptions',
    access: 'developer',
    summary: 'Block a recipient in the company, or let it past the guard for a day',
    body: support.exceptRecipientBody,
    answer: insight.shownException,
    status: 201,
    recorded: ['kind'],
    errors: ['NotFoundError', 'InvalidRecipientError', 'LimitReachedError'],
  },
  liftException: {
    method: 'DELETE',
    path: '/manage/v1/companies/{company_id}/exceptions/{exception_id}',
    access: 'developer',
    summary: 'Lift an exception: the recipient is treated like any other again',
    answer: support.liftExceptionAnswer,
    errors: ['NotFoundError'],
  },
} as const satisfies Record<string, Operation>
