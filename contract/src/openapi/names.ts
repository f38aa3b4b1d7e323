/** What schemas are called in the document, and so in clients that are generated from it. */
import type { z } from 'zod'
import * as alerts from '../alerts/alerts.ts'
import * as blocks from '../guard/blocks.ts'
import * as callErrors from '../insight/call-errors.ts'
import * as insight from '../insight/insight.ts'
import * as refusals from '../insight/refusals.ts'
import * as members from '../members/members.ts'
import * as passkeys from '../members/passkeys.ts'
import * as installation from '../operator/installation.ts'
import * as providers from '../providers/bodies.ts'
import * as kinds from '../providers/kinds.ts'
import * as apps from '../tenancy/apps.ts'
import * as companies from '../tenancy/companies.ts'
import * as keys from '../tenancy/keys.ts'
import * as rules from '../tenancy/own-rules.ts'
import * as prices from '../tenancy/prices.ts'
import * as settings from '../tenancy/settings.ts'
import * as decision from '../verification/decision.ts'
import * as erase from '../verification/erase.ts'
import * as otp from '../verification/otp.ts'
import * as vocabulary from '../vocabulary.ts'
import * as events from '../webhooks/events.ts'
import * as webhooks from '../webhooks/webhooks.ts'

/** `limit.flagged_ip` is LimitFlaggedIp. */
export const capitalised = (words: string) =>
  words
    .split(/[^A-Za-z0-9]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

interface Variant {
  readonly shape: object
}

/** Each form of a union is named after the value that tells it from the others. */
const variantsOf = <Form extends z.ZodType & Variant>(forms: readonly Form[], by: string, after: string) =>
  Object.fromEntries(forms.map((form) => [`${capitalised(constantOf(form, by))}${after}`, form]))

function constantOf({ shape }: Variant, name: string): string {
  const field: unknown = Reflect.get(shape, name)
  const value = typeof field === 'object' && field !== null ? Reflect.get(field, 'value') : undefined
  if (typeof value !== 'string') throw new Error(`${name} is no constant`)
  return value
}

const [rulesOfToday] = decision.ruleResult.options
const [accepted, refused] = otp.previewAnswer.options

/** A body or answer without a name here is named after its call. */
export const schemaNames: Readonly<Record<string, z.ZodType>> = {
  Channel: vocabulary.channelName,
  OtpStatus: vocabulary.otpStatus,
  DeliveryStatus: vocabulary.deliveryStatus,
  Completion: vocabulary.completion,
  RecipientType: vocabulary.recipientType,
  ExceptionKind: vocabulary.exceptionKind,
  KeyKind: vocabulary.keyKind,
  IpClass: vocabulary.ipClass,
  CountedScope: vocabulary.countedScope,
  BlockLevel: vocabulary.blockLevel,
  Verification: otp.verification,
  Delivery: otp.deliveryAnswer,
  DeviceStatus: otp.deviceStatusAnswer,
  VerificationStatus: otp.statusAnswer,
  StatusAnswer: otp.anyStatusAnswer,
  PreviewBody: otp.previewBody,
  PreviewAnswer: otp.previewAnswer,
  Decisions: otp.decisionsAnswer,
  RuleOutcome: decision.outcome,
  LimitFacts: decision.limitReached,
  LeftOutChannel: decision.leftOut,
  SpendCapFacts: decision.spendCap,
  FormerRuleResult: decision.saidBefore,
  RuleResult: decision.ruleResult,
  Decision: decision.recordedDecision,
  ListedVerification: insight.listedVerification,
  VerificationList: insight.verificationsAnswer,
  TimelineEntry: insight.timelineEntry,
  ShownDelivery: insight.shownDelivery,
  RecipientException: insight.shownException,
  VerificationDetail: insight.verificationAnswer,
  Figures: insight.figures,
  ListedRefusal: refusals.listedRefusal,
  ListedError: callErrors.listedError,
  Company: companies.companyAnswer,
  LedgerKind: companies.ledgerKind,
  PriceBook: prices.priceBook,
  App: apps.appAnswer,
  Block: blocks.blockAnswer,
  EraseAnswer: erase.eraseAnswer,
  Routing: settings.routing,
  WhatsappMode: settings.whatsappMode,
  ChannelSwitch: settings.toggle,
  Channels: settings.channels,
  Geo: settings.geo,
  Limits: settings.limits,
  PumpingMode: settings.pumpingMode,
  Pumping: settings.pumping,
  SpendCaps: settings.spendCaps,
  Messages: settings.messages,
  TextTemplate: settings.textTemplate,
  MessageTemplate: settings.messageTemplate,
  Autofill: settings.autofill,
  DisposableEmail: settings.disposableEmail,
  ProofSettings: settings.proof,
  NumberCheck: settings.numberCheck,
  CountedWithin: rules.countedWithin,
  PriceRange: rules.priceRange,
  HourRange: rules.hourRange,
  RuleConditions: rules.when,
  RuleAction: rules.then,
  RuleMode: rules.ruleMode,
  RuleDraft: rules.ruleDraft,
  OwnRule: rules.rule,
  OwnRules: rules.rulesAnswer,
  AlertRuleName: alerts.alertRuleName,
  QuietHours: alerts.quietHours,
  NewAlertChannel: alerts.alertChannel,
  PutAlertsBody: alerts.putAlertsBody,
  Alerts: alerts.alertsAnswer,
  TestAlertsAnswer: alerts.testAlertsAnswer,
  Webhook: webhooks.webhookAnswer,
  SetWebhook: webhooks.putWebhookAnswer,
  WebhookEndpoint: webhooks.endpointAnswer,
  SetWebhookEndpoint: webhooks.setEndpointAnswer,
  UnsentEvents: webhooks.unsentAnswer,
  SigningSecret: webhooks.rotateSecretAnswer,
  TestEvent: webhooks.testEventAnswer,
  EventStatus: webhooks.eventStatus,
  EventAttempt: webhooks.attempt,
  ListedEvent: webhooks.listedEvent,
  EventDetail: webhooks.eventAnswer,
  EventType: events.eventType,
  WebhookEvent: events.webhookEvent,
  Role: members.role,
  SignInCodeSent: members.signInAnswer,
  SignInCodeBody: members.signInCodeBody,
  SignInCodeAnswer: members.signInCodeAnswer,
  Me: members.meAnswer,
  Session: members.session,
  Member: members.memberAnswer,
  Invitation: members.invitation,
  NewInvitation: members.invitationAnswer,
  SignInRules: members.signInRules,
  Operator: members.operator,
  LeftOperator: members.leftOperatorAnswer,
  AuditTrail: members.auditAnswer,
  PasskeyAssertion: passkeys.assertion,
  PasskeyAttestation: passkeys.attestation,
  PasskeyOptions: passkeys.passkeyOptionsAnswer,
  PasskeyAssertionBody: passkeys.assertionBody,
  Passkey: passkeys.passkeyAnswer,
  CompanyFigures: installation.companyFigures,
  ProviderStep: providers.step,
  ProviderKind: kinds.providerKind,
  ...variantsOf(rulesOfToday.options, 'rule', 'Result'),
  ...variantsOf(rules.then.options, 'action', 'Action'),
  ...variantsOf(alerts.alertChannel.options, 'kind', 'AlertChannel'),
  ...variantsOf(events.webhookEvent.options, 'type', 'Event'),
  NewProvider: providers.createProviderBody,
  Provider: providers.providerAnswer,
  AcceptedPreview: accepted,
  RefusedPreview: refused,
  DayFigures: insight.statsAnswer.shape.rows.element,
  WayFigures: insight.waysAnswer.shape.rows.element,
  AttentionItem: insight.attentionAnswer.shape.items.element,
  IpSource: insight.ipSourcesAnswer.shape.sources.element,
  FoundVerification: refusals.searchAnswer.shape.verifications.element,
  FoundRefusal: refusals.searchAnswer.shape.refusals.element,
  ErrorKindCount: callErrors.errorStatsAnswer.shape.kinds.element,
  LedgerEntry: companies.ledgerAnswer.shape.entries.element,
  ListedApp: apps.appsAnswer.shape.apps.element,
  ListedKey: keys.keysAnswer.shape.keys.element,
  MessageNote: apps.lintMessageAnswer.shape.problems.element,
  RuleRevision: rules.revisionsAnswer.shape.revisions.element,
  BacktestExample: rules.backtestAnswer.shape.examples.element,
  AlertChannel: alerts.alertsAnswer.shape.channels.element,
  ActiveAlert: alerts.alertsAnswer.shape.active.element,
  EventAtEndpoint: webhooks.listedEvent.shape.endpoints.element,
  EventAttemptDetail: webhooks.eventAnswer.shape.attempts.element,
  EventOfVerification: insight.verificationAnswer.shape.events.element,
  Membership: members.meAnswer.shape.companies.element,
  SignInLink: members.signInLinksAnswer.shape.links.element,
  AuditEntry: members.auditAnswer.shape.entries.element,
  InstallationAttention: installation.installationAnswer.shape.attention.element,
  BlockOfApp: installation.allBlocksAnswer.shape.blocks.element,
}
