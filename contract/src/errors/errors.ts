/** The closed list of refusals. The name is ours; `type` and `status` are what a caller sees. */
import { z } from 'zod'
import { amount, capName, otpStatus, timestamp } from '../vocabulary.ts'

export const errorCatalogue = {
  Unauthorized: { status: 401, type: 'HTTPException' },
  TokenNotFound: { status: 404, type: 'HTTPException' },
  PathNotFound: { status: 404, type: 'HTTPException' },
  MethodNotAllowed: { status: 405, type: 'HTTPException' },
  BodyTooLarge: { status: 413, type: 'HTTPException' },
  WrongContentType: { status: 415, type: 'HTTPException' },
  ValidationError: { status: 422, type: 'ValidationError' },
  InvalidRecipientError: { status: 422, type: 'InvalidRecipientError' },
  InvalidIdempotencyKeyError: { status: 422, type: 'InvalidIdempotencyKeyError' },
  InsufficientFundsError: { status: 402, type: 'InsufficientFundsError' },
  GeoBlockedError: { status: 403, type: 'GeoBlockedError' },
  IpReputationBlockedError: { status: 403, type: 'IpReputationBlockedError' },
  AppPausedError: { status: 403, type: 'AppPausedError' },
  RuleBlockedError: { status: 403, type: 'RuleBlockedError' },
  RecipientBlockedError: { status: 403, type: 'RecipientBlockedError' },
  NoEnabledChannelError: { status: 409, type: 'NoEnabledChannelError' },
  RateLimitExceededError: { status: 429, type: 'RateLimitExceededError' },
  ResendNotAllowedError: { status: 409, type: 'ResendNotAllowedError' },
  ResendCooldownError: { status: 429, type: 'ResendCooldownError' },
  OtpNotFoundError: { status: 404, type: 'OtpNotFoundError' },
  OtpNotPendingError: { status: 409, type: 'OtpNotPendingError' },
  CodeNotExpectedError: { status: 409, type: 'CodeNotExpectedError' },
  ForbiddenError: { status: 403, type: 'ForbiddenError' },
  FreshSignInNeededError: { status: 403, type: 'FreshSignInNeededError' },
  PasskeyNeededError: { status: 403, type: 'PasskeyNeededError' },
  NotFoundError: { status: 404, type: 'NotFoundError' },
  ConflictError: { status: 409, type: 'ConflictError' },
  LimitReachedError: { status: 409, type: 'LimitReachedError' },
  UnavailableError: { status: 503, type: 'UnavailableError' },
  InternalError: { status: 500, type: 'InternalError' },
} as const satisfies Record<string, { status: number; type: string }>

export type ErrorName = keyof typeof errorCatalogue
export type ErrorDetails = Readonly<Record<string, unknown>>

/** A refusal: thrown where it is decided, turned into an answer at the edge. */
export class AppError extends Error {
  readonly errorName: ErrorName
  readonly details: ErrorDetails

  constructor(errorName: ErrorName, message: string, details: ErrorDetails = {}) {
    super(message)
    this.errorName = errorName
    this.details = details
  }
}

/** The fields that `details` may have. Which of them are present depends on `type`. */
const errorDetails = z
  .looseObject({
    scope: z
      .string()
      .optional()
      .meta({ description: 'What a 429 counts by, such as `recipient` or `cooldown`.' }),
    retry_after: z.int().min(1).optional().meta({ description: 'Seconds, as in `Retry-After`.' }),
    otp_status: otpStatus.optional().meta({ description: 'Of `OtpNotPendingError`.' }),
    fields: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'Of `ValidationError` and `LimitReachedError`: what is wrong with which field.' }),
    price: amount.optional().meta({ description: 'Of `InsufficientFundsError`.' }),
    country: z.string().optional().meta({ description: 'Of `GeoBlockedError`.' }),
    rule: z.string().optional().meta({ description: 'The name of the app’s own rule that refused.' }),
    cap: capName.optional().meta({ description: 'Of the scope `spend`.' }),
    limit: z.int().optional().meta({ description: 'Of `LimitReachedError`.' }),
    allow: z.string().optional().meta({ description: 'The methods that the path takes.' }),
    revision: z
      .int()
      .optional()
      .meta({ description: 'Of rules that were changed meanwhile: the one in force.' }),
    since: timestamp.optional().meta({
      description: 'Of a replay of events that is not complete: the `since` of the next call.',
    }),
  })
  .meta({ description: 'For programs. Always an object; what is in it depends on `type`.' })

export const errorBody = z.object({
  error: z.object({
    type: z.string().meta({ description: 'What to decide by, together with the status.' }),
    message: z.string().meta({ description: 'For people. Its wording may change.' }),
    details: errorDetails,
  }),
  request_id: z.string().meta({ description: 'The same as `X-Request-Id`.' }),
})
