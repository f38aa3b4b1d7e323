/** Endpoints about alerts: a company's, and the operator's. */
import * as alerts from './alerts.ts'
import type { Operation } from './operation.ts'
import { rotateSecretAnswer } from './webhooks.ts'

const put = {
  method: 'PUT',
  isFresh: true,
  body: alerts.putAlertsBody,
  answer: alerts.alertsAnswer,
  recorded: ['rules'],
} as const

const rotate = {
  method: 'POST',
  isFresh: true,
  summary: 'A new signing secret of alerts; the previous one signs too for a day',
  answer: rotateSecretAnswer,
  errors: ['NotFoundError'],
} as const

export const alertOperations = {
  getAlerts: {
    method: 'GET',
    path: '/manage/v1/companies/{company_id}/alerts',
    access: 'developer',
    summary: 'Who is told when something is wrong in a company, and of what',
    answer: alerts.alertsAnswer,
    errors: ['NotFoundError'],
  },
  putAlerts: {
    ...put,
    path: '/manage/v1/companies/{company_id}/alerts',
    access: 'developer',
    summary: 'Set who is told, and of what; replaces all of it',
    errors: ['NotFoundError'],
  },
  testAlerts: {
    method: 'POST',
    path: '/manage/v1/companies/{company_id}/alerts/test',
    access: 'developer',
    summary: 'Send one alert to every channel at once; ten times in ten minutes at most',
    answer: alerts.testAlertsAnswer,
    errors: ['NotFoundError', 'RateLimitExceededError'],
  },
  rotateAlertSecret: {
    ...rotate,
    path: '/manage/v1/companies/{company_id}/alerts/rotate-secret',
    access: 'developer',
  },
  getOperatorAlerts: {
    method: 'GET',
    path: '/manage/v1/alerts',
    access: 'operator',
    summary: 'Who is told when something is wrong in the installation, and of what',
    answer: alerts.alertsAnswer,
    errors: [],
  },
  putOperatorAlerts: {
    ...put,
    path: '/manage/v1/alerts',
    access: 'operator',
    summary: 'Set who is told, and of what; replaces all of it',
    errors: [],
  },
  testOperatorAlerts: {
    method: 'POST',
    path: '/manage/v1/alerts/test',
    access: 'operator',
    summary: 'Send one alert to every channel at once; ten times in ten minutes at most',
    answer: alerts.testAlertsAnswer,
    errors: ['RateLimitExceededError'],
  },
  rotateOperatorAlertSecret: {
    ...rotate,
    path: '/manage/v1/alerts/rotate-secret',
    access: 'operator',
  },
} as const satisfies Record<string, Operation>
