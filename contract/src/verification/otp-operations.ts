/** Endpoints of the public API: what an app calls to verify somebody. */
import type { Operation } from '../operation.ts'
import * as otp from './otp.ts'

const guardErrors = [
  'GeoBlockedError',
  'IpReputationBlockedError',
  'RuleBlockedError',
  'RecipientBlockedError',
  'RateLimitExceededError',
  'InsufficientFundsError',
] as const

export const otpOperations = {
  send: {
    method: 'POST',
    path: '/api/v1/otp/send',
    access: 'key',
    summary: 'Start a verification',
    body: otp.sendBody,
    answer: otp.verification,
    headers: {
      'idempotency-key':
        'At most 128 characters. A repeat within 24 hours answers the first response again and sends nothing. It is scoped to the company and to the kind of key, and matched on this text alone: never reuse one for another recipient. An empty one is none, and two of them are refused.',
    },
    errors: [
      'AppPausedError',
      'InvalidRecipientError',
      'InvalidIdempotencyKeyError',
      'NoEnabledChannelError',
      ...guardErrors,
    ],
  },
  resend: {
    method: 'POST',
    path: '/api/v1/otp/resend',
    access: 'key',
    summary: 'Move a verification to the next channel, or to a named one',
    body: otp.resendBody,
    answer: otp.verification,
    errors: [
      'OtpNotFoundError',
      'OtpNotPendingError',
      'ResendCooldownError',
      'ResendNotAllowedError',
      ...guardErrors,
    ],
  },
  verify: {
    method: 'POST',
    path: '/api/v1/otp/verify',
    access: 'key',
    summary: 'Check a code',
    body: otp.verifyBody,
    answer: otp.verifyAnswer,
    errors: ['OtpNotFoundError', 'OtpNotPendingError', 'CodeNotExpectedError'],
  },
  status: {
    method: 'GET',
    path: '/api/v1/otp/{otp_id}',
    access: 'key',
    summary: 'Look a verification up; a publishable key sees less',
    answer: otp.anyStatusAnswer,
    errors: ['OtpNotFoundError'],
  },
  decision: {
    method: 'GET',
    path: '/api/v1/otp/{otp_id}/decision',
    access: 'server_key',
    summary: 'Why each send of a verification went the way it did',
    answer: otp.decisionsAnswer,
    errors: ['OtpNotFoundError'],
  },
  preview: {
    method: 'POST',
    path: '/api/v1/routing/preview',
    access: 'server_key',
    summary: 'What a send would do now; nothing is sent, counted or charged',
    body: otp.previewBody,
    answer: otp.previewAnswer,
    errors: [],
  },
  exchange: {
    method: 'POST',
    path: '/api/v1/verifications/exchange',
    access: 'server_key',
    summary: 'Exchange a verification token for the recipient that it proves',
    body: otp.exchangeBody,
    answer: otp.exchangeAnswer,
    errors: ['TokenNotFound'],
  },
} as const satisfies Record<string, Operation>
