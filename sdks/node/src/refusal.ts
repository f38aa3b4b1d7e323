/** Turns an answer that is not a success into the error that says what to do. */
import {
  AppPausedError,
  AuthenticationError,
  CodeNotExpectedError,
  CountersignError,
  type ErrorFacts,
  GeoBlockedError,
  InsufficientFundsError,
  InvalidRecipientError,
  IpReputationBlockedError,
  NoEnabledChannelError,
  OtpNotFoundError,
  OtpNotPendingError,
  RateLimitError,
  RecipientBlockedError,
  ResendCooldownError,
  ResendNotAllowedError,
  RuleBlockedError,
  UnavailableError,
  ValidationError,
} from './errors.ts'
import { recordOf } from './record.ts'

const byType: Readonly<Record<string, new (facts: ErrorFacts) => CountersignError>> = {
  ValidationError,
  InvalidIdempotencyKeyError: ValidationError,
  InvalidRecipientError,
  InsufficientFundsError,
  AppPausedError,
  GeoBlockedError,
  IpReputationBlockedError,
  RuleBlockedError,
  RecipientBlockedError,
  NoEnabledChannelError,
  ResendNotAllowedError,
  OtpNotFoundError,
  OtpNotPendingError,
  CodeNotExpectedError,
}

const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504])

export function refusalOf(response: Response, body: unknown, sentRequestId: string): CountersignError {
  const facts = factsOf(response, body, sentRequestId)
  const retryAfter = retryAfterOf(response.headers)
  if (awayStatuses.has(response.status)) return new UnavailableError(facts, retryAfter)
  if (facts.type === 'ResendCooldownError') return new ResendCooldownError(facts, retryAfter ?? 1)
  if (response.status === 429) return new RateLimitError(facts, retryAfter ?? 1)
  if (response.status === 401) return new AuthenticationError(facts)
  const Class = Object.hasOwn(byType, facts.type) ? byType[facts.type] : undefined
  return new (Class ?? CountersignError)(facts)
}

function factsOf(response: Response, body: unknown, sentRequestId: string): ErrorFacts {
  const { error, request_id: requestId } = recordOf(body)
  const { type, message, details } = recordOf(error)
  return {
    type: typeof type === 'string' ? type : 'UnexpectedAnswer',
    message: typeof message === 'string' ? message : unexpected(response),
    status: response.status,
    requestId: typeof requestId === 'string' ? requestId : sentRequestId,
    details: recordOf(details),
  }
}

/** The message if the service did not answer itself: a proxy's page, a redirect, another program at this address. */
function unexpected({ status }: Response): string {
  // The service is there, so the message must not suggest a wrong address.
  if (status === 429 || awayStatuses.has(status))
    return `Something in front of Countersign answered for it (${status}).`
  const what = status >= 300 && status < 400 ? 'a redirect' : 'not one of Countersign'
  return `The answer was ${what} (${status}). Is baseUrl right?`
}

/** Only whole seconds: the service sends no dates. */
function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('retry-after') ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : null
}

export const unexpectedAnswer = (response: Response, sentRequestId: string) =>
  new CountersignError(factsOf(response, null, sentRequestId))
