export { Countersign } from './client.ts'
export type { CountersignOptions } from './client-settings.ts'
export {
  AppPausedError,
  AuthenticationError,
  CodeNotExpectedError,
  ConnectionError,
  CountersignError,
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
  TimeoutError,
  TokenNotFoundError,
  UnavailableError,
  ValidationError,
} from './errors.ts'
export { createManagement, type Management, type OnceOptions } from './management.ts'
export type { ManagementOperations } from './management-operations.ts'
export type {
  Otp,
  ResendRequest,
  SendOptions,
  SendRequest,
  VerifyRequest,
} from './otp.ts'
export type { PreviewRequest, Routing } from './routing.ts'
export type { CallOptions, LogEntry, Logger, RawAnswer } from './transport.ts'
export type {
  Channel,
  Completion,
  Decisions,
  Delivery,
  DeliveryStatus,
  LimitScope,
  OtpStatus,
  Preview,
  ProvenRecipient,
  RecipientType,
  RuleResult,
  Verification,
  VerificationDetails,
  VerifyResult,
} from './types.ts'
export type { Verifications } from './verifications.ts'
export type { WebhookEvent } from './webhook-event.ts'
export {
  type RawBody,
  type TestPayload,
  type VerifyWebhookOptions,
  type WebhookHeaders,
  type WebhookProblem,
  WebhookVerificationError,
  webhooks,
} from './webhooks.ts'
