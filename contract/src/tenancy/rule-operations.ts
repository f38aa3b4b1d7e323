/** Endpoints of an app's own rules. */
import type { Operation } from '../operation.ts'
import * as rules from './own-rules.ts'

export const ruleOperations = {
  getRules: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}/rules',
    access: 'viewer',
    summary: 'The app’s own rules, in the order in which they are asked',
    answer: rules.rulesAnswer,
    errors: ['NotFoundError'],
  },
  putRules: {
    method: 'PUT',
    path: '/manage/v1/apps/{app_id}/rules',
    access: 'developer',
    summary: 'Replace the app’s own rules, unless somebody has changed them since they were read',
    body: rules.putRulesBody,
    answer: rules.rulesAnswer,
    recorded: ['revision', 'rules'],
    errors: ['NotFoundError', 'ConflictError'],
  },
  listRuleRevisions: {
    method: 'GET',
    path: '/manage/v1/apps/{app_id}/rules/revisions',
    access: 'viewer',
    summary: 'What the rules were, who changed them and when, newest first',
    query: rules.revisionsQuery,
    answer: rules.revisionsAnswer,
    errors: ['NotFoundError'],
  },
  restoreRuleRevision: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/rules/revisions/{revision}/restore',
    access: 'developer',
    isOnce: true,
    summary: 'Put an earlier revision in force, as a new one',
    answer: rules.rulesAnswer,
    errors: ['NotFoundError'],
  },
  backtestRules: {
    method: 'POST',
    path: '/manage/v1/apps/{app_id}/rules/backtest',
    access: 'viewer',
    isReading: true,
    isLong: true,
    summary: 'What rules would have done with the sends of up to 30 days',
    body: rules.backtestBody,
    answer: rules.backtestAnswer,
    errors: ['NotFoundError'],
  },
} as const satisfies Record<string, Operation>
