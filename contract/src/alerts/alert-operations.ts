/** Endpoints about alerts: a company's, and the operator's. */
import type { Operation } from '../operation.ts'
import { rotateSecretAnswer } from '../webhooks/webhooks.ts'
import * as alerts from './alerts.ts'

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
  isOnce: true,
  summary: 'Make a new signing secret for alerts; the previous one also signs for a day',
  answer: rotateSecretAnswer,
  errors: ['NotFoundError'],
} as const

export const alertOperations = {
  getAlerts: {
    method: 'GET',
    path: '/manage/v1/companies/{company_id}/alerts',
    access: 'developer',
    summary: 'Who gets the alerts of a company, and which ones',
    answer: alerts.alertsAnswer,
    errors: ['NotFoundError'],
  },
  putAlerts: {
    ...put,
    path: '/manage/v1/companies/{company_id}/alerts',
    access: 'developer',
    summary: 'Set who gets alerts, and which ones; replaces all of it',
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
    summary: 'Who gets the alerts of the installation, and which ones',
    answer: alerts.alertsAnswer,
    errors: [],
  },
  putOperatorAlerts: {
    ...put,
    path: '/manage/v1/alerts',
    access: 'operator',
    summary: 'Set who gets alerts, and which ones; replaces all of it',
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
