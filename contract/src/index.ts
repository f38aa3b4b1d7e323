export {
  type AlertChannel,
  type AlertRuleName,
  type AlertsAnswer,
  alertDefaults,
  alertRuleNames,
  type alertsAnswer,
  alertUnits,
  putAlertsBody,
} from './alerts/alerts.ts'
export { errorWords } from './errors/error-words.ts'
export { AppError, type ErrorDetails, type ErrorName, errorCatalogue } from './errors/errors.ts'
export {
  type FieldProblem,
  type Parsed as ParsedFields,
  parseBody,
  parseFields,
  unknownField,
} from './errors/field-problems.ts'
export type { BlockAnswer } from './guard/blocks.ts'
export type { DebtsAnswer, GuessingAnswer, SpendAnswer } from './guard/guard.ts'
export type { ErrorStatsAnswer, ErrorsQuery, ListedError } from './insight/call-errors.ts'
export type {
  AttentionAnswer,
  Figures,
  ListedVerification,
  MessageProblem,
  ShownDelivery,
  ShownException,
  StatsAnswer,
  VerificationDetail,
  VerificationsQuery,
  WaysAnswer,
} from './insight/insight.ts'
export type {
  HeldPeopleAnswer,
  ListedRefusal,
  RefusalStatsAnswer,
  RefusalsQuery,
  SearchProblem,
} from './insight/refusals.ts'
export type { RoutesAnswer } from './insight/routes.ts'
export {
  type AuditAnswer,
  type MeAnswer,
  type MemberAnswer,
  type Role,
  roles,
} from './members/members.ts'
export type { Assertion, Attestation, PasskeyAnswer } from './members/passkeys.ts'
export { openApiDocument } from './openapi/document.ts'
export type { Access, Operation } from './operation.ts'
export { type OperationName, operations } from './operations.ts'
export { healthAnswer, readinessAnswer } from './operator/health.ts'
export type { InstallationAnswer } from './operator/installation.ts'
export { type PageQuery, pageQuery } from './page.ts'
export type { ProviderAnswer } from './providers/bodies.ts'
export type { GatewayOutcome, HttpSettings, ReceiptState } from './providers/http/fields.ts'
export { type FoundAt, parseFoundAt } from './providers/http/found-at.ts'
export { parseHeader } from './providers/http/header-template.ts'
export { type JsonTemplate, parseJsonTemplate } from './providers/http/json-template.ts'
export { type PairsTemplate, parsePairs } from './providers/http/pairs-template.ts'
export { type PathTemplate, parsePath } from './providers/http/path-template.ts'
export { type Gateway, gatewayOf, httpSettings } from './providers/http/settings.ts'
export type { Parsed, Template, ValueName } from './providers/http/template.ts'
export { parseXml } from './providers/http/xml-template.ts'
export { destinationOf, kindsOfProvider, type ProviderKindName, secretSettings } from './providers/kinds.ts'
export { type SmppSettings, smppSettings } from './providers/smpp.ts'
export { type SmtpSettings, smtpSettings } from './providers/smtp.ts'
export { TELEGRAM_BASE_URL, type TelegramSettings, telegramSettings } from './providers/telegram.ts'
export { type TwilioSettings, twilioSettings } from './providers/twilio.ts'
export { type WhatsappSettings, whatsappSettings } from './providers/whatsapp.ts'
export { readCarrierPlace, writeCarrierPlace } from './sentences/carrier-place.ts'
export {
  resultOf,
  sayDuration,
  sayListing,
  sayNoWay,
  toldOf,
  whyOf,
  whyRefused,
} from './sentences/decision-words.ts'
export type { AppAnswer } from './tenancy/apps.ts'
export { changedSettings } from './tenancy/changed-settings.ts'
export { type CompanyAnswer, createCompanyBody, creditBody, type LedgerKind } from './tenancy/companies.ts'
export { createKeyBody } from './tenancy/keys.ts'
export {
  type BacktestAnswer,
  type OwnRule,
  ownRules,
  type RuleAction,
  type RuleConditionName,
  type RuleConditions,
} from './tenancy/own-rules.ts'
export { type PriceBook, priceBook } from './tenancy/prices.ts'
export {
  type AccountChoice,
  type AppSettings,
  appName,
  appSettings,
  type LimitWindow,
  type NumberCheck,
  type WhatsappMode,
} from './tenancy/settings.ts'
export type {
  Decided,
  Outcome,
  RuleFacts,
  RuleName,
  RuleResult,
  StoredRule,
} from './verification/decision.ts'
export { eraseBody } from './verification/erase.ts'
export {
  type DeviceStatusAnswer,
  type ExchangeAnswer,
  exchangeBody,
  previewBody,
  resendBody,
  type StatusAnswer,
  sendBody,
  signingKeysAnswer,
  type VerificationAnswer,
  type VerifyAnswer,
  verifyBody,
} from './verification/otp.ts'
export {
  type ChannelName,
  type Completion,
  type CountedScope,
  channelName,
  channelNames,
  type DeliveryStatus,
  type ExceptionKind,
  type IpClass,
  ipClass,
  type KeyKind,
  type LimitScope,
  type OtpStatus,
  type RecipientType,
} from './vocabulary.ts'
export { type EventType, type WebhookEvent, webhookEvent } from './webhooks/events.ts'
export type {
  AnswerKind,
  EndpointAnswer,
  EventAnswer,
  ListedEventAnswer,
  ListedEventStatus,
  WebhookAnswer,
} from './webhooks/webhooks.ts'
