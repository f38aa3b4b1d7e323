/** Every endpoint on one screen: who may call it, what it takes, what it answers, how it refuses. */
import type { z } from 'zod'
import type { ErrorName } from './errors.ts'
import * as manage from './manage.ts'
import * as otp from './otp.ts'

/**
 * `key`: a server or a publishable key. `server_key`: a server key only. `operator`: the operator's token.
 */
export type Access = 'key' | 'server_key' | 'operator'

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly path: string
  readonly access: Access
  readonly summary: string
  readonly body?: z.ZodType
  readonly query?: z.ZodObject
  readonly answer: z.ZodType
  readonly status?: 201
  readonly headers?: Readonly<Record<string, string>>
  readonly errors: readonly ErrorName[]
}

const guardErrors = [
  'GeoBlockedError',
  'IpReputationBlockedError',
  'RateLimitExceededError',
  'InsufficientFundsError',
] as const

export const operations = {
  send: {
    method: 'POST',
    path: '/api/v1/otp/send',
    access: 'key',
    summary: 'Start a verification',
    body: otp.sendBody,
    answer: otp.verification,
    headers: {
      'idempotency-key':
        'At most 128 characters. A repeat within 24 hours answers the first response again and sends nothing. It is scoped to the company, and with a server key matched on the key alone: never reuse one for another recipient.',
    },
    errors: [
      'InvalidRecipientError',
      'InvalidIdempotencyKeyError',
      'IdempotencyKeyReusedError',
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
  createCompany: {
    method: 'POST',
    path: '/manage/v1/companies',
    access: 'operator',
    summary: 'Create a company',
    body: manage.createCompanyBody,
    answer: manage.companyAnswer,
    status: 201,
    errors: [],
  },
  getCompany: {
    method: 'GET',
    path: '/manage/v1/companies/{company_id}',
    access: 'operator',
    summary: 'A company and its balance',
    answer: manage.companyAnswer,
    errors: ['NotFoundError'],
  },
  creditCompany: {
    method: 'POST',
    path: '/manage/v1/companies/{company_id}/credits',
    access: 'operator',
    summary: 'Add to the balance',
    body: manage.creditBody,
    answer: manage.creditAnswer,
    status: 201,
    errors: ['NotFoundError'],
  },
  listLedger: {
    method: 'GET',
    path: '/manage/v1/companies/{company_id}/ledger',
    access: 'operator',
    summary: 'The record of money, newest first',
    query: manage.pageQuery,
    answer: manage.ledgerAnswer,
    errors: ['NotFoundError'],
  },
  eraseRecipient: {
    method: 'POST',
    path: '/manage/v1/companies/{company_id}/erasures',
    access: 'operator',
    summary: 'Forget one recipient everywhere in the company, at once',
    body: manage.eraseBody,
    answer: manage.eraseAnswer,
    errors: ['NotFoundError', 'InvalidRecipientError'],
  },
  getPrices: {
    method: 'GET',
    path: '/manage/v1/prices',
    access: 'operator',
    summary: 'The price book',
    answer: manage.priceBook,
    errors: [],
  },
  putPrices: {
    method: 'PUT',
    path: '/manage/v1/prices',
    access: 'operator',
    summary: 'Replace the price book',
    body: manage.priceBook,
    answer: manage.priceBook,
    errors: [],
  },
  createApp: {
    method: 'POST',
    path: '/manage/v1/companies/{company_id}/apps',
    access: 'operator',
    summary: 'Create an app',
    body: manage.createAppBody,
    answer: manage.appAnswer,
    status: 201,
    errors: ['NotFoundError'],
  },
  getApp: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}',
    access: 'operator',
    summary: 'An app and its settings',
    answer: manage.appAnswer,
    errors: ['NotFoundError'],
  },
  updateApp: {
    method: 'PATCH',
    path: '/manage/v1/apps/{app_id}',
    access: 'operator',
    summary: 'Change settings: objects merge, lists replace, null restores a default',
    body: manage.updateAppBody,
    answer: manage.appAnswer,
    errors: ['NotFoundError', 'ConflictError'],
  },
  createKey: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/keys',
    access: 'operator',
    summary: 'Create a key; it is shown once',
    body: manage.createKeyBody,
    answer: manage.createKeyAnswer,
    status: 201,
    errors: ['NotFoundError'],
  },
  listKeys: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}/keys',
    access: 'operator',
    summary: 'The keys of an app',
    answer: manage.keysAnswer,
    errors: ['NotFoundError'],
  },
  revokeKey: {
    method: 'DELETE',
    path: '/manage/v1/keys/{key_id}',
    access: 'operator',
    summary: 'Revoke a key, on every node within a second',
    answer: manage.revokeKeyAnswer,
    errors: ['NotFoundError'],
  },
  lintMessage: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/messages/lint',
    access: 'operator',
    summary: 'What a text of the app’s own would be like, before it is saved',
    body: manage.lintMessageBody,
    answer: manage.lintMessageAnswer,
    errors: ['NotFoundError'],
  },
  listProviders: {
    method: 'GET',
    path: '/manage/v1/providers',
    access: 'operator',
    summary: 'Provider accounts, without their credentials',
    query: manage.providerQuery,
    answer: manage.providersAnswer,
    errors: [],
  },
  createProvider: {
    method: 'POST',
    path: '/manage/v1/providers',
    access: 'operator',
    summary: 'Add a provider account; in force everywhere within a second',
    body: manage.createProviderBody,
    answer: manage.providerAnswer,
    status: 201,
    errors: ['NotFoundError'],
  },
  updateProvider: {
    method: 'PATCH',
    path: '/manage/v1/providers/{provider_id}',
    access: 'operator',
    summary: 'Change a provider account: settings merge, null takes one away',
    body: manage.updateProviderBody,
    answer: manage.providerAnswer,
    errors: ['NotFoundError'],
  },
  deleteProvider: {
    method: 'DELETE',
    path: '/manage/v1/providers/{provider_id}',
    access: 'operator',
    summary: 'Remove a provider account',
    answer: manage.deleteProviderAnswer,
    errors: ['NotFoundError'],
  },
  putWebhook: {
    method: 'PUT',
    path: '/manage/v1/apps/{app_id}/webhook',
    access: 'operator',
    summary: 'Set the webhook endpoint; its secret is shown once',
    body: manage.webhookBody,
    answer: manage.putWebhookAnswer,
    errors: ['NotFoundError'],
  },
  getWebhook: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}/webhook',
    access: 'operator',
    summary: 'The webhook endpoint and whether it is paused',
    answer: manage.webhookAnswer,
    errors: ['NotFoundError'],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/manage/v1/apps/{app_id}/webhook',
    access: 'operator',
    summary: 'Remove the webhook endpoint; what waits is not sent',
    answer: manage.deleteWebhookAnswer,
    errors: ['NotFoundError'],
  },
  enableWebhook: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/webhook/enable',
    access: 'operator',
    summary: 'Resume a paused endpoint: the oldest event is tried alone first',
    answer: manage.webhookAnswer,
    errors: ['NotFoundError'],
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/webhook/rotate-secret',
    access: 'operator',
    summary: 'A new signing secret; the previous one signs too for a day',
    answer: manage.rotateSecretAnswer,
    errors: ['NotFoundError'],
  },
  testWebhook: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/webhook/test',
    access: 'operator',
    summary: 'Send one event for a verification that never was',
    answer: manage.testEventAnswer,
    errors: ['NotFoundError', 'ConflictError'],
  },
  listEvents: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}/events',
    access: 'operator',
    summary: 'Events with their attempts, newest first',
    query: manage.eventsQuery,
    answer: manage.eventsAnswer,
    errors: ['NotFoundError'],
  },
  replayEvent: {
    method: 'POST',
    path: '/manage/v1/events/{event_id}/replay',
    access: 'operator',
    summary: 'Send an event again, same id and bytes, one attempt at once',
    answer: manage.replayAnswer,
    errors: ['NotFoundError', 'ConflictError'],
  },
  replayFailed: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/events/replay-failed',
    access: 'operator',
    summary: 'Send everything again that was given up since a time',
    body: manage.replayFailedBody,
    answer: manage.replayFailedAnswer,
    errors: ['NotFoundError', 'ConflictError'],
  },
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations
