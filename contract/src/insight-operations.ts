/** Endpoints that only read: what happened, and what would. */
import * as insight from './insight.ts'
import type { Operation } from './operation.ts'
import * as otp from './otp.ts'

export const insightOperations = {
  listVerifications: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}/verifications',
    access: 'viewer',
    summary: 'Verifications, newest first',
    query: insight.verificationsQuery,
    answer: insight.verificationsAnswer,
    errors: ['NotFoundError', 'InvalidRecipientError'],
  },
  searchVerifications: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/verifications/search',
    access: 'viewer',
    isReading: true,
    summary: 'The same list, with a recipient that must not stand in an address',
    body: insight.verificationsQuery,
    answer: insight.verificationsAnswer,
    errors: ['NotFoundError', 'InvalidRecipientError'],
  },
  getVerification: {
    method: 'GET',
    path: '/manage/v1/verifications/{otp_id}',
    access: 'viewer',
    summary: 'One verification with its timeline and its decisions',
    answer: insight.verificationAnswer,
    errors: ['NotFoundError'],
  },
  getStats: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}/stats',
    access: 'viewer',
    summary: 'Sends, approvals, conversion, cost and time to approve, by hour, day, channel or country',
    query: insight.statsQuery,
    answer: insight.statsAnswer,
    errors: ['NotFoundError'],
  },
  getAttention: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}/attention',
    access: 'viewer',
    summary: 'What somebody should look at now',
    answer: insight.attentionAnswer,
    errors: ['NotFoundError'],
  },
  previewSend: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/preview',
    access: 'viewer',
    isReading: true,
    summary: 'What a send would do now; nothing is sent, counted or charged',
    body: otp.previewBody,
    answer: otp.previewAnswer,
    errors: ['NotFoundError'],
  },
  listIpSources: {
    method: 'GET',
    path: '/manage/v1/ip-sources',
    access: 'signed_in',
    summary: 'The lists of addresses that this node goes by, and their age',
    answer: insight.ipSourcesAnswer,
    errors: [],
  },
  listLocales: {
    method: 'GET',
    path: '/manage/v1/locales',
    access: 'signed_in',
    summary: 'The languages that texts are shipped in',
    answer: insight.localesAnswer,
    errors: [],
  },
} as const satisfies Record<string, Operation>
