/** One class for each case that a caller may handle differently. All of them are a `CountersignError`. */
import type { LimitScope, OtpStatus } from './types.ts'

export interface ErrorFacts {
  /** The `type` of the API's error body; if no answer came, the name of the class. */
  readonly type: string
  readonly message: string
  /** The HTTP status; null if no answer came. */
  readonly status: number | null
  /** Identifies this call in the service's log, even if no answer came. */
  readonly requestId: string
  /** The details of the API's error body, unchanged. */
  readonly details: Readonly<Record<string, unknown>>
}

export class CountersignError extends Error {
  override name = 'CountersignError'
  readonly type: string
  readonly status: number | null
  readonly requestId: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(facts: ErrorFacts, cause?: unknown) {
    super(facts.message, cause === undefined ? undefined : { cause })
    this.type = facts.type
    this.status = facts.status
    this.requestId = facts.requestId
    this.details = facts.details
  }
}

/** 422: the code has a digit too few or too many, or the call is wrong. `fields` says where. */
export class ValidationError extends CountersignError {
  override name = 'ValidationError'
  readonly fields: readonly { readonly path: string; readonly message: string }[]

  constructor(facts: ErrorFacts) {
    super(facts)
    this.fields = fieldsOf(facts)
  }
}

/** 422: ask the person for another number or address. */
export class InvalidRecipientError extends CountersignError {
  override name = 'InvalidRecipientError'
}

/** 401: the key is missing, unknown, revoked, or of the wrong kind. */
export class AuthenticationError extends CountersignError {
  override name = 'AuthenticationError'
}

/** 402: top up the balance. */
export class InsufficientFundsError extends CountersignError {
  override name = 'InsufficientFundsError'
}

/** 403: somebody has paused the app. Pending verifications go on. */
export class AppPausedError extends CountersignError {
  override name = 'AppPausedError'
}

/** 403: the app does not send to this country. */
export class GeoBlockedError extends CountersignError {
  override name = 'GeoBlockedError'
}

/** 403: the person's address is a known source of abuse. */
export class IpReputationBlockedError extends CountersignError {
  override name = 'IpReputationBlockedError'
}

/** 403: one of the app's own rules refuses it; `details.rule` is its name. */
export class RuleBlockedError extends CountersignError {
  override name = 'RuleBlockedError'
}

/** 403: somebody has blocked this recipient in the company. */
export class RecipientBlockedError extends CountersignError {
  override name = 'RecipientBlockedError'
}

/** 409 on send: nothing that is enabled can reach the recipient. */
export class NoEnabledChannelError extends CountersignError {
  override name = 'NoEnabledChannelError'
}

/** 409 on resend: the send attempts are spent, or the channel cannot be used. Start a new verification. */
export class ResendNotAllowedError extends CountersignError {
  override name = 'ResendNotAllowedError'
}

/** 429: a limit. The same call may pass after `retryAfter` seconds. */
export class RateLimitError extends CountersignError {
  override name = 'RateLimitError'
  readonly retryAfter: number
  /** Which limit it was; null if something in between refused, and not the service. */
  readonly scope: LimitScope | null

  constructor(facts: ErrorFacts, retryAfter: number) {
    super(facts)
    const { scope } = facts.details
    this.retryAfter = retryAfter
    this.scope = typeof scope === 'string' ? (scope as LimitScope) : null
  }
}

/** 429 on resend: possible again after `retryAfter` seconds. */
export class ResendCooldownError extends CountersignError {
  override name = 'ResendCooldownError'
  readonly retryAfter: number

  constructor(facts: ErrorFacts, retryAfter: number) {
    super(facts)
    this.retryAfter = retryAfter
  }
}

/** 404: the app has no such verification. */
export class OtpNotFoundError extends CountersignError {
  override name = 'OtpNotFoundError'
}

/** 409: the verification is over; `otpStatus` says how. */
export class OtpNotPendingError extends CountersignError {
  override name = 'OtpNotPendingError'
  readonly otpStatus: Exclude<OtpStatus, 'pending'>

  constructor(facts: ErrorFacts) {
    super(facts)
    this.otpStatus = facts.details.otp_status as Exclude<OtpStatus, 'pending'>
  }
}

/** 409 on verify: the person's WhatsApp message finishes this one. */
export class CodeNotExpectedError extends CountersignError {
  override name = 'CodeNotExpectedError'
}

/** 404 on exchange: the token proves nothing. Do not retry; let the person verify again. */
export class TokenNotFoundError extends CountersignError {
  override name = 'TokenNotFoundError'
}

/** 502, 503 or 504, after the retries: the service is away for now. */
export class UnavailableError extends CountersignError {
  override name = 'UnavailableError'
  /** Seconds, if the service said so. */
  readonly retryAfter: number | null

  constructor(facts: ErrorFacts, retryAfter: number | null) {
    super(facts)
    this.retryAfter = retryAfter
  }
}

/** No answer, after the retries: whether the call took effect is not known. */
export class ConnectionError extends CountersignError {
  override name = 'ConnectionError'
}

/** No answer within `timeoutMs`, after the retries: whether the call took effect is not known. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}

function fieldsOf({ type, message, details }: ErrorFacts): ValidationError['fields'] {
  if (type === 'InvalidIdempotencyKeyError') return [{ path: 'idempotency-key', message }]
  return Array.isArray(details.fields) ? details.fields : []
}
